/** SQL on test sets and their cases. A change of a set needs the lock of its row. */

import { ECF_TYPES } from "../../ecf/mapping";
import type { Sql, Tx } from "../../platform/database";
import type { Environment } from "../../platform/values";
import type { TestDocument } from "../invoices";
import { ACTIVE, type CaseStatus, type TestSetStatus } from "./machine";
import type { CaseFile, CaseRow, Failure, TestSetRow } from "./test-set";

const DAYS_MAX = 7;

const setColumns = (sql: Sql | Tx) => sql`
	id, tenant_id as "tenantId", environment, mode, status, types, niche, start_number::float8 as "startNumber", buyer, run,
	runs_max as "runsMax", failure, version, created_at as "createdAt", started_at as "startedAt", completed_at as "completedAt",
	expires_at as "expiresAt"`;

const caseColumns = (sql: Sql | Tx) => sql`
	ordinal, name, type, encf, depends_on as "dependsOn", doc_id as "docId", is_rehearsed as "isRehearsed", status, sent_at as "sentAt",
	authority`;

export type NewTestSet = Pick<
	TestSetRow,
	"id" | "tenantId" | "environment" | "mode" | "types" | "niche" | "startNumber" | "buyer" | "runsMax"
>;

type SetKey = Pick<TestSetRow, "tenantId" | "id">;
type RunKey = Pick<TestSetRow, "tenantId" | "id" | "run">;

/** Returns false if the company has an active set. */
export async function insertSet(tx: Tx, set: NewTestSet): Promise<boolean> {
	const rows = await tx`
		insert into test_sets (id, tenant_id, environment, mode, types, niche, start_number, buyer, runs_max, expires_at)
		values (${set.id}, ${set.tenantId}, ${set.environment}, ${set.mode}, ${tx.json([...set.types])}, ${set.niche},
			${set.startNumber}, ${tx.json({ ...set.buyer })}, ${set.runsMax}, now() + make_interval(days => ${DAYS_MAX}))
		on conflict (tenant_id, environment) where status in ('pending', 'generating', 'submitting', 'validating') do nothing
		returning id`;
	return rows.length === 1;
}

/** A set of a tenant. Another tenant's is as absent as one that never existed. */
export async function findSet(sql: Sql | Tx, tenantId: string, id: string): Promise<TestSetRow | undefined> {
	const [row] = await sql<TestSetRow[]>`
		select ${setColumns(sql)} from test_sets where tenant_id = ${tenantId} and id = ${id}`;
	return row;
}

/** The same, locked until the transaction ends. */
export async function lockSet(tx: Tx, tenantId: string, id: string): Promise<TestSetRow | undefined> {
	const [row] = await tx<TestSetRow[]>`
		select ${setColumns(tx)} from test_sets where tenant_id = ${tenantId} and id = ${id} for update`;
	return row;
}

export async function findActiveId(
	sql: Sql | Tx,
	tenantId: string,
	environment: Environment,
): Promise<string | undefined> {
	const [row] = await sql<{ id: string }[]>`
		select id from test_sets
		where tenant_id = ${tenantId} and environment = ${environment} and status in ${sql([...ACTIVE])}`;
	return row?.id;
}

/** A tenant's sets, newest first, after a cursor. One more than `limit` means that there are more. */
export async function findSets(
	sql: Sql,
	tenantId: string,
	{
		after,
		status,
		limit,
	}: { readonly after?: string | undefined; readonly status?: string | undefined; readonly limit: number },
): Promise<TestSetRow[]> {
	return sql<TestSetRow[]>`
		select ${setColumns(sql)} from test_sets
		where tenant_id = ${tenantId} ${after === undefined ? sql`` : sql`and id < ${after}`}
			${status === undefined ? sql`` : sql`and status = ${status}`}
		order by id desc limit ${limit + 1}`;
}

/** Whether the company has passed a full set with the authority. Reduced sets and rehearsals do not count. */
export async function hasPassedTestSet(sql: Sql | Tx, tenantId: string, environment: Environment): Promise<boolean> {
	const rows = await sql`
		select 1 from test_sets
		where tenant_id = ${tenantId} and environment = ${environment} and mode = 'authority' and status = 'passed'
			and types::jsonb @> ${JSON.stringify(ECF_TYPES)}::text::jsonb limit 1`;
	return rows.length === 1;
}

/** Changes the state of a set. A retry restarts its seven days. */
export async function moveSet(
	tx: Tx,
	{ tenantId, id }: SetKey,
	to: { readonly status: TestSetStatus; readonly run: number },
	options: { readonly failure?: Failure | null; readonly isNewRun?: boolean; readonly isFinal?: boolean } = {},
): Promise<void> {
	const { failure = null, isNewRun = false, isFinal = false } = options;
	await tx`
		update test_sets set status = ${to.status}, run = ${to.run}, failure = ${failure && tx.json({ ...failure, fix: [...failure.fix], advice: [...failure.advice] })},
			started_at = coalesce(started_at, now()), completed_at = ${isFinal ? tx`now()` : null}, version = version + 1,
			expires_at = ${isNewRun ? tx`now() + make_interval(days => ${DAYS_MAX})` : tx`expires_at`}
		where tenant_id = ${tenantId} and id = ${id}`;
}

export async function noteProgress(tx: Tx, { tenantId, id }: SetKey): Promise<void> {
	await tx`update test_sets set version = version + 1 where tenant_id = ${tenantId} and id = ${id}`;
}

export async function ageTestSets(tx: Tx, tenantId: string, seconds: number): Promise<void> {
	await tx`
		update test_sets set expires_at = expires_at - make_interval(secs => ${seconds}), version = version + 1
		where tenant_id = ${tenantId} and status in ${tx([...ACTIVE])}`;
}

export type NewCase = Omit<CaseRow, "status" | "sentAt" | "authority"> & {
	readonly document: TestDocument;
};

/** Inserts all cases of a run. Violates constraint `test_set_cases_encf` if a set has used one of the numbers. */
export async function insertCases(tx: Tx, set: RunKey, cases: readonly NewCase[]): Promise<void> {
	await tx`
		insert into test_set_cases ${tx(
			cases.map((one) => ({
				...{
					set_id: set.id,
					run: set.run,
					ordinal: one.ordinal,
					tenant_id: set.tenantId,
					name: one.name,
					type: one.type,
				},
				...{ encf: one.encf, depends_on: one.dependsOn, doc_id: one.docId, is_rehearsed: one.isRehearsed },
				document: JSON.stringify(one.document),
			})),
		)}`;
}

/** The cases of a run, without their documents. */
export async function findCases(sql: Sql | Tx, { tenantId, id, run }: RunKey): Promise<CaseRow[]> {
	return sql<CaseRow[]>`
		select ${caseColumns(sql)} from test_set_cases
		where tenant_id = ${tenantId} and set_id = ${id} and run = ${run} order by ordinal`;
}

export async function findCasesOf(
	sql: Sql,
	tenantId: string,
	setIds: readonly string[],
): Promise<(CaseRow & { readonly setId: string })[]> {
	return sql<(CaseRow & { setId: string })[]>`
		select c.set_id as "setId", c.ordinal, c.name, c.type, c.encf, c.depends_on as "dependsOn", c.doc_id as "docId",
			c.is_rehearsed as "isRehearsed", c.status, c.sent_at as "sentAt", c.authority
		from test_set_cases c join test_sets s on s.tenant_id = c.tenant_id and s.id = c.set_id and s.run = c.run
		where c.tenant_id = ${tenantId} and c.set_id = any(${[...setIds]}::uuid[])`;
}

export async function findCaseFile(
	sql: Sql | Tx,
	{ tenantId, id, run }: RunKey,
	name: string,
): Promise<CaseFile | undefined> {
	const [row] = await sql<(Omit<CaseFile, "document"> & { document: string })[]>`
		select run, ${caseColumns(sql)}, document, answers from test_set_cases
		where tenant_id = ${tenantId} and set_id = ${id} and run = ${run} and name = ${name}`;
	return row && { ...row, document: JSON.parse(row.document) as TestDocument };
}

/** The cases of a run, or of all runs, with their documents. */
export async function findCaseFiles(
	sql: Sql | Tx,
	{ tenantId, id, run }: SetKey & { readonly run?: number },
): Promise<CaseFile[]> {
	const rows = await sql<(Omit<CaseFile, "document"> & { document: string })[]>`
		select run, ${caseColumns(sql)}, document, answers from test_set_cases
		where tenant_id = ${tenantId} and set_id = ${id} ${run === undefined ? sql`` : sql`and run = ${run}`} order by run, ordinal`;
	return rows.map(({ document, ...row }) => ({ ...row, document: JSON.parse(document) as TestDocument }));
}

export type CaseChange = {
	readonly ordinal: number;
	readonly status: CaseStatus;
	readonly authority: Readonly<Record<string, unknown>> | null;
	readonly answers?: CaseFile["answers"];
};

export async function changeCase(tx: Tx, set: RunKey, change: CaseChange): Promise<void> {
	const { ordinal, status, authority, answers } = change;
	await tx`
		update test_set_cases set status = ${status}, sent_at = coalesce(sent_at, now()),
			authority = ${authority && JSON.stringify(authority)}::text::json,
			answers = coalesce(${answers === undefined ? null : JSON.stringify(answers)}::text::json, answers)
		where tenant_id = ${set.tenantId} and set_id = ${set.id} and run = ${set.run} and ordinal = ${ordinal}`;
}

export async function withdrawCases(tx: Tx, set: RunKey): Promise<void> {
	await tx`
		update test_set_cases set status = 'withdrawn'
		where tenant_id = ${set.tenantId} and set_id = ${set.id} and run = ${set.run} and status = 'generated'`;
}

/** The highest number that the tenant's sets have used, of any type. */
export async function findHighestNumber(sql: Sql | Tx, tenantId: string): Promise<number> {
	const [row] = await sql<{ highest: number }[]>`
		select coalesce(max(substr(encf, 4)::bigint), 0)::float8 as highest from test_set_cases
		where tenant_id = ${tenantId} and not is_rehearsed`;
	return row?.highest ?? 0;
}

/** Whether sets of the tenant have used one of these numbers. */
export async function areNumbersSpent(sql: Sql | Tx, tenantId: string, encfs: readonly string[]): Promise<boolean> {
	const rows = await sql`
		select 1 from test_set_cases
		where tenant_id = ${tenantId} and encf = any(${[...encfs]}::text[]) and not is_rehearsed limit 1`;
	return rows.length === 1;
}
