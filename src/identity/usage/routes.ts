/** The operation that reports usage to a customer. */

import { type Static, Type } from "@sinclair/typebox";
import { retryOnFailure, type Sql } from "../../platform/database";
import {
	type Call,
	checkDay,
	cutPage,
	json,
	NEEDS_KEY,
	NEEDS_OPERATOR,
	type Operation,
	type ParameterFault,
	PERIOD_DAYS_MAX,
	PRIVATE_NO_STORE,
	pageParameters,
	periodParameters,
	queryParameter,
	readPageQuery,
	readPeriod,
	readQuery,
} from "../../platform/operation";
import { msg } from "../../platform/problem";
import { type Clock, isId, isIsoDate, toLocalIsoDate } from "../../platform/values";
import {
	NO_ID,
	selectLimited,
	selectUsage,
	sumUsage,
	type Tally,
	type UsageCursor,
	type UsageFilter,
	type UsageOf,
	type UsageRow,
} from "./store";
import { addUp, billedOf, byUnit, type OperationTally, toUnits, UNITS } from "./units";

type UsageDeps = { readonly sql: Sql; readonly clock: Clock };

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const counts = {
	requests: Count("All answered requests."),
	billed: Count("All except those refused by a limit and those that failed on our side."),
	answers: Type.Object(
		{
			"2xx": Count("Answered with 2xx. Billed."),
			"304": Count("Answered with 304. Billed."),
			"4xx": Count("Answered with 4xx except 429. Billed."),
			"429": Count("Answered with 429. Not billed."),
			"5xx": Count("Answered with 5xx. Not billed."),
		},
		{ description: "Requests by status." },
	),
	items: Count("Numbers, names, rows, invoices or documents in successful batches; a batch is one request."),
};

const units = UNITS.map((unit) => Type.Literal(unit));

const UsageItem = Type.Object({
	date: Type.String({ format: "date", description: "Day in UTC-4." }),
	keyId: Type.Union([Type.String(), Type.Null()], {
		description: "The API key; null if a bearer token was used alone.",
	}),
	operation: Type.String({ description: "`operationId` of this document." }),
	...counts,
	unit: Type.Union(units, { description: "What the operation is billed by." }),
	billableUnits: Count(
		"Billed units. By request: `billed`. By number, name or row: those of successful requests, without numbers and rows that are invalid and without names that match nothing. Rows of a list count when its check is done.",
	),
});
type UsageItem = Static<typeof UsageItem>;

const UsageReport = Type.Object(
	{
		...{ from: Type.String({ format: "date" }), to: Type.String({ format: "date" }) },
		items: Type.Array(UsageItem, { description: "By day, key and operation, in this order." }),
		count: Type.Integer({ description: "Items of this page." }),
		partial: Type.Boolean({ description: "True if more follow." }),
		next: Type.Union([Type.String(), Type.Null()], { description: "Send it as `after` to get the next page." }),
		totals: Type.Object(
			{
				...counts,
				billableUnits: Type.Object(
					byUnit(() => Count("Billed units of this kind.")),
					{
						description: "Total of all items by their `unit`.",
					},
				),
			},
			{ description: "Total of all pages." },
		),
	},
	{ $id: "UsageReport" },
);
type UsageReport = Static<typeof UsageReport>;

const LIMITED_MAX = 100;
const OrNull = Type.Union([Type.String(), Type.Null()]);
const LimitedReport = Type.Object(
	{
		day: Type.String(),
		items: Type.Array(
			Type.Object({
				...{ tenantId: OrNull, name: OrNull, ownerId: OrNull, keyId: OrNull },
				operation: Type.String(),
				limited: Type.Integer({ description: "Answered with 429. Not billed." }),
				requests: Type.Integer({ description: "All answered requests." }),
			}),
		),
	},
	{ $id: "LimitedReport" },
);

export function usageOperations(deps: UsageDeps): Operation[] {
	return [
		{
			id: "getUsage",
			sdk: "usage.get",
			method: "GET",
			path: "/v1/usage",
			tag: "Usage",
			summary: "List usage by key, operation and day",
			description:
				"Requests of all keys of the key's owner, including those with a bearer token alone; for the demo key, those of the token's " +
				"company. Requests are counted when answered and stored every few seconds, so the latest may be missing, and a machine that " +
				"fails may lose them. Requests with invalid credentials are not counted.",
			credentials: NEEDS_KEY,
			scope: "usage:read",
			parameters: [
				...periodParameters(
					deps.clock,
					"First day, YYYY-MM-DD (UTC-4). Default: the first day of the month of `to`.",
					`Last day, YYYY-MM-DD (UTC-4). Default: today. At most ${PERIOD_DAYS_MAX} days.`,
				),
				queryParameter("key", "One API key's id.", Type.String({ maxLength: 200 }), checkKeyId),
				queryParameter("operation", "One `operationId`.", Type.String({ pattern: "^[A-Za-z]{1,60}$" })),
				...pageParameters({ schema: Type.String({ maxLength: 200 }), check: checkPlace }),
			],
			answers: {
				200: { description: "A page of usage, and the total.", schema: UsageReport, example: EXAMPLE },
			},
			problems: ["validation-error"],
			handle: (call) => getUsage(deps, call),
		},
		{
			id: "listLimited",
			sdk: null,
			...{ method: "GET", path: "/v1/operator/limits", tag: "Operator", summary: "List who met limits on a day" },
			description: `Callers whose requests were answered with 429, the most first, ${LIMITED_MAX} at most.`,
			...{ credentials: NEEDS_OPERATOR, scope: "admin" },
			parameters: [queryParameter("day", "YYYY-MM-DD (UTC-4). Default: today.", undefined, checkDay)],
			answers: { 200: { description: "The callers.", schema: LimitedReport } },
			problems: ["validation-error"],
			handle: async (call) => {
				const { day = toLocalIsoDate(deps.clock.now()) } = readQuery(call);
				const items = await retryOnFailure(() => selectLimited(deps.sql, day, LIMITED_MAX));
				return json(200, { day, items: [...items] }, PRIVATE_NO_STORE);
			},
		},
	];
}

async function getUsage({ sql, clock }: UsageDeps, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const { after, key: keyId, operation } = query;
	const period = readPeriod(query, clock);
	const filter: UsageFilter = { ...period, keyId, operation };
	const asked = { after: after === undefined ? undefined : toPlace(after), limit: limit + 1 };
	const of = usageOf(call);
	const rows = of ? await retryOnFailure(() => selectUsage(sql, of, filter, asked)) : [];
	const sums = of ? await retryOnFailure(() => sumUsage(sql, of, filter)) : [];
	const { page, place } = cutPage(rows, limit, toCursor);
	const report: UsageReport = { ...period, items: page.map(toItem), ...place, totals: toTotals(sums) };
	return json(200, report, PRIVATE_NO_STORE);
}

/** Undefined for the demo key alone, which has no owner. */
function usageOf({ principal }: Call): UsageOf | undefined {
	const { ownerId = null, tenantId, companyIds } = principal ?? {};
	if (ownerId !== null) return { ownerId, companyIds };
	return tenantId === undefined ? undefined : { tenantId };
}

function checkKeyId(id: string): ParameterFault | undefined {
	return isId(id) ? undefined : { code: "invalid-id", detail: msg`Is not the id of a key.` };
}

function checkPlace(cursor: string): ParameterFault | undefined {
	return toPlace(cursor) ? undefined : { code: "invalid-cursor", detail: msg`Send \`next\` of an answer.` };
}

function toCursor({ day, keyId, operation }: UsageCursor): string {
	return Buffer.from(`${day} ${keyId} ${operation}`).toString("base64url");
}

function toPlace(cursor: string): UsageCursor | undefined {
	const [day = "", keyId = "", operation = "", ...more] = Buffer.from(cursor, "base64url").toString().split(" ");
	const isPlace = isIsoDate(day) && (isId(keyId) || keyId === NO_ID) && /^[A-Za-z]{1,60}$/.test(operation);
	return isPlace && more.length === 0 ? { day, keyId, operation } : undefined;
}

function toItem(row: UsageRow): UsageItem {
	const { day: date, keyId, operation } = row;
	return { date, keyId: keyId === NO_ID ? null : keyId, operation, ...toCounts(row), ...toUnits(row) };
}

function toTotals(sums: readonly OperationTally[]): UsageReport["totals"] {
	const { total, billableUnits } = addUp(sums);
	return { ...toCounts(total), billableUnits };
}

function toCounts(tally: Tally) {
	const { succeeded, unmodified, refused, limited, failed, items } = tally;
	const billed = billedOf(tally);
	const answers = { "2xx": succeeded, "304": unmodified, "4xx": refused, "429": limited, "5xx": failed };
	return { requests: billed + limited + failed, billed, answers, items };
}

const EXAMPLE_TALLY = {
	...{ succeeded: 9_120, unmodified: 410, refused: 33, limited: 2, failed: 0, items: 0, billable: 0 },
	operation: "getDocument",
};
const EXAMPLE: UsageReport = {
	...{ from: "2026-11-01", to: "2026-11-20" },
	items: [
		{
			date: "2026-11-20",
			keyId: "0192f0c0-7a00-7b11-9c22-334455667788",
			operation: "getDocument",
			...toCounts(EXAMPLE_TALLY),
			...toUnits(EXAMPLE_TALLY),
		},
	],
	...{ count: 1, partial: false, next: null, totals: toTotals([EXAMPLE_TALLY]) },
};
