/** The operation that tells a customer what was used. */
import { type Static, Type } from "@sinclair/typebox";
import { retryOnFailure, type Sql } from "../database";
import { type Call, json, NEEDS_KEY, type Operation, type Parameter, readQuery } from "../operation";
import { type Fault, Problem } from "../problem";
import { type Clock, daysBetween, isId, isIsoDate, toLocalIsoDate } from "../values";
import { NO_ID, newTally, type Tally } from "./meter";
import { selectUsage, sumUsage, type UsageFilter, type UsageOf, type UsagePlace, type UsageRow } from "./store";

export type UsageDeps = { readonly sql: Sql; readonly clock: Clock };

const DAYS_MAX = 366;
const LIMIT_DEFAULT = "25";
const NO_STORE = { "cache-control": "private, no-store" };

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const counts = {
	requests: Count("All that were answered."),
	billed: Count("All but those refused by a limit and those that failed on our side."),
	answers: Type.Object(
		{
			"2xx": Count("Done."),
			"304": Count("Unchanged for the caller. Billed."),
			"4xx": Count("Refused for what they asked, other than 429. Billed."),
			"429": Count("Refused by a limit. Not billed."),
			"5xx": Count("Failed on our side. Not billed."),
		},
		{ description: "The requests by their answers." },
	),
	items: Count("Numbers, names, invoices or documents in batches that were done; a batch is one request."),
};

const UsageItem = Type.Object({
	date: Type.String({ format: "date", description: "Day in UTC-4." }),
	keyId: Type.Union([Type.String(), Type.Null()], {
		description: "The API key; null where a bearer token came alone.",
	}),
	operation: Type.String({ description: "`operationId` of this description." }),
	...counts,
});
type UsageItem = Static<typeof UsageItem>;

const UsageReport = Type.Object(
	{
		...{ from: Type.String({ format: "date" }), to: Type.String({ format: "date" }) },
		items: Type.Array(UsageItem, { description: "By day, key and operation, in this order." }),
		count: Type.Integer({ description: "Items of this page." }),
		partial: Type.Boolean({ description: "More follow." }),
		next: Type.Union([Type.String(), Type.Null()], { description: "Send it as `after`." }),
		totals: Type.Object(counts, { description: "Of everything asked for, all pages together." }),
	},
	{ $id: "UsageReport" },
);
type UsageReport = Static<typeof UsageReport>;

const query = (name: string, description: string, schema: Parameter["schema"] = Type.String({ maxLength: 200 })) => ({
	...{ name, in: "query" as const, required: false, description, schema },
});

export function usageOperations(deps: UsageDeps): Operation[] {
	return [
		{
			id: "getUsage",
			method: "GET",
			path: "/v1/usage",
			tag: "Usage",
			summary: "What was used, by key, operation and day",
			description:
				"Requests of all keys of the key's owner, bearer tokens alone included; of the demo key those of the token's company. They are counted " +
				"as they are answered and written every few seconds, so the last ones may be missing, and a machine that fails may lose them. Requests " +
				"whose credentials were refused belong to nobody and are not counted.",
			credentials: NEEDS_KEY,
			scope: "usage:read",
			parameters: [
				query("from", "First day, YYYY-MM-DD (UTC-4); the first of the month of `to` when absent."),
				query("to", `Last day, YYYY-MM-DD (UTC-4); today when absent. At most ${DAYS_MAX} days.`),
				query("key", "One API key's id."),
				query("operation", "One `operationId`.", Type.String({ pattern: "^[A-Za-z]{1,60}$" })),
				query("after", "`next` of the page before."),
				query("limit", "1 to 100, default 25.", Type.String({ pattern: "^([1-9][0-9]?|100)$" })),
			],
			answers: {
				200: { description: "A page of it, and all of it summed up.", schema: UsageReport, example: EXAMPLE },
			},
			problems: ["validation-error"],
			handle: (call) => getUsage(deps, call),
		},
	];
}

async function getUsage({ sql, clock }: UsageDeps, call: Call): Promise<Response> {
	const { limit = LIMIT_DEFAULT, after, ...asked } = readQuery(call);
	const filter = readFilter(asked, toLocalIsoDate(clock.now()), after);
	const { from, to } = filter;
	const of = usageOf(call);
	const rows = of
		? await retryOnFailure(() =>
				selectUsage(sql, of, filter, {
					after: after === undefined ? undefined : toPlace(after),
					limit: Number(limit) + 1,
				}),
			)
		: [];
	const totals = of ? await retryOnFailure(() => sumUsage(sql, of, filter)) : newTally();
	const page = rows.slice(0, Number(limit));
	const last = page.at(-1);
	const partial = rows.length > page.length;
	const report: UsageReport = {
		...{ from, to, items: page.map(toItem), count: page.length, partial },
		...{ next: partial && last ? toCursor(last) : null, totals: toCounts(totals) },
	};
	return json(200, report, NO_STORE);
}

/** Undefined for the demo key alone: nothing belongs to it. */
function usageOf({ principal }: Call): UsageOf | undefined {
	const { ownerId = null, tenantId } = principal ?? {};
	if (ownerId !== null) return { ownerId };
	return tenantId === undefined ? undefined : { tenantId };
}

function readFilter(
	asked: Readonly<Record<string, string | undefined>>,
	today: string,
	after: string | undefined,
): UsageFilter {
	const { to = today, key, operation } = asked;
	const { from = `${to.slice(0, 8)}01` } = asked;
	const faults: Fault[] = [];
	const fault = (name: string, code: string, detail: string) =>
		faults.push({ pointer: `#/query/${name}`, code, detail });
	const areDays = isIsoDate(from) && isIsoDate(to);
	if (asked.from !== undefined && !isIsoDate(from)) fault("from", "invalid-date", "Send YYYY-MM-DD.");
	if (!isIsoDate(to)) fault("to", "invalid-date", "Send YYYY-MM-DD.");
	if (areDays && from > to) fault("from", "after-end", "Is after `to`.");
	if (areDays && daysBetween(from, to) >= DAYS_MAX) fault("from", "too-long", `Ask for ${DAYS_MAX} days at most.`);
	if (key !== undefined && !isId(key)) fault("key", "invalid-id", "Is not the id of a key.");
	if (after !== undefined && !toPlace(after)) fault("after", "invalid-cursor", "Send `next` of an answer.");
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return { from, to, keyId: key, operation };
}

function toCursor({ day, keyId, operation }: UsagePlace): string {
	return Buffer.from(`${day} ${keyId} ${operation}`).toString("base64url");
}

function toPlace(cursor: string): UsagePlace | undefined {
	const [day = "", keyId = "", operation = "", ...more] = Buffer.from(cursor, "base64url").toString().split(" ");
	const isPlace = isIsoDate(day) && (isId(keyId) || keyId === NO_ID) && /^[A-Za-z]{1,60}$/.test(operation);
	return isPlace && more.length === 0 ? { day, keyId, operation } : undefined;
}

function toItem(row: UsageRow): UsageItem {
	const { day: date, keyId, operation } = row;
	return { date, keyId: keyId === NO_ID ? null : keyId, operation, ...toCounts(row) };
}

function toCounts({ succeeded, unmodified, refused, limited, failed, items }: Tally) {
	const billed = succeeded + unmodified + refused;
	const answers = { "2xx": succeeded, "304": unmodified, "4xx": refused, "429": limited, "5xx": failed };
	return { requests: billed + limited + failed, billed, answers, items };
}

const EXAMPLE_COUNTS = toCounts({ succeeded: 9_120, unmodified: 410, refused: 33, limited: 2, failed: 0, items: 0 });
const EXAMPLE: UsageReport = {
	...{ from: "2026-11-01", to: "2026-11-20" },
	items: [
		{
			date: "2026-11-20",
			keyId: "0192f0c0-7a00-7b11-9c22-334455667788",
			operation: "getDocument",
			...EXAMPLE_COUNTS,
		},
	],
	...{ count: 1, partial: false, next: null, totals: EXAMPLE_COUNTS },
};
