/** The rule by which the service may approve for a company, and the purchase orders that it goes by. */

import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { actorOf, recordAudit } from "../../identity/audit-log";
import {
	type Call,
	cutPage,
	JSON_BYTES_MAX,
	json,
	NEEDS_BOTH,
	type Operation,
	oneOf,
	type Parameter,
	PRIVATE_NO_STORE,
	pageParameters,
	pageSchema,
	queryParameter,
	readJson,
	readPageQuery,
	readQuery,
	tenantOf,
} from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { Decimal, isXmlText, parseTaxpayerDocument } from "../../platform/values";
import type {} from "./decide";
import type { ApprovalDeps } from "./deps";
import type { OrderRow, RuleRow } from "./order-store";
import { findOrder, findOrders, findRule, lockOrder, saveOrder, saveRule } from "./order-store";

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Amount = (description: string) =>
	Type.String({
		...{ pattern: "^(0|[1-9][0-9]{0,15})(\\.[0-9]{1,2})?$", maxLength: 19, description },
		...{ faultCode: "decimal-form", faultDetail: "Send an amount with at most two decimals, as a string." },
	});

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

/* HEAD routes-orders.ts: The operations on the rule that approves by purchase orders, and on the orders. */

const TAG = "Approvals";

const numberParameter: Parameter = {
	...{ name: "number", in: "path", required: true, schema: Type.String(), example: "5521" },
	description: "The order's number, as suppliers write it in `NumeroOrdenCompra`; at most 20 characters.",
};
const body = (schema: Parameter["schema"], example: unknown) => ({
	...{ schema, example, limitBytes: JSON_BYTES_MAX, required: true, mediaTypes: ["application/json"] },
});

export function orderOperations(deps: ApprovalDeps): Operation[] {
	const common = { tag: TAG, credentials: NEEDS_BOTH } as const;
	return [
		{
			...{ id: "getApprovalRule", method: "GET", path: "/v1/approval-rule", summary: "Read the rule that approves" },
			...{ ...common, scope: "invoices:read" },
			answers: { 200: { description: "The rule.", schema: RuleRecord } },
			problems: [],
			handle: async (call) => json(200, toRuleRecord(await findRule(deps.sql, tenantOf(call))), PRIVATE_NO_STORE),
		},
		{
			...{ id: "putApprovalRule", method: "PUT", path: "/v1/approval-rule", summary: "Set the rule that approves" },
			description:
				"While it is on, an invoice (31, 44) that arrives with the number of one of the company's open orders, from that order's issuer and within " +
				"`tolerance` of its amount, is approved as soon as the authority has accepted it. Everything else waits for a person. Off unless set.",
			...{ ...common, scope: "approvals:write" },
			body: body(RuleRequest, { enabled: true, tolerance: "1.00" }),
			answers: { 200: { description: "The rule.", schema: RuleRecord } },
			problems: ["malformed-json", "validation-error"],
			handle: (call) => putRule(deps, call),
		},
		{
			...{ id: "listPurchaseOrders", method: "GET", path: "/v1/purchase-orders" },
			...{ ...common, summary: "List purchase orders by number", scope: "invoices:read" },
			parameters: [
				queryParameter("status", "`open`, `used` or `closed`.", oneOf("open", "used", "closed")),
				...pageParameters({ schema: Type.String({ maxLength: NUMBER_CHARACTERS_MAX }) }),
			],
			answers: {
				200: {
					description: "A page of orders.",
					schema: pageSchema(OrderRecord),
				},
			},
			problems: ["validation-error"],
			handle: (call) => listOrders(deps, call),
		},
		{
			...{ id: "getPurchaseOrder", method: "GET", path: "/v1/purchase-orders/{number}" },
			...{ ...common, summary: "Read a purchase order", scope: "invoices:read" },
			parameters: [numberParameter],
			answers: { 200: { description: "The order.", schema: OrderRecord } },
			problems: ["not-found"],
			handle: (call) => getOrder(deps, call),
		},
		{
			...{ id: "putPurchaseOrder", method: "PUT", path: "/v1/purchase-orders/{number}" },
			...{ ...common, summary: "Register or change a purchase order", scope: "approvals:write" },
			description:
				"An order approves one document, or each that fits when it is `reusable`, while the company's rule is on. The body replaces what the order was: without `amount` " +
				"any total is approved from then on, without `reusable` it approves one. `status` alone stays as it is when it is not sent.",
			parameters: [numberParameter],
			body: body(OrderRequest, { issuer_rnc: "101010101", amount: "1180.00" }),
			answers: {
				200: { description: "The order as it is now.", schema: OrderRecord },
				201: { description: "The new order.", schema: OrderRecord, headers: { Location: "The order." } },
			},
			problems: ["malformed-json", "validation-error"],
			handle: (call) => putOrder(deps, call),
		},
	];
}

async function putRule({ sql, clock }: ApprovalDeps, call: Call): Promise<Response> {
	readQuery(call);
	const { enabled, tolerance = "0" } = await readJson<RuleRequest>(call);
	const tenantId = tenantOf(call);
	const row = await sql.begin(async (tx) => {
		const before = await findRule(tx, tenantId);
		const rule = { isEnabled: enabled, tolerance: Decimal.of(tolerance).toFixed(2) };
		await saveRule(tx, tenantId, rule);
		const changed = [
			...(before?.isEnabled === rule.isEnabled ? [] : ["enabled"]),
			...(before?.tolerance === rule.tolerance ? [] : ["tolerance"]),
		];
		const entry = { actor: actorOf(call), at: clock.now(), action: "approval-rule.put", subject: tenantId };
		await recordAudit(tx, { ...entry, tenantId, changed, details: { enabled } });
		return findRule(tx, tenantId);
	});
	return json(200, toRuleRecord(row), PRIVATE_NO_STORE);
}

async function listOrders({ sql }: ApprovalDeps, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const { status, after } = query;
	const rows = await findOrders(sql, tenantOf(call), { status, after }, limit);
	const { page, place } = cutPage(rows, limit, ({ number }) => number);
	return json(200, { items: page.map(toOrderRecord), ...place }, PRIVATE_NO_STORE);
}

async function getOrder({ sql }: ApprovalDeps, call: Call): Promise<Response> {
	const number = numberOf(call);
	const row = number === undefined ? undefined : await findOrder(sql, tenantOf(call), number);
	if (!row) throw new Problem("not-found");
	return json(200, toOrderRecord(row), PRIVATE_NO_STORE);
}

async function putOrder({ sql, clock }: ApprovalDeps, call: Call): Promise<Response> {
	readQuery(call);
	const request = await readJson<OrderRequest>(call);
	const number = numberOf(call);
	const issuer = parseTaxpayerDocument(request.issuer_rnc);
	const faults = [
		...(number === undefined
			? [{ pointer: "#/path/number", code: "invalid-format", detail: "Has 1 to 20 characters." }]
			: []),
		...(issuer ? [] : [{ pointer: "/issuer_rnc", code: "invalid-rnc", detail: "Send 9 or 11 digits." }]),
	];
	if (number === undefined || !issuer) throw new Problem("validation-error", { faults });
	const tenantId = tenantOf(call);
	const { amount = null, reusable: isReusable = false, status = null } = request;
	const { row, isNew } = await sql.begin(async (tx) => {
		const order = { number, issuerRnc: issuer.digits, amount, isReusable, status };
		const before = await lockOrder(tx, tenantId, number);
		const isNew = await saveOrder(tx, tenantId, order);
		const row = await findOrder(tx, tenantId, number);
		const changed = row ? changedMembers(before, row) : [];
		if (isNew || changed.length > 0) {
			const entry = { actor: actorOf(call), at: clock.now(), action: "purchase-order.put", subject: number };
			await recordAudit(tx, { ...entry, tenantId, changed, details: { isNew } });
		}
		return { isNew, row };
	});
	if (!row) throw new Error(`order ${number} was saved and is not there`);
	const record = toOrderRecord(row);
	return json(isNew ? 201 : 200, record, { ...PRIVATE_NO_STORE, ...(isNew ? { location: record._links.self } : {}) });
}

/** Names of the members that are another way than before; all of a new order's that are told. */
function changedMembers(before: OrderRow | undefined, after: OrderRow): string[] {
	const members = { issuer_rnc: "issuerRnc", amount: "amount", reusable: "isReusable", status: "status" } as const;
	return Object.entries(members).flatMap(([name, key]) => ((before?.[key] ?? null) === after[key] ? [] : [name]));
}

/** Undefined for what no document can name. */
function numberOf(call: Call): string | undefined {
	const number = (call.params.number ?? "").trim();
	return number !== "" && [...number].length <= NUMBER_CHARACTERS_MAX && isXmlText(number) ? number : undefined;
}
