/** Reports that are there already become those of the environments in which their documents were issued, while others go on deciding. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Drawn, decideDocuments, drawDocument, storeDocuments } from "../../../scripts/random/decided-documents";
import { verifyReports } from "../../../src/invoicing/reports";
import { connect, migrate, type Sql } from "../../../src/platform/database";
import { createChance } from "../../support/chance";
import { startTestServer } from "../../support/database";
import { addCompany } from "../../support/submission";
import { until } from "../../support/until";

const DIRECTORY = join(import.meta.dir, "../../../src/platform/database/migrations");
const NAME = `report_environments_${process.pid}`;
const BEFORE = 55;
const DAYS = ["2026-01-31", "2026-02-01", "2026-02-02"];

let admin: Sql;
let sql: Sql;
let url: string;
const chance = createChance(56);
const before = mkdtempSync(join(tmpdir(), "sello-migrations-"));

beforeAll(async () => {
	const server = await startTestServer();
	admin = server.admin;
	await admin.unsafe(`create database ${NAME}`);
	url = Object.assign(new URL(server.postgres.url), { pathname: `/${NAME}` }).href;
	sql = connect({ url, name: "test report environments", connectionsMax: 8 });
	for (const file of readdirSync(DIRECTORY).filter((name) => Number.parseInt(name, 10) <= BEFORE))
		cpSync(join(DIRECTORY, file), join(before, file));
	expect(await migrate(sql, { directory: before })).toBe(BEFORE);
}, 120_000);

afterAll(async () => {
	rmSync(before, { recursive: true });
	await sql.end({ timeout: 2 });
	await admin.unsafe(`drop database ${NAME} with (force)`);
});

let number = 0;
const draw = (tenantId: string, segment: "testecf" | "certecf" | "ecf", count: number, days = DAYS): Drawn[] =>
	Array.from({ length: count }, () => drawDocument(chance, [tenantId], days, ++number, segment));

async function addDecided(all: readonly Drawn[]): Promise<void> {
	await storeDocuments(sql, all);
	await decideDocuments(
		sql,
		all.map(({ row: { docId }, fate }) => ({ docId, fate })),
	);
}

const moveTo = (tenantId: string, environment: string) =>
	sql`update companies set authority_environment = ${environment} where tenant_id = ${tenantId}`;

async function issueIn(tenantId: string, segment: "testecf" | "certecf" | "ecf", count: number, days = DAYS) {
	await moveTo(tenantId, { testecf: "test", certecf: "certification", ecf: "production" }[segment]);
	const drawn = draw(tenantId, segment, count, days);
	await addDecided(drawn);
	return drawn;
}

const countDecided = (all: readonly Drawn[]) => all.filter(({ fate }) => fate !== "pending").length;

test("documents count where they were issued, and no verdict is lost", async () => {
	const [steady, moved, tried] = [await addCompany(sql), await addCompany(sql), await addCompany(sql)];
	const expected = {
		steady: { production: countDecided(await issueIn(steady, "ecf", 1_200)) },
		moved: {
			test: countDecided(await issueIn(moved, "testecf", 60)),
			production: countDecided(await issueIn(moved, "ecf", 90, DAYS.slice(1))),
		},
		tried: {
			test: countDecided(await issueIn(tried, "testecf", 30)),
			certification: countDecided(await issueIn(tried, "certecf", 30, DAYS.slice(2))),
		},
	};
	await sql`update report_days set digest = digest_report_day(tenant_id, day)`;
	const daysBefore = await sql`
		select to_char(day, 'YYYY-MM-DD') as day, changes, encode(digest, 'hex') as digest from report_days where tenant_id = ${steady} order by 1`;

	// Production must keep the majority, which the migration leaves untouched: hence the limit of rounds.
	const ROUNDS_MAX = 15;
	// A busy service: some verdicts are under way when the migration comes, and others arrive while it has its locks.
	const busy = await Promise.all(Array.from({ length: 3 }, () => addCompany(sql)));
	let isOver = false;
	const written: Drawn[] = [];
	const writers = busy.map(async (tenantId) => {
		for (let round = 0; round < 5 || (!isOver && round < ROUNDS_MAX); round++) {
			const drawn = draw(tenantId, "testecf", 20);
			await addDecided(drawn);
			written.push(...drawn);
		}
	});
	// One arrives while the migration waits for a session that has the reports: it must not use what it read before.
	await using stack = new AsyncDisposableStack();
	const late = connect({ url, name: "late verdict", connectionsMax: 1 });
	stack.defer(() => late.end({ timeout: 1 }));
	const tenantOfLate = await addCompany(sql);
	const ofLate = draw(tenantOfLate, "testecf", 20);
	await storeDocuments(sql, ofLate);
	const holder = await sql.reserve();
	await holder`begin`;
	await holder`lock table report_documents in row exclusive mode`;
	const migrated = migrate(sql);
	await until(
		async () =>
			(
				await sql`select from pg_locks where relation = 'report_days'::regclass and granted and mode = 'AccessExclusiveLock'`
			).length > 0,
	);
	let isDecided = false;
	const decided = decideDocuments(
		late,
		ofLate.map(({ row: { docId }, fate }) => ({ docId, fate })),
	).finally(() => {
		isDecided = true;
	});
	const isWaiting = () => sql`
		select from pg_stat_activity where application_name like '%late verdict%' and wait_event_type = 'Lock'`;
	await until(async () => isDecided || (await isWaiting()).length > 0);
	await holder`commit`;
	holder.release();
	await Promise.all([migrated, decided]);
	isOver = true;
	await Promise.all(writers);

	const rows = await sql<{ tenantId: string; environment: string; count: number }[]>`
		select tenant_id as "tenantId", authority_environment as environment, sum(count)::int as count
		from report_sums group by 1, 2`;
	const countsOf = (tenantId: string) =>
		Object.fromEntries(rows.filter((row) => row.tenantId === tenantId).map((row) => [row.environment, row.count]));
	expect({ steady: countsOf(steady), moved: countsOf(moved), tried: countsOf(tried) }).toEqual(expected);
	const ofBusy = rows.filter((row) => busy.includes(row.tenantId));
	expect(new Set(ofBusy.map((row) => row.environment))).toEqual(new Set(["test"]));
	expect(ofBusy.reduce((sum, row) => sum + row.count, 0)).toBe(countDecided(written));
	expect(countsOf(tenantOfLate)).toEqual({ test: countDecided(ofLate) });
	expect((await verifyReports(sql)).drift).toEqual([]);
	expect(
		await sql`
			select to_char(day, 'YYYY-MM-DD') as day, changes, encode(digest, 'hex') as digest from report_days where tenant_id = ${steady} order by 1`,
	).toEqual(daysBefore);

	// What a process of the version before asks: the digest of a day of one environment, and of others none, which it then leaves alone.
	const [asked] = await sql`
		select count(*) filter (where digest_report_day(tenant_id, day) <> digest_report_day(tenant_id, authority_environment, day))::int as wrong,
			count(*) filter (where tenant_id = ${moved} and digest_report_day(tenant_id, day) is null)::int as none
		from report_days`;
	expect(asked).toEqual({ wrong: 0, none: 4 });

	// One of them that was working out a day's digest when the first verdict of another environment came: what it keeps is that of the day as it was.
	const [day = ""] = DAYS;
	const [one] = await sql<{ changes: number }[]>`
		update report_days set digest = null where tenant_id = ${steady} and day = ${day}::date returning changes`;
	await issueIn(steady, "testecf", 20, [day]);
	const kept = await sql<{ environment: string }[]>`
		update report_days set digest = ${Buffer.from("of one")} where tenant_id = ${steady} and day = ${day}::date and changes = ${one?.changes ?? 0} and digest is null
		returning authority_environment as environment`;
	expect(kept.map(({ environment }) => environment)).toEqual(["production"]);

	// All that was stored before, meanwhile and since can be listed, by processes of both versions.
	const [listed] = await sql`
		select count(*)::int as "all", count(f.doc_id)::int as "withFacts",
			count(*) filter (where (f.tenant_id, f.received_at, f.encf, f.issue_date, f.total) is distinct from
				(i.tenant_id, i.received_at, i.encf, (i.sums ->> 'issueDate')::date, (i.sums ->> 'subtotal')::numeric + (i.sums ->> 'tax')::numeric)
				or f.customer_rnc is distinct from i.sums ->> 'customerRnc'
				or f.grand_total is distinct from (i.request::json #>> '{totals,grand_total}')::numeric)::int as "odd"
		from invoices i left join invoice_facts f using (doc_id)`;
	expect(listed).toMatchObject({ withFacts: listed?.all, odd: 0 });
}, 120_000);
