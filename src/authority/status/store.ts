/** SQL for the counts of calls, the judged states, and their changes. */
import { type Sql, type Tx, toJsonText } from "../../platform/database";
import { servicesOf } from "./breaker-store";
import type { CallRow } from "./measured";
import { type Breaker, type Condition, type Declared, type Status, toStatus, type Window } from "./status";

/** Counts of this process, with instants as ages. */
export type CallCount = Omit<CallRow, "process" | "lastOkAt" | "lastFailureAt"> & {
	readonly okAgeSeconds: number | null;
	readonly failureAgeSeconds: number | null;
};

/**
 * Writes totals to rows that only this process writes, so writing them again changes nothing. The commit does not wait for the disk: a crash
 * loses seconds.
 */
export async function writeCallCounts(sql: Sql, process: string, counts: readonly CallCount[]): Promise<void> {
	const rows = counts.map(({ latencies, minute, ...rest }) => ({
		...rest,
		minute: minute.toISOString(),
		latencies: `{${latencies.join(",")}}`,
	}));
	await sql`
		with written as (
			insert into authority_calls (
				segment, minute, service, process, calls, failures, latencies, ok_in_row, failures_in_row, last_ok_at, last_failure_at
			)
			select segment, minute, service, ${process}::uuid, calls, failures, latencies::int[], "okInRow", "failuresInRow",
				now() - make_interval(secs => "okAgeSeconds"), now() - make_interval(secs => "failureAgeSeconds")
			from json_to_recordset(${toJsonText(rows)}::text::json) as c(
				segment text, minute timestamptz, service text, calls int, failures int, latencies text, "okInRow" int, "failuresInRow" int,
				"okAgeSeconds" float8, "failureAgeSeconds" float8
			)
			on conflict (segment, minute, service, process) do update set calls = excluded.calls, failures = excluded.failures,
				latencies = excluded.latencies, ok_in_row = excluded.ok_in_row, failures_in_row = excluded.failures_in_row,
				last_ok_at = excluded.last_ok_at, last_failure_at = excluded.last_failure_at
			returning 1
		)
		select count(*), set_config('synchronous_commit', 'off', true) from written`;
}

export async function findCallCounts(sql: Sql | Tx, segments: readonly string[], minutes: number): Promise<CallRow[]> {
	return sql<CallRow[]>`
		select segment, service, process, minute, calls, failures, latencies, ok_in_row as "okInRow",
			failures_in_row as "failuresInRow", last_ok_at as "lastOkAt", last_failure_at as "lastFailureAt"
		from authority_calls
		where segment = any(${[...segments]}::text[]) and minute > now() - make_interval(mins => ${minutes + 1})`;
}

export type StatusRow = Condition & {
	readonly segment: string;
	/** The last known status; null before the first. */
	readonly reportedStatus: Status | null;
	readonly declared: Declared;
	readonly windows: readonly Window[];
	readonly probedAt: Date;
	readonly declaredQueriedAt: Date;
	readonly judgedAt: Date;
	/** By the database's clock, like all instants here. */
	readonly now: Date;
	readonly breaker: Breaker;
	/** Of the channel of all documents except summaries. */
	readonly mainBreaker: Breaker;
};

/** A breaker that has not been retried for this long says nothing about the present. */
const HALF_OPEN_MAX_SECONDS = 60;

export async function findStatusRows(sql: Sql | Tx, segments: readonly string[]): Promise<StatusRow[]> {
	const breaker = (channel: string) => sql`
		case
			when b.${sql(channel)} > now() then 'open' when b.${sql(channel)} > now() - make_interval(secs => ${HALF_OPEN_MAX_SECONDS}) then 'half-open'
			else 'closed'
		end`;
	const rows = await sql<
		(Omit<StatusRow, "status" | "reportedStatus"> & { status: string; reportedStatus: string | null })[]
	>`
		select s.segment, s.status, s.since, s.told_status as "reportedStatus", s.contingency, s.services, s.declared, s.windows, s.probed_at as "probedAt",
			s.declared_asked_at as "declaredQueriedAt", s.judged_at as "judgedAt", clock_timestamp() as now,
			${breaker("any_channel")} as breaker, ${breaker("main_channel")} as "mainBreaker"
		from authority_status s left join lateral (
			select max(open_until) as any_channel, max(open_until) filter (where split_part(segment, ' ', 2) = any(${servicesOf("main")}::text[])) as main_channel
			from authority_breaker where split_part(segment, ' ', 1) = s.segment
		) b on true
		where s.segment = any(${[...segments]}::text[])`;
	return rows.map((row) => ({
		...row,
		status: toStatus(row.status),
		reportedStatus: row.reportedStatus === null ? null : toStatus(row.reportedStatus),
		services: row.services.map((one) => ({ ...one, status: toStatus(one.status) })),
	}));
}

export async function addStatusRows(tx: Tx, segments: readonly string[]): Promise<void> {
	await tx`
		insert into authority_status (segment) select unnest(${[...segments]}::text[]) on conflict (segment) do nothing`;
}

export async function writeCondition(tx: Tx, segment: string, c: Condition, now: Date): Promise<void> {
	await tx`
		update authority_status set status = ${c.status}, since = ${c.since}, contingency = ${c.contingency},
			services = ${toJsonText(c.services)}::text::json,
			told_status = coalesce(nullif(${c.status}::text, 'unknown'), told_status), judged_at = ${now}
		where segment = ${segment}`;
}

export type StatusQuery = "life" | "declared";

export async function markQueried(tx: Tx, segment: string, query: StatusQuery, at: Date): Promise<void> {
	await tx`
		update authority_status set ${query === "life" ? tx`probed_at = ${at}` : tx`declared_asked_at = ${at}`}
		where segment = ${segment}`;
}

/** Writes windows if the authority declared any; otherwise the earlier ones stay. */
export async function writeDeclared(
	sql: Sql,
	segment: string,
	declared: Omit<Declared, "checkedAt">,
	windows: readonly Window[] | undefined,
): Promise<void> {
	await sql`
		update authority_status set
			declared = (${toJsonText(declared)}::text::jsonb || jsonb_build_object('checkedAt',
				to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))::json,
			windows = coalesce(${windows === undefined ? null : toJsonText(windows)}::text::json, windows)
		where segment = ${segment}`;
}

export type Change = { readonly service: string; readonly at: Date; readonly status: string };

export async function insertChanges(tx: Tx, segment: string, changes: readonly Change[]): Promise<void> {
	await tx`
		insert into authority_status_changes (segment, service, at, status)
		select ${segment}, service, at, status
		from json_to_recordset(${toJsonText(changes)}::text::json) as c(service text, at timestamptz, status text)
		on conflict (segment, service, at) do update set status = excluded.status`;
}

/** Changes of the last hours, preceded by the last earlier one, by service and time. */
export async function findChanges(sql: Sql, segment: string, hours: number): Promise<Change[]> {
	return sql<Change[]>`
		select c.service, c.at, c.status from authority_status_changes c
		where c.segment = ${segment} and c.at >= coalesce((
			select max(before.at) from authority_status_changes before
			where before.segment = c.segment and before.service = c.service and before.at <= now() - make_interval(hours => ${hours})
		), '-infinity')
		order by c.service, c.at`;
}

/** The authority's environments in which companies issue, by the companies' names for them. */
export async function findEnvironmentsInUse(sql: Sql): Promise<string[]> {
	const rows = await sql<{ name: string }[]>`
		select name from unnest(array['test', 'certification', 'production']) name
		where exists (select 1 from companies c where c.authority_environment = name)`;
	return rows.map((row) => row.name);
}

/** The authority's environment in which a company issues; undefined for a tenant without a company. */
export async function findEnvironmentOf(sql: Sql, tenantId: string): Promise<string | undefined> {
	const [row] = await sql<{ name: string }[]>`
		select authority_environment as name from companies where tenant_id = ${tenantId}`;
	return row?.name;
}

/** Tenants that issue in an environment of the authority and have an endpoint that subscribes to one of the patterns. */
export async function findSubscribedTenants(
	tx: Tx,
	environment: string,
	patterns: readonly string[],
): Promise<string[]> {
	const rows = await tx<{ tenantId: string }[]>`
		select distinct c.tenant_id as "tenantId" from companies c join webhook_endpoints e on e.subject_id = c.tenant_id
		where c.authority_environment = ${environment} and c.status <> 'closed' and e.status = 'enabled' and e.events ?| ${[...patterns]}::text[]`;
	return rows.map((row) => row.tenantId);
}

/** Removes counts and changes that are older than every query needs. */
export async function sweepAuthorityStatus(sql: Sql, keptDays: number): Promise<number> {
	const old = sql`now() - make_interval(days => ${keptDays})`;
	const calls = await sql`delete from authority_calls where minute < ${old}`;
	// The last change before that limit is kept, since it determines how the oldest hour begins.
	const changes = await sql`
		delete from authority_status_changes c where c.at < ${old} and exists (
			select 1 from authority_status_changes later
			where later.segment = c.segment and later.service = c.service and later.at > c.at and later.at < ${old}
		)`;
	return calls.count + changes.count;
}
