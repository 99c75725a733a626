/** The rule that approves by purchase order, and the orders. */

import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { actorOf, recordAudit } from "../../identity/audit-log";
import {
	type Call,
	cutPage,
	json,
	jsonBody,
	NEEDS_BOTH,
	type Operation,
	oneOf,
	PRIVATE_NO_STORE,
	pageParameters,
	pageSchema,
	pathParameter,
	queryParameter,
	readJson,
	readPageQuery,
	readQuery,
	tenantOf,
} from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { Decimal, isXmlText, ONE_LINE_PATTERN, parseTaxpayerDocument } from "../../platform/values";
import type { ApprovalDeps } from "./deps";
import type { OrderRow, RuleRow } from "./order-store";
import { findOrder, findOrders, findRule, lockOrder, saveOrder, saveRule } from "./order-store";

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Amount = (description: string) =>
	Type.String({
		...{ pattern: "^(0|[1-9][0-9]{0,15})(\\.[0-9]{1,2})?$", maxLength: 19, description },
		...{ faultCode: "decimal-form", faultDetail: msg`Send an amount with at most two decimals, as a string.` },
	});

/** Body of `PUT /v1/approval-rule`. */
export const RuleRequest = Type.Object(
	{
		enabled: Type.Boolean({ description: "Whether invoices are approved without a person." }),
		tolerance: Type.Optional(
			Amount("Largest difference between a document's total and its order's amount; default `0.00`."),
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

/** A company without a rule has a disabled one. */
export function toRuleRecord(row: RuleRow | undefined): RuleRecord {
	return {
		enabled: row?.isEnabled ?? false,
		tolerance: row?.tolerance ?? "0.00",
		updatedAt: row?.updatedAt.toISOString() ?? null,
	};
}

/** Longest order number, in characters. Source: the authority's e-CF format, NumeroOrdenCompra. */
export const NUMBER_CHARACTERS_MAX = 20;

/** Body of `PUT /v1/purchase-orders/{number}`. */
export const OrderRequest = Type.Object(
	{
		issuer_rnc: Type.String({
			maxLength: 20,
			description:
				"The supplier's RNC. Order numbers are no secret, so an order counts only for one issuer's documents.",
		}),
		amount: Type.Optional(Nullable(Amount("The ordered amount with taxes. If absent or null, any total is approved."))),
		reusable: Type.Optional(
			Type.Boolean({ description: "Whether it may approve more than one document; default false." }),
		),
		status: Type.Optional(
			Type.Union([Type.Literal("open"), Type.Literal("closed")], {
				description: "If absent, a new order is open and an existing one keeps its status.",
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
		approvalId: Nullable(Type.String({ description: "The latest approval that used it." })),
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

const TAG = "Approvals";

const numberParameter = pathParameter(
	"number",
	"The order's number, as suppliers write it in `NumeroOrdenCompra`; at most 20 characters.",
	"5521",
);

export function orderOperations(deps: ApprovalDeps): Operation[] {
	const common = { tag: TAG, credentials: NEEDS_BOTH } as const;
	return [
		{
			...{
				id: "getApprovalRule",
				sdk: "approvals.getRule",
				method: "GET",
				path: "/v1/approval-rule",
				summary: "Read the approval rule",
			},
			description:
				"The rule by which invoices are approved without a person. A company that never set one has a disabled rule.",
			...{ ...common, scope: "invoices:read" },
			answers: { 200: { description: "The rule.", schema: RuleRecord } },
			problems: [],
			handle: async (call) => json(200, toRuleRecord(await findRule(deps.sql, tenantOf(call))), PRIVATE_NO_STORE),
		},
		{
			...{
				id: "putApprovalRule",
				sdk: "approvals.putRule",
				method: "PUT",
				path: "/v1/approval-rule",
				summary: "Set the approval rule",
			},
			description:
				"While the rule is enabled, an invoice (31, 44) is approved as soon as the authority has accepted it, if it names one of the " +
				"company's open orders, comes from that order's issuer and is within `tolerance` of its amount. Everything else waits for a " +
				"person. Disabled by default.",
			...{ ...common, scope: "approvals:write" },
			body: jsonBody(RuleRequest, { enabled: true, tolerance: "1.00" }),
			answers: { 200: { description: "The rule.", schema: RuleRecord } },
			problems: ["malformed-json", "validation-error"],
			handle: (call) => putRule(deps, call),
		},
		{
			...{ id: "listPurchaseOrders", sdk: "purchaseOrders.list", method: "GET", path: "/v1/purchase-orders" },
			...{ ...common, summary: "List purchase orders", scope: "invoices:read" },
			description: "Orders that the approval rule compares with received invoices, by number.",
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
			...{ id: "getPurchaseOrder", sdk: "purchaseOrders.get", method: "GET", path: "/v1/purchase-orders/{number}" },
			...{ ...common, summary: "Read a purchase order", scope: "invoices:read" },
			description: "The order as registered, and the latest approval that used it.",
			parameters: [numberParameter],
			answers: { 200: { description: "The order.", schema: OrderRecord } },
			problems: ["not-found"],
			handle: (call) => getOrder(deps, call),
		},
		{
			...{ id: "putPurchaseOrder", sdk: "purchaseOrders.put", method: "PUT", path: "/v1/purchase-orders/{number}" },
			...{ ...common, summary: "Register or change a purchase order", scope: "approvals:write" },
			description:
				"While the company's rule is enabled, an order approves one document, or every matching one if it is `reusable`. The body " +
				"replaces the order: without `amount` any total is approved, and without `reusable` it approves one document. Only `status` " +
				"keeps its value if absent.",
			parameters: [numberParameter],
			body: jsonBody(OrderRequest, { issuer_rnc: "101010101", amount: "1180.00" }),
			answers: {
				200: { description: "The order after the change.", schema: OrderRecord },
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
			? [{ pointer: "#/path/number", code: "invalid-format", detail: msg`Has 1 to 20 characters.` }]
			: []),
		...(issuer ? [] : [{ pointer: "/issuer_rnc", code: "invalid-rnc", detail: msg`Send 9 or 11 digits.` }]),
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

/** Names of the members that differ from before; for a new order, all that have a value. */
function changedMembers(before: OrderRow | undefined, after: OrderRow): string[] {
	const members = { issuer_rnc: "issuerRnc", amount: "amount", reusable: "isReusable", status: "status" } as const;
	return Object.entries(members).flatMap(([name, key]) => ((before?.[key] ?? null) === after[key] ? [] : [name]));
}

const oneLine = new RegExp(ONE_LINE_PATTERN);

/** Undefined for a number that no document can name. */
function numberOf(call: Call): string | undefined {
	const number = (call.params.number ?? "").trim();
	return number !== "" && [...number].length <= NUMBER_CHARACTERS_MAX && isXmlText(number) && oneLine.test(number)
		? number
		: undefined;
}
