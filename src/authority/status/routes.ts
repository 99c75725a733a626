/** The operation that shows a tenant the state of the authority and the load of its own documents, and the record of that state. */
import { createHash } from "node:crypto";
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { retryOnFailure, type Sql } from "../../platform/database";
import {
	type Call,
	headerParameter,
	json,
	matchesEtag,
	NEEDS_BOTH,
	NEEDS_OPERATOR,
	type Operation,
	PRIVATE_NO_STORE,
	tenantOf,
} from "../../platform/operation";
import { Problem } from "../../platform/problem";
import type { Clock, Environment } from "../../platform/values";
import { AUTHORITY_ENVIRONMENTS } from "../client";
import { type AuthorityStatus, type CurrentService, type CurrentStatus, STEP_SECONDS, toHistory } from "./read-status";
import { ownAuthorityOf, STATUSES } from "./status";
import { findEnvironmentOf } from "./store";

export type AuthorityStatusDeps = {
	readonly sql: Sql;
	readonly environment: Environment;
	readonly authorityStatus: AuthorityStatus;
	readonly clock: Clock;
	/**
	 * The load of the caller's own documents.
	 * Gap: the specification shows queue and latency without an owner. They are the caller's, since the totals would reveal other tenants' load.
	 */
	readonly measureTenantLoad: (tenantId: string) => Promise<TenantLoad>;
};

export const TAG = "Operational status";
const CACHE = "private, max-age=1";

export function authorityStatusOperations(deps: AuthorityStatusDeps): Operation[] {
	return [
		{
			id: "getAuthorityStatus",
			sdk: "authority.getStatus",
			method: "GET",
			path: "/v1/authority/status",
			tag: TAG,
			summary: "Get the current state of the authority",
			description:
				"The state of the authority's environment in which your company issues. It is judged from this service's calls, the " +
				"authority's declarations and the breaker, and is up to date within seconds. The event `authority.status_changed` reports " +
				"changes of `status`. `/status` shows the same publicly, without your numbers.",
			credentials: NEEDS_BOTH,
			scope: "invoices:read",
			parameters: [
				headerParameter(
					"If-None-Match",
					"The ETag of the answer that you have. The answer is 304 while it is current.",
				),
			],
			answers: {
				200: {
					description: "The state.",
					schema: AuthorityStatusRecord,
					example: STATUS_EXAMPLE,
					headers: { ETag: "Hash of the content.", "Cache-Control": "`private, max-age=1`." },
				},
				304: { description: "Your copy is current." },
			},
			problems: ["tenant-config-missing"],
			handle: (call) => getStatus(deps, call),
		},
		{
			// Gap: the operators' page needs it, and `/status` has no JSON for a session.
			id: "getOperatorAuthority",
			sdk: null,
			...{ method: "GET", path: "/v1/operator/authority", tag: "Operator", summary: "Read the authority's state" },
			description: "The same as `/status` shows.",
			...{ credentials: NEEDS_OPERATOR, scope: "admin" },
			answers: { 200: { description: "The state.", schema: PublicAuthorityStatus } },
			problems: [],
			handle: async () => json(200, await readPublic(deps), PRIVATE_NO_STORE),
		},
	];
}

async function readPublic({
	authorityStatus,
	environment,
	clock,
}: AuthorityStatusDeps): Promise<PublicAuthorityStatus> {
	const authority = ownAuthorityOf(environment);
	const [seen, past] = await Promise.all([
		retryOnFailure(() => authorityStatus.read(authority)),
		retryOnFailure(() => authorityStatus.readPast(authority)),
	]);
	const { from, services } = toHistory(past, seen, clock.now());
	const shown = services.map(({ name, states }) => ({ name, states: [...states] }));
	return {
		...toPublicRecord(seen, environment),
		history: { from: from.toISOString(), stepSeconds: STEP_SECONDS, services: shown },
	};
}

async function getStatus(deps: AuthorityStatusDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const name = await retryOnFailure(() => findEnvironmentOf(deps.sql, tenantId));
	const environment = AUTHORITY_ENVIRONMENTS.find((one) => one === name);
	if (!environment) throw new Problem("tenant-config-missing", { extensions: { missing: ["company"] } });
	const [seen, load] = await Promise.all([
		retryOnFailure(() => deps.authorityStatus.read(environment)),
		retryOnFailure(() => deps.measureTenantLoad(tenantId)),
	]);
	const record = toStatusRecord(seen, deps.environment, load);
	const etag = `"${createHash("sha256").update(JSON.stringify(record)).digest("base64url").slice(0, 22)}"`;
	const headers = { etag, "cache-control": CACHE };
	if (matchesEtag(call.request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
	return json(200, record, headers);
}

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const StatusWord = Type.Union(
	STATUSES.map((status) => Type.Literal(status)),
	{
		description:
			"`maintenance`: unavailable as announced by the authority. `unknown`: there were no calls, or no answers.",
	},
);

const ServiceRecord = Type.Object(
	{
		name: Type.String({ description: "`authentication`, `reception`, `result`, `summary-reception` and others." }),
		status: StatusWord,
		since: Type.String({ description: "RFC 3339, UTC." }),
		p50Ms: Type.Optional(
			Type.Integer({
				description:
					"Median latency of the answered calls of the last five minutes, in milliseconds. Absent without calls.",
			}),
		),
		p99Ms: Type.Optional(Type.Integer()),
		errorRate: Type.Optional(
			Type.Number({ description: "Share of failed calls in the last five minutes; absent if none failed." }),
		),
		declared: Type.Optional(
			Type.String({ description: "The authority's own word for the state, if it declares one." }),
		),
	},
	{ $id: "AuthorityServiceStatus" },
);

const DECLARED = Type.Object({
	status: Type.String({
		description: "`Disponible`, `No Disponible`, or `unknown` if the authority declares nothing.",
	}),
	checkedAt: Nullable(
		Type.String({ description: "When the authority was last queried; null before the first query." }),
	),
});

const WINDOW = Type.Object({ from: Type.String(), to: Type.String(), source: Type.Literal("authority") });

const shared = {
	environment: Type.String({ description: "This service's environment." }),
	authorityEnvironment: Type.String({
		description: "The authority's environment: `test`, `certification` or `production`.",
	}),
	status: StatusWord,
	since: Type.String({ description: "RFC 3339, UTC." }),
	breaker: Type.String({
		description: "`open`: several submissions in a row failed. Companies whose `outagePolicy` is `reject` are refused.",
	}),
	services: Type.Array(ServiceRecord),
	declared: DECLARED,
	maintenanceWindows: Type.Array(WINDOW, { description: "Current and future maintenance windows, as announced." }),
};
const last = {
	contingency: Type.Boolean({
		description:
			"True while documents issued now cannot be expected to reach the authority. They are printed with the contingency legend.",
	}),
	updatedAt: Nullable(Type.String({ description: "When the state was last confirmed; null if it was never watched." })),
};

/** Public data, with nothing about tenants. */
export const PublicAuthorityStatus = Type.Object(
	{
		...shared,
		...last,
		history: Type.Object(
			{
				from: Type.String(),
				stepSeconds: Type.Integer(),
				services: Type.Array(Type.Object({ name: Type.String(), states: Type.Array(StatusWord) })),
			},
			{
				description:
					"The last 24 hours in equal steps, each with its worst state; `overall` covers all services together.",
			},
		),
	},
	{ $id: "PublicAuthorityStatus" },
);
export type PublicAuthorityStatus = Static<typeof PublicAuthorityStatus>;

export const AuthorityStatusRecord = Type.Object(
	{
		...shared,
		queue: Type.Object(
			{ pending: Type.Integer(), oldestSeconds: Type.Integer() },
			{ description: "Your documents without a verdict." },
		),
		verdictLatency: Type.Object(
			{ p50Seconds: Nullable(Type.Number()), p99Seconds: Nullable(Type.Number()) },
			{
				description:
					"From acknowledgement to verdict, for at most the newest 1,000 of your documents of the last hour; null if there are none.",
			},
		),
		...last,
	},
	{ $id: "AuthorityStatus" },
);
export type AuthorityStatusRecord = Static<typeof AuthorityStatusRecord>;

export type TenantLoad = Pick<AuthorityStatusRecord, "queue" | "verdictLatency">;

/** The public record, with nothing about tenants. */
export function toPublicRecord(seen: CurrentStatus, environment: Environment): Omit<PublicAuthorityStatus, "history"> {
	const { status, since, breaker, declared, windows, contingency, updatedAt } = seen;
	return {
		environment,
		authorityEnvironment: seen.authorityEnvironment,
		status,
		since: since.toISOString(),
		breaker,
		services: seen.services.map((one) => toServiceRecord(one, declared.services?.[one.name])),
		declared: { status: declared.status ?? "unknown", checkedAt: declared.checkedAt ?? null },
		maintenanceWindows: windows.map(({ from, to }) => ({ from, to, source: "authority" as const })),
		contingency,
		updatedAt: updatedAt?.toISOString() ?? null,
	};
}

export function toStatusRecord(seen: CurrentStatus, environment: Environment, load: TenantLoad): AuthorityStatusRecord {
	const { contingency, updatedAt, ...rest } = toPublicRecord(seen, environment);
	return { ...rest, ...load, contingency, updatedAt };
}

function toServiceRecord(
	{ name, status, since, p50Ms, p99Ms, errorRate }: CurrentService,
	declared: string | undefined,
) {
	return {
		...{ name, status },
		since: since.toISOString(),
		...(p50Ms === null ? {} : { p50Ms }),
		...(p99Ms === null ? {} : { p99Ms }),
		...(errorRate === null || errorRate === 0 ? {} : { errorRate }),
		...(declared === undefined ? {} : { declared }),
	};
}

export const STATUS_EXAMPLE: AuthorityStatusRecord = {
	environment: "production",
	authorityEnvironment: "production",
	status: "degraded",
	since: "2026-11-20T14:18:00.000Z",
	breaker: "half-open",
	services: [
		{ name: "authentication", status: "operational", since: "2026-11-20T09:00:00.000Z", p50Ms: 120, p99Ms: 900 },
		{
			...{ name: "reception", status: "degraded", since: "2026-11-20T14:18:00.000Z" },
			...{ p50Ms: 800, p99Ms: 9000, errorRate: 0.21 },
		},
		{ name: "result", status: "operational", since: "2026-11-20T09:00:00.000Z", p50Ms: 190, p99Ms: 700 },
	],
	declared: { status: "Disponible", checkedAt: "2026-11-20T14:19:00.000Z" },
	maintenanceWindows: [{ from: "2026-11-22T17:00:00.000Z", to: "2026-11-22T20:00:00.000Z", source: "authority" }],
	queue: { pending: 412, oldestSeconds: 95 },
	verdictLatency: { p50Seconds: 0.9, p99Seconds: 41 },
	contingency: true,
	updatedAt: "2026-11-20T14:20:00.000Z",
};
