import { type Static, Type } from "@sinclair/typebox";
import type { ArchivedObject } from "../../../archive";
import { WarningSchema } from "../../../ecf/signing";
import type { Environment } from "../../../platform/values";
import { PrintSchema } from "../model/acknowledgement";
import { EXAMPLE_INVOICE, InvoiceRequest } from "../model/invoice";
import type { InvoiceRow } from "../model/invoice-row";
import { AuthorityView, toAuthorityView } from "../model/status";
import { InvoiceApproval } from "./invoice-approval";
import { toValidation, Validation } from "./validation";

const Links = Type.Object({
	self: Type.String(),
	status: Type.String(),
	events: Type.String(),
	xml: Type.String(),
	pdf: Type.String(),
	evidence: Type.String(),
});

/** The full invoice, as `GET /v1/invoices/{docId}` shows it. */
export const InvoiceRecord = Type.Object(
	{
		docId: Type.String(),
		trackId: Type.String(),
		tenantId: Type.String(),
		environment: Type.String(),
		type: Type.String(),
		encf: Type.String(),
		status: Type.String(),
		request: InvoiceRequest,
		print: PrintSchema,
		warnings: Type.Array(WarningSchema),
		authority: AuthorityView,
		archive: Type.Union([
			Type.Object({
				sha256: Type.String({ description: "Of the sealed object, hex." }),
				bytes: Type.Integer(),
				retainUntil: Type.String(),
				leafIndex: Type.Integer({ description: "Its place in the archive's Merkle tree." }),
				chainHash: Type.String({ description: "Of the tenant's chain up to and with this document, hex." }),
			}),
			Type.Null(),
		]),
		approval: Type.Union([InvoiceApproval, Type.Null()], { description: "The buyer's final word, when it has come." }),
		createdAt: Type.String(),
		updatedAt: Type.String(),
		version: Type.Integer(),
		_links: Links,
	},
	{
		$id: "Invoice",
		examples: [
			{
				docId: "0192f110-7a00-7b11-9c22-334455667788",
				trackId: "0192f110-7a01-7c33-8d44-556677889900",
				tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566",
				environment: "sandbox",
				type: "31",
				encf: "E310000000001",
				status: "accepted",
				request: EXAMPLE_INVOICE,
				print: {
					securityCode: "a1B2c3",
					signedAt: "2026-11-20T14:20:00.118Z",
					qrUrl: "https://authority.example/testecf/ConsultaTimbre?RncEmisor=990000001&ENCF=E310000000001",
				},
				warnings: [],
				authority: {
					approvedAt: "2026-11-20T14:20:00.902Z",
					trackId: "d2b6e27c-3908-46f3-afaa-2207b9501b4b",
					code: "1",
				},
				archive: {
					sha256: "c0ffee…",
					bytes: 6120,
					retainUntil: "2036-11-20T14:20:00.902Z",
					leafIndex: 48211,
					chainHash: "77aa…",
				},
				approval: null,
				createdAt: "2026-11-20T14:20:00.118Z",
				updatedAt: "2026-11-20T14:20:00.905Z",
				version: 4,
				_links: {
					self: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788",
					status: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788/status",
					events: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788/events",
					xml: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788/xml",
					pdf: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788/pdf",
					evidence: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788/evidence",
				},
			},
		],
	},
);
export type InvoiceRecord = Static<typeof InvoiceRecord>;

export function toInvoiceRecord(
	row: InvoiceRow,
	environment: Environment,
	archived: ArchivedObject | undefined,
	approval: InvoiceApproval | undefined,
): InvoiceRecord {
	const self = `/v1/invoices/${row.docId}`;
	return {
		docId: row.docId,
		trackId: row.trackId,
		tenantId: row.tenantId,
		environment,
		type: row.type,
		encf: row.encf,
		status: row.status,
		request: JSON.parse(row.request) as InvoiceRequest,
		print: { ...row.print },
		warnings: row.warnings.map((w) => ({ ...w })),
		authority: toAuthorityView(row),
		archive: archived
			? {
					sha256: archived.sha256,
					bytes: archived.bytes,
					retainUntil: archived.retainUntil.toISOString(),
					leafIndex: archived.leafIndex,
					chainHash: archived.chainHash,
				}
			: null,
		approval: approval ?? null,
		createdAt: row.receivedAt.toISOString(),
		updatedAt: row.updatedAt.toISOString(),
		version: row.version,
		_links: {
			self,
			status: `${self}/status`,
			events: `${self}/events`,
			xml: `${self}/xml`,
			pdf: `${self}/pdf`,
			evidence: `${self}/evidence`,
		},
	};
}

/** Validation status of a type-31 document, as `GET /v1/fiscal-invoices/{id}` shows it. */
export const FiscalInvoice = Type.Object(
	{
		id: Type.String(),
		docId: Type.String(),
		trackId: Type.String(),
		type: Type.String(),
		encf: Type.String(),
		status: Type.String(),
		validation: Validation,
		company: InvoiceRequest.properties.company,
		customer: Type.Union([InvoiceRequest.properties.customer, Type.Null()]),
		totals: InvoiceRequest.properties.totals,
		securityCode: Type.String(),
		signedAt: Type.String(),
		qrUrl: Type.String(),
		authority: AuthorityView,
		createdAt: Type.String(),
		updatedAt: Type.String(),
		_links: Type.Object({ self: Type.String(), invoice: Type.String(), xml: Type.String(), pdf: Type.String() }),
	},
	{
		$id: "FiscalInvoice",
		examples: [
			{
				id: "0192f110-7a00-7b11-9c22-334455667788",
				docId: "0192f110-7a00-7b11-9c22-334455667788",
				trackId: "0192f110-7a01-7c33-8d44-556677889900",
				type: "31",
				encf: "E310000000001",
				status: "accepted",
				validation: {
					schema: "passed",
					signature: "passed",
					arithmetic: "passed",
					registry: { issuer: "ACTIVO", buyer: "ACTIVO", runId: "0192ef00-7a00-7b11-9c22-334455667788" },
					authority: "accepted",
				},
				company: EXAMPLE_INVOICE.company,
				customer: EXAMPLE_INVOICE.customer,
				totals: EXAMPLE_INVOICE.totals,
				securityCode: "a1B2c3",
				signedAt: "2026-11-20T14:20:00.118Z",
				qrUrl: "https://authority.example/testecf/ConsultaTimbre?RncEmisor=990000001&ENCF=E310000000001",
				authority: {
					approvedAt: "2026-11-20T14:20:00.902Z",
					trackId: "d2b6e27c-3908-46f3-afaa-2207b9501b4b",
					code: "1",
				},
				createdAt: "2026-11-20T14:20:00.118Z",
				updatedAt: "2026-11-20T14:20:00.905Z",
				_links: {
					self: "/v1/fiscal-invoices/0192f110-7a00-7b11-9c22-334455667788",
					invoice: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788",
					xml: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788/xml",
					pdf: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788/pdf",
				},
			},
		],
	},
);
export type FiscalInvoice = Static<typeof FiscalInvoice>;

export function toFiscalInvoice(row: InvoiceRow): FiscalInvoice {
	const request = JSON.parse(row.request) as InvoiceRequest;
	return {
		id: row.docId,
		docId: row.docId,
		trackId: row.trackId,
		type: row.type,
		encf: row.encf,
		status: row.status,
		validation: toValidation(row),
		company: request.company,
		customer: request.customer ?? null,
		totals: request.totals,
		securityCode: row.print.securityCode,
		signedAt: row.print.signedAt,
		qrUrl: row.print.qrUrl,
		authority: toAuthorityView(row),
		createdAt: row.receivedAt.toISOString(),
		updatedAt: row.updatedAt.toISOString(),
		_links: {
			self: `/v1/fiscal-invoices/${row.docId}`,
			invoice: `/v1/invoices/${row.docId}`,
			xml: `/v1/invoices/${row.docId}/xml`,
			pdf: `/v1/invoices/${row.docId}/pdf`,
		},
	};
}
