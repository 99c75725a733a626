/** The rule by which the service may approve for a company, and the purchase orders that it goes by. */
import { type Static, Type } from "@sinclair/typebox";

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const Amount = (description: string) =>
	Type.String({
		...{ pattern: "^(0|[1-9][0-9]{0,15})(\\.[0-9]{1,2})?$", maxLength: 19, description },
		...{ faultCode: "decimal-form", faultDetail: "Send an amount with at most two decimals, as a string." },
	});

export type RuleRow = { readonly isEnabled: boolean; readonly tolerance: string; readonly updatedAt: Date };

/** Body of `PUT /v1/approval-rule`. */
export const RuleRequest = Type.Object(
	{
		enabled: Type.Boolean(),
		tolerance: Type.Optional(
			Amount("How far a document's total may be from the amount of its order, up or down; `0.00` unless told."),
		),
	},
	{ additionalProperties: false },
);
export type RuleRequest = Static<typeof RuleRequest>;

export const RuleRecord = Type.Object(
	{ enabled: Type.Boolean(), tolerance: Type.String(), updatedAt: Nullable(Type.String()) },
	{ $id: "ApprovalRule", examples: [{ enabled: true, tolerance: "1.00", updatedAt: "2026-11-20T14:00:00.000Z" }] },
);
export type RuleRecord = Static<typeof RuleRecord>;

/** A company without a rule has one that is off. */
export function toRuleRecord(row: RuleRow | undefined): RuleRecord {
	return {
		enabled: row?.isEnabled ?? false,
		tolerance: row?.tolerance ?? "0.00",
		updatedAt: row?.updatedAt.toISOString() ?? null,
	};
}

/** Characters of an order's number. Source: the authority's e-CF format, NumeroOrdenCompra. */
export const NUMBER_CHARACTERS_MAX = 20;

export type OrderRow = {
	readonly number: string;
	readonly issuerRnc: string;
	readonly amount: string | null;
	readonly isReusable: boolean;
	readonly status: "open" | "used" | "closed";
	readonly approvalId: string | null;
	readonly createdAt: Date;
	readonly updatedAt: Date;
};

/** Body of `PUT /v1/purchase-orders/{number}`. */
export const OrderRequest = Type.Object(
	{
		issuer_rnc: Type.String({
			maxLength: 20,
			description: "Of the supplier: anybody may know a number, so an order counts for the documents of one issuer.",
		}),
		amount: Type.Optional(
			Nullable(Amount("What was ordered, taxes included; without it, or with null, any total is approved.")),
		),
		reusable: Type.Optional(Type.Boolean({ description: "It may approve more than one document; false unless told." })),
		status: Type.Optional(
			Type.Union([Type.Literal("open"), Type.Literal("closed")], {
				description: "Without it a new order is open and another one stays as it is: used, or closed.",
			}),
		),
	},
	{ additionalProperties: false },
);
export type OrderRequest = Static<typeof OrderRequest>;

export const OrderRecord = Type.Object(
	{
		number: Type.String(),
		issuer_rnc: Type.String(),
		amount: Nullable(Type.String()),
		reusable: Type.Boolean(),
		status: Type.Union([Type.Literal("open"), Type.Literal("used"), Type.Literal("closed")]),
		approvalId: Nullable(Type.String({ description: "The latest approval that it led to." })),
		createdAt: Type.String(),
		updatedAt: Type.String(),
		_links: Type.Object({ self: Type.String() }),
	},
	{
		$id: "PurchaseOrder",
		examples: [
			{
				...{
					number: "5521",
					issuer_rnc: "101010101",
					amount: "1180.00",
					reusable: false,
					status: "open",
					approvalId: null,
				},
				...{ createdAt: "2026-11-20T14:00:00.000Z", updatedAt: "2026-11-20T14:00:00.000Z" },
				_links: { self: "/v1/purchase-orders/5521" },
			},
		],
	},
);
export type OrderRecord = Static<typeof OrderRecord>;

export function toOrderRecord(row: OrderRow): OrderRecord {
	const { number, issuerRnc: issuer_rnc, amount, isReusable: reusable, status, approvalId } = row;
	return {
		...{ number, issuer_rnc, amount, reusable, status, approvalId },
		createdAt: row.createdAt.toISOString(),
		updatedAt: row.updatedAt.toISOString(),
		_links: { self: `/v1/purchase-orders/${encodeURIComponent(number)}` },
	};
}
