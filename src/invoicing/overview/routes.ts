/** The operation that shows how a company's invoicing stands. */
import type { AuthorityStatus } from "../../authority/status";
import { configMissing, findCompany, findEnding } from "../../companies";
import { listEndpoints } from "../../events/endpoints";
import { countUndelivered } from "../../events/webhooks";
import { retryOnFailure, type Sql } from "../../platform/database";
import {
	type Call,
	json,
	NEEDS_BOTH,
	type Operation,
	PERIOD_DAYS_MAX,
	PRIVATE_NO_STORE,
	periodParameters,
	readQuery,
	type Scope,
	tenantOf,
} from "../../platform/operation";
import { chooseLanguage } from "../../platform/problem";
import { type Clock, toLocalIsoDate } from "../../platform/values";
import { findFailed, findRejected, measureQueue, measureWaiting } from "../invoices";
import { measurePrepared } from "../prepared";
import { findGroups } from "../reports";
import { readSequences } from "../sequences";
import { addDays, Overview, toOverview } from "./overview";

export type OverviewDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly authorityStatus: Pick<AuthorityStatus, "read" | "readPast">;
};

const DAYS_DEFAULT = 30;
const REJECTED_DAYS = 30;
const CERTIFICATE_DAYS = 60;
const OVERDUE_SECONDS = 600;
const DAY_MS = 86_400_000;
/** More than days times types times statuses. */
const GROUPS_MAX = 10_000;
const DIMENSIONS = ["day", "type", "status"] as const;

export function overviewOperations(deps: OverviewDeps): Operation[] {
	return [
		{
			id: "getOverview",
			sdk: "reports.getOverview",
			method: "GET",
			path: "/v1/overview",
			tag: "Reports",
			summary: "Read how the company's invoicing stands",
			description:
				"What needs a person, and the figures of some days, in one answer: refused and overdue documents, prepared invoices, the ending certificate, sums, a day's documents, the " +
				"authority's state, the webhooks and the forecasts of sequences. Explanations are in the language of `Accept-Language`.",
			credentials: NEEDS_BOTH,
			scope: "invoices:read",
			parameters: periodParameters(
				deps.clock,
				`First issue date, YYYY-MM-DD. Default: ${DAYS_DEFAULT - 1} days before \`to\`.`,
				`Last issue date, YYYY-MM-DD. Default: today (UTC-4). At most ${PERIOD_DAYS_MAX} days.`,
			),
			answers: { 200: { description: "The overview.", schema: Overview, example: EXAMPLE } },
			problems: ["validation-error", "tenant-config-missing"],
			handle: (call) => getOverview(deps, call),
		},
	];
}

async function getOverview({ sql, clock, authorityStatus }: OverviewDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const now = clock.now();
	const today = toLocalIsoDate(now);
	const { to = today, from = addDays(to, 1 - DAYS_DEFAULT) } = readQuery(call);
	const may = <T>(scope: Scope, read: () => Promise<T>) =>
		call.principal?.scopes.has(scope) ? read() : Promise.resolve(undefined);
	return retryOnFailure(async () => {
		const company = await findCompany(sql, tenantId);
		if (!company) throw configMissing(tenantId, ["company"]);
		const { authorityEnvironment } = company;
		const books = { tenantId, environment: authorityEnvironment };
		const groupsOf = (period: { from: string; to: string }) =>
			findGroups(sql, books, period, { dimensions: DIMENSIONS }, { limit: GROUPS_MAX });
		const isWithin = from <= today && today <= to;
		const before = new Date(Date.parse(today) + DAY_MS / 6);
		const [groups, others, queue, waiting, prepared, rejected, failed, status, past, certificate, hooks, sequences] =
			await Promise.all([
				groupsOf({ from, to }),
				isWithin ? [] : groupsOf({ from: today, to: today }),
				measureQueue(sql, tenantId),
				measureWaiting(sql, tenantId, { overdueSeconds: OVERDUE_SECONDS, before }),
				measurePrepared(sql, tenantId),
				findRejected(sql, tenantId, now, REJECTED_DAYS),
				findFailed(sql, tenantId),
				authorityStatus.read(authorityEnvironment),
				authorityStatus.readPast(authorityEnvironment),
				may("company:read", () => findEnding(sql, tenantId, now, CERTIFICATE_DAYS)),
				may("webhooks:read", () => readWebhooks(sql, tenantId)),
				may("sequences:read", () => readSequences(sql, tenantId, now)),
			]);
		const language = chooseLanguage(call.request.headers.get("accept-language"));
		const overview = toOverview({
			...{ period: { from, to }, now, today, authorityEnvironment, language, groups, queue, waiting, prepared },
			todays: isWithin ? groups.filter(({ day }) => day === today) : others,
			...{ rejected, failed, status, past, certificate, sequences },
			...{ endpoints: hooks?.endpoints, undelivered: hooks?.undelivered ?? [] },
		});
		return json(200, overview, { ...PRIVATE_NO_STORE, "content-language": language, vary: "Accept-Language" });
	});
}

async function readWebhooks(sql: Sql, tenantId: string) {
	const endpoints = await listEndpoints(sql, tenantId);
	const undelivered = await countUndelivered(
		sql,
		tenantId,
		endpoints.map(({ id }) => id),
	);
	return { endpoints, undelivered };
}

const EXAMPLE: Overview = {
	...{ from: "2026-11-19", to: "2026-11-20", authorityEnvironment: "production", asOf: "2026-11-20T14:30:00.000Z" },
	tasks: {
		rejected: {
			count: 1,
			items: [
				{
					...{ docId: "0192f110-7a00-7b11-9c22-334455667788", encf: "E310000000090", type: "31", code: "613" },
					title: "The modified document does not exist",
					cause: "The authority has no accepted document under the number.",
					fix: "Name the number of an accepted document.",
					...{ retryable: false, customer: { rnc: "990000002", name: "CLIENTE SRL" } },
					...{ grand_total: "8591.58", currency: "DOP", at: "2026-11-20T14:20:00.905Z" },
				},
			],
		},
		failed: { count: 0, items: [] },
		pending: { count: 0, since: null },
		prepared: { count: 0, expiresAt: null },
		certificate: null,
	},
	cards: {
		...{ issuedToday: 42, acceptanceRate: 0.9967 },
		sales: { count: 301, subtotal: "1520300.00", tax: "273654.00", grand_total: "1793954.00" },
		purchases: { count: 0, subtotal: "0.00", tax: "0.00", grand_total: "0.00" },
		pending: { count: 2, oldestSeconds: 1 },
	},
	days: [
		{ day: "2026-11-19", accepted: 262, rejected: 0, failed: 0, sales: "1560120.00" },
		{ day: "2026-11-20", accepted: 39, rejected: 1, failed: 0, sales: "233834.00" },
	],
	authority: {
		...{ status: "operational", since: "2026-11-20T09:00:00.000Z", contingency: false },
		...{ historyFrom: "2026-11-19T14:45:00.000Z", stepSeconds: 900, states: ["operational"] },
	},
	webhooks: [
		{
			...{ webhookId: "0192f0a2-7a00-7b11-9c22-334455667788", url: "https://erp.elprogreso.do/hooks/ecf" },
			...{ description: "ERP", status: "enabled", dead: 0, failed: 0, failing: false },
		},
	],
	sequences: [
		{
			...{ type: "31", available: 4_750, perDay: 505, exhaustedOn: "2026-11-29", expiresAt: "2027-12-31" },
			ending: true,
		},
	],
};
