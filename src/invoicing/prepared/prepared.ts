/** A prepared invoice as callers see it. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { EXAMPLE_INVOICE, InvoiceRequest } from "../../ecf/mapping";
import { DryRun } from "../invoices";

export const STATES = ["waiting", "issued", "rejected", "expired"] as const;
export type PreparedState = (typeof STATES)[number];

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const OneOf = <const T extends string>(values: readonly T[], description: string) =>
	Type.Union(
		values.map((value) => Type.Literal(value)),
		{ description },
	);

/** What a person has to see before approving. */
export const PreparedSummary = Type.Object({
	type: Type.String({ description: "e-CF type." }),
	encf: Type.String({ description: "Its number, or `auto`: the next one when it is issued." }),
	issueDate: Type.String({ description: "Day of the dry run, unless the invoice names one." }),
	customer: Nullable(
		Type.Object(
			{ rnc: Nullable(Type.String()), name: Nullable(Type.String()) },
			{ description: "As sent; null without a buyer." },
		),
	),
	lines: Type.Integer({ description: "How many lines it has." }),
	currency: Type.String(),
	totals: Type.Object({ subtotal: Type.String(), tax: Type.String(), grand_total: Type.String() }),
});
export type PreparedSummary = Static<typeof PreparedSummary>;

/** The report of the dry run without the document. */
export const Validation = Type.Pick(
	DryRun,
	["duplicateOf", "road", "sequenceExpiresOn", "totals", "registry", "warnings"],
	{
		description: "Report of the dry run at the time of preparing, as of `POST /v1/invoices?dry_run=true`.",
	},
);
export type Validation = Static<typeof Validation>;

export type PreparedRow = {
	readonly id: string;
	readonly tenantId: string;
	/** Hexadecimal. */
	readonly sha256: string;
	/** Under which it is issued. A rejection takes it, so that nothing can be issued under it. */
	readonly idempotencyKey: string;
	readonly summary: PreparedSummary;
	readonly validation: Validation;
	readonly state: PreparedState;
	readonly docId: string | null;
	readonly reason: string | null;
	readonly createdAt: Date;
	readonly expiresAt: Date;
	readonly decidedAt: Date | null;
	/** Whether the idempotency key may have been forgotten. */
	readonly isOver: boolean;
};
export type WholePrepared = PreparedRow & {
	/** Compact JSON; `sha256` is its digest. */
	readonly body: string;
};

const members = {
	id: Type.String(),
	sha256: Type.String({
		description: "SHA-256 of the stored body, in hexadecimal: of `invoice` as compact JSON. An approval names it.",
	}),
	status: OneOf(
		STATES,
		"`waiting` for a decision; `issued`, as `docId`; `rejected`; `expired`: there was no decision within 24 hours.",
	),
	summary: PreparedSummary,
	docId: Nullable(Type.String({ description: "The issued document." })),
	reason: Nullable(Type.String({ description: "Why it was rejected, if that was given." })),
	createdAt: Type.String(),
	expiresAt: Type.String({ description: "24 hours after it was prepared." }),
	decidedAt: Nullable(Type.String()),
	_links: Type.Object({ self: Type.String(), approve: Type.String(), reject: Type.String() }),
};

const SELF = "/v1/prepared-invoices/0192f1d0-7a00-7b11-9c22-334455667788";
const EXAMPLE_ITEM = {
	id: "0192f1d0-7a00-7b11-9c22-334455667788",
	sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	status: "waiting",
	summary: {
		...{ type: "31", encf: "auto", issueDate: "2026-11-20", customer: { rnc: "990000002", name: "CLIENTE SRL" } },
		...{ lines: 1, currency: "DOP", totals: { subtotal: "4500.00", tax: "810.00", grand_total: "5310.00" } },
	},
	...{ docId: null, reason: null, createdAt: "2026-11-20T14:00:00.000Z", expiresAt: "2026-11-21T14:00:00.000Z" },
	decidedAt: null,
	_links: { self: SELF, approve: `${SELF}:approve`, reject: `${SELF}:reject` },
} as const;
const EXAMPLE_VALIDATION = {
	...{ duplicateOf: null, road: "document", sequenceExpiresOn: "2028-12-31" },
	totals: { taxedBase: "4500.00", itbis: "810.00", total: "5310.00" },
	registry: { issuer: "ACTIVO", buyer: "ACTIVO", runId: "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f" },
	warnings: [],
};
/** The body that the examples prepare. */
export const EXAMPLE_BODY = { ...EXAMPLE_INVOICE, encf: "auto" };

export const PreparedItem = Type.Object(members, { $id: "PreparedInvoiceItem", examples: [EXAMPLE_ITEM] });
export type PreparedItem = Static<typeof PreparedItem>;

export const PreparedRecord = Type.Object(
	{ ...members, validation: Validation, invoice: InvoiceRequest },
	{
		$id: "PreparedInvoice",
		examples: [{ ...EXAMPLE_ITEM, validation: EXAMPLE_VALIDATION, invoice: EXAMPLE_BODY }],
	},
);
export type PreparedRecord = Static<typeof PreparedRecord>;

export function toPreparedItem(row: PreparedRow): PreparedItem {
	const { id, sha256, state: status, summary, docId, reason } = row;
	const self = `/v1/prepared-invoices/${id}`;
	return {
		...{ id, sha256, status, summary, docId, reason },
		createdAt: row.createdAt.toISOString(),
		expiresAt: row.expiresAt.toISOString(),
		decidedAt: row.decidedAt?.toISOString() ?? null,
		_links: { self, approve: `${self}:approve`, reject: `${self}:reject` },
	};
}

export function toPreparedRecord(row: WholePrepared): PreparedRecord {
	return {
		...toPreparedItem(row),
		validation: row.validation,
		invoice: JSON.parse(row.body) as InvoiceRequest,
	};
}

export function summarise(invoice: InvoiceRequest, { issueDate }: Pick<DryRun, "issueDate">): PreparedSummary {
	const { type, encf, customer, lines, currency = "DOP", totals } = invoice;
	const { subtotal, tax, grand_total } = totals;
	return {
		...{ type, encf, issueDate, currency, lines: lines.length, totals: { subtotal, tax, grand_total } },
		customer: customer ? { rnc: customer.rnc ?? customer.foreign_id ?? null, name: customer.name ?? null } : null,
	};
}

export function toValidation(report: DryRun): Validation {
	const { duplicateOf, road, sequenceExpiresOn, totals, registry, warnings } = report;
	return { duplicateOf, road, sequenceExpiresOn, totals, registry, warnings };
}
