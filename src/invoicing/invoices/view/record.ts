/** The full record of an invoice, the fiscal record of a type 31, what they share, and the item of the list. */
import { type Static, Type } from "@sinclair/typebox";
import type { ArchivedObject } from "../../../archive";
import { EXAMPLE_INVOICE, InvoiceRequest, type Warning, WarningSchema } from "../../../ecf/mapping";
import { type Environment, toLocalIsoDate } from "../../../platform/values";
import { ReceiptPrint, toReceiptPrint } from "../model/acknowledgement";
import type { InvoiceRow } from "../model/invoice-row";
import { AuthorityView, InvoiceStatus, toAuthorityView, toStatus } from "../model/status";
import type { ListedInvoice } from "./list-store";

const Outcome = (failed: string) =>
	Type.String({ description: `\`passed\`, or \`failed\` if ${failed}. The invoice's \`warnings\` give the details.` });

/** The checks of a document, its own and the authority's. */
export const Validation = Type.Object({
	schema: Outcome(
		"the document violates the authority's schema, for example with a number that does not have 13 characters",
	),
	signature: Type.String({ description: "Always `passed`: a document whose signature does not verify is not stored." }),
	arithmetic: Outcome("amounts do not add up within the tolerances of the specification and the authority"),
	registry: Type.Object({
		issuer: Type.Union([Type.String(), Type.Null()]),
		buyer: Type.Union([Type.String(), Type.Null()]),
		runId: Type.Union([Type.String(), Type.Null()]),
	}),
	authority: Type.String({ description: "pending, accepted, conditional, rejected or failed." }),
});
export type Validation = Static<typeof Validation>;

/** Warnings for documents that are issued although they violate the authority's schema. */
const AGAINST_SCHEMA: ReadonlySet<string> = new Set(["encf-length", "lines-beyond-schema", "reference-missing"]);
/** Warnings for amounts that do not add up. Unusual rates and rounded decimals are not among them. */
const AGAINST_ARITHMETIC: ReadonlySet<string> = new Set([
	"line-product",
	"tax-rounding",
	"tax-not-derivable",
	"adjustment-percent",
	"adjustments-not-in-totals",
	"base-18-differs",
	"base-differs",
	"itbis-differs",
	"withheld-itbis-differs",
	"additional-tax-differs",
]);

export function toValidation({ warnings, registry, status, authority }: InvoiceRow): Validation {
	const { issuer, buyer, runId } = registry;
	const isConditional = status === "accepted" && authority?.code === "4";
	return {
		schema: outcomeOf(warnings, AGAINST_SCHEMA),
		// A document is stored only after its own signature has been checked.
		signature: "passed",
		arithmetic: outcomeOf(warnings, AGAINST_ARITHMETIC),
		registry: { issuer, buyer, runId },
		authority: isConditional ? "conditional" : status,
	};
}

function outcomeOf(warnings: readonly Warning[], codes: ReadonlySet<string>): string {
	return warnings.some(({ code }) => codes.has(code)) ? "failed" : "passed";
}

export const InvoiceApproval = Type.Object({
	approvalId: Type.String(),
	decision: Type.Union([Type.Literal("approved"), Type.Literal("rejected")]),
	reason: Type.Union([Type.String(), Type.Null()]),
	decidedAt: Type.String({ description: "As stated by the buyer." }),
	receivedAt: Type.String(),
});
export type InvoiceApproval = Static<typeof InvoiceApproval>;

export type FindInvoiceApproval = (tenantId: string, docId: string) => Promise<InvoiceApproval | undefined>;

const Replacement = Type.Object({ docId: Type.String(), encf: Type.String() });
export type Replacement = Static<typeof Replacement>;

const Links = Type.Object({
	self: Type.String(),
	status: Type.String(),
	events: Type.String(),
	xml: Type.String(),
	pdf: Type.String(),
	evidence: Type.String(),
	proof: Type.String(),
	draft: Type.String(),
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
		issueDate: Type.String({ format: "date", description: "YYYY-MM-DD (UTC-4)." }),
		request: InvoiceRequest,
		print: Type.Omit(ReceiptPrint, ["escpos"]),
		warnings: Type.Array(WarningSchema),
		authority: AuthorityView,
		archive: Type.Union([
			Type.Object({
				sha256: Type.String({ description: "SHA-256 of the sealed object, hex." }),
				bytes: Type.Integer(),
				retainUntil: Type.String(),
				leafIndex: Type.Integer({ description: "Position in the archive's Merkle tree." }),
				chainHash: Type.String({ description: "Hash of the tenant's chain up to and including this document, hex." }),
			}),
			Type.Null(),
		]),
		approval: Type.Union([InvoiceApproval, Type.Null()], { description: "The buyer's decision, once received." }),
		replacedBy: Type.Union([Replacement, Type.Null()], {
			description: "The document that was issued again for a rejected or failed one.",
		}),
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
				issueDate: "2026-11-20",
				request: EXAMPLE_INVOICE,
				print: {
					securityCode: "a1B2c3",
					signedAt: "2026-11-20T14:20:00.118Z",
					qrUrl: "https://authority.example/testecf/ConsultaTimbre?RncEmisor=990000001&ENCF=E310000000001",
					contingency: null,
					legend: [],
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
				replacedBy: null,
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
					proof: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788/proof",
					draft: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788/draft",
				},
			},
		],
	},
);
export type InvoiceRecord = Static<typeof InvoiceRecord>;

/** Without a date of its own, a document is issued on the day of its signature. */
export const issueDateOf = (request: Pick<InvoiceRequest, "issue_date">, { print }: Pick<InvoiceRow, "print">) =>
	request.issue_date ?? toLocalIsoDate(new Date(print.signedAt));

export type RecordParts = {
	readonly archived: ArchivedObject | undefined;
	readonly approval: InvoiceApproval | undefined;
	readonly replacedBy: Replacement | undefined;
};

export function toInvoiceRecord(
	row: InvoiceRow,
	environment: Environment,
	{ archived, approval, replacedBy }: RecordParts,
): InvoiceRecord {
	const self = `/v1/invoices/${row.docId}`;
	const request = JSON.parse(row.request) as InvoiceRequest;
	return {
		docId: row.docId,
		trackId: row.trackId,
		tenantId: row.tenantId,
		environment,
		type: row.type,
		encf: row.encf,
		status: row.status,
		issueDate: issueDateOf(request, row),
		request,
		print: toReceiptPrint(
			row.print,
			row.status === "pending" && row.contingencySince !== null ? "contingency" : row.status,
		),
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
		replacedBy: replacedBy ?? null,
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
			proof: `${self}/proof`,
			draft: `${self}/draft`,
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

const Nullable = Type.Union([Type.String(), Type.Null()]);
const [EXAMPLE_STATUS] = InvoiceStatus.examples as [InvoiceStatus];

/** An invoice as the list shows it: its status record, and what a person recognises it by. */
export const InvoiceListItem = Type.Object(
	{
		...InvoiceStatus.properties,
		type: Type.String({ description: "e-CF type." }),
		code: Type.Union([Type.String(), Type.Null()], { description: "The authority's code; null before its decision." }),
		issueDate: Type.String({ format: "date", description: "YYYY-MM-DD." }),
		customer: Type.Union([Type.Object({ rnc: Nullable, name: Nullable }), Type.Null()], {
			description: "The buyer; null if the document has none.",
		}),
		totals: Type.Object(
			{ subtotal: Type.String(), tax: Type.String(), grand_total: Type.String() },
			{ description: "As sent." },
		),
		currency: Type.String({ description: "Of `totals`." }),
		receivedAt: Type.String({ format: "date-time", description: "RFC 3339, UTC." }),
	},
	{
		$id: "InvoiceListItem",
		examples: [
			{
				...EXAMPLE_STATUS,
				...{ type: "31", code: "1", issueDate: "2026-11-20", customer: EXAMPLE_INVOICE.customer },
				...{ totals: EXAMPLE_INVOICE.totals, currency: "DOP", receivedAt: "2026-11-20T14:20:00.118Z" },
			},
		],
	},
);
export type InvoiceListItem = Static<typeof InvoiceListItem>;

export function toListItem(row: ListedInvoice): InvoiceListItem {
	const { issueDate, customerRnc: rnc, customerName: name, currency, subtotal, tax, grandTotal } = row.facts;
	const status = toStatus(row);
	return {
		...status,
		type: row.type,
		code: status.authority.code ?? null,
		issueDate,
		customer: rnc === null && name === null ? null : { rnc, name },
		totals: { subtotal, tax, grand_total: grandTotal },
		currency,
		receivedAt: row.receivedAt.toISOString(),
	};
}
