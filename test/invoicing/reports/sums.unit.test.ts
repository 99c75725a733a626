/** Sums against the documents: decided by the service's own statements, added up from what was asked for, folded or not. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
	type Drawn,
	decideDocuments,
	drawDocument,
	type Fate,
	reopenDocuments,
	storeDocuments,
} from "../../../scripts/random/decided-documents";
import { digestOpenDays, rebuildReports, verifyReports } from "../../../src/invoicing/reports";
import { createFolding, foldDue, foldSums } from "../../../src/invoicing/reports/folding";
import { type Cursor, DIMENSIONS, type Dimension, readCursor } from "../../../src/invoicing/reports/groups";
import { PAGE_GROUPS_MAX, readTotals, type TotalsQuery } from "../../../src/invoicing/reports/totals";
import type { Conclusion } from "../../../src/invoicing/verdicts";
import { Decimal, newId, systemClock } from "../../../src/platform/values";
import { createChance } from "../../support/chance";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { rewrite } from "../../support/documents";
import { addCompany } from "../../support/submission";
import { until } from "../../support/until";

const DAYS = ["2026-01-31", "2026-02-01", "2026-02-02", "2026-03-15"];
const NOTHING = { count: 0, subtotal: "0.00", tax: "0.00", grand_total: "0.00" };
const FEBRUARY = { from: "2026-02-01", to: "2026-02-28" };
const TIMEOUT_MS = 120_000;

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, TIMEOUT_MS);
afterAll(() => database.close());

type Drawing = { readonly tenantIds: readonly string[]; readonly drawn: readonly Drawn[] };

/** Documents of companies that have no others, stored and not decided yet. */
async function draw(seed: number, count: number, companies = 1): Promise<Drawing> {
	const chance = createChance(seed);
	const tenantIds: string[] = [];
	while (tenantIds.length < companies) tenantIds.push(await addCompany(database.sql));
	const drawn = Array.from({ length: count }, (_, i) => drawDocument(chance, tenantIds, DAYS, i + 1));
	await storeDocuments(database.sql, drawn);
	return { tenantIds, drawn };
}

const toFate = ({ row: { docId }, fate }: Drawn) => ({ docId, fate });
const decide = (drawn: readonly Drawn[]) => decideDocuments(database.sql, drawn.map(toFate));
const without = (drawn: readonly Drawn[], fate: Fate) => drawn.filter((one) => one.fate !== fate);

async function read(tenantId: string, asked: Partial<TotalsQuery> = {}) {
	const period = { from: "2024-01-01", to: "2026-12-31" };
	const whole: TotalsQuery = {
		period,
		dimensions: [],
		status: undefined,
		format: "json",
		page: { limit: PAGE_GROUPS_MAX },
		...asked,
	};
	const { report } = await readTotals(database.sql, tenantId, whole, () => false);
	if (!report) throw new Error("expected a report");
	return report;
}

/** All groups, a few at a time. */
async function readPages(tenantId: string, asked: Partial<TotalsQuery>): Promise<object[]> {
	const groups: object[] = [];
	for (let after: Cursor | undefined; ; ) {
		const page = await read(tenantId, { ...asked, page: { after, limit: 97 } });
		groups.push(...page.groups);
		if (page.next === null) return groups;
		after = readCursor(page.next, asked.dimensions ?? []);
		if (!after) throw new Error("expected a cursor");
	}
}

/** The groups from what was drawn, in no order. */
function addUp(documents: readonly Drawn[], dimensions: readonly Dimension[]) {
	const values = ({ row: { facts, branch, type }, fate }: Drawn): Record<Dimension, string | null> => {
		const { issueDate: day, customerRnc: customer_rnc } = facts;
		return { day, month: day.slice(0, 7), type, status: fate, branch, customer_rnc };
	};
	const pick = (one: Drawn) => Object.fromEntries(dimensions.map((name) => [name, values(one)[name]]));
	const groups = Map.groupBy(documents, (one) => JSON.stringify(pick(one)));
	return [...groups].map(([names, members]) => {
		const sum = (of: (one: Drawn["row"]["sums"]) => Decimal) =>
			Decimal.sum(members.map(({ row }) => (row.type === "34" ? of(row.sums).negated() : of(row.sums)))).toFixed(2);
		return {
			...(JSON.parse(names) as object),
			count: members.length,
			subtotal: sum(({ subtotal }) => Decimal.of(subtotal)),
			tax: sum(({ tax }) => Decimal.of(tax)),
			grand_total: sum(({ subtotal, tax }) => Decimal.of(subtotal).plus(Decimal.of(tax))),
		};
	});
}

const allSubsets = Array.from({ length: 2 ** DIMENSIONS.length }, (_, bits) =>
	DIMENSIONS.filter((_, place) => bits & (1 << place)),
);
const someSubsets: readonly (readonly Dimension[])[] = [[], ["month", "type", "status"], DIMENSIONS];

async function expectSums(
	{ tenantIds, drawn }: Drawing,
	subsets = someSubsets,
	period = { from: "2026-01-01", to: "2026-12-31" },
): Promise<void> {
	for (const tenantId of tenantIds) {
		const own = without(drawn, "pending").filter(
			({ row: { facts, tenantId: owner } }) =>
				owner === tenantId && facts.issueDate >= period.from && facts.issueDate <= period.to,
		);
		for (const dimensions of subsets) {
			const byText = (groups: readonly object[]) => groups.map((group) => JSON.stringify(group)).sort();
			const { groups, totals } = await read(tenantId, { dimensions, period });
			expect(byText(groups)).toEqual(byText(addUp(own, dimensions)));
			expect(totals).toEqual((addUp(own, [])[0] ?? NOTHING) as typeof totals);
		}
	}
	expect((await verifyReports(database.sql)).drift).toEqual([]);
}

const foldAll = ({ tenantIds }: Pick<Drawing, "tenantIds">) =>
	Promise.all(tenantIds.map((tenantId) => foldSums(database.sql, tenantId)));

test(
	"every way of grouping gives what the documents come to, credit notes below zero",
	async () => {
		const drawing = await draw(1, 1_200, 2);
		await decide(drawing.drawn.slice(0, 700));
		await foldAll(drawing);
		await decide(drawing.drawn.slice(700));
		await expectSums(drawing, allSubsets);
		await foldAll(drawing);
		await expectSums(drawing);
	},
	TIMEOUT_MS,
);

/** A whole month, days alone, and both together: what is read page by page as well. */
const [A_MONTH, SOME_DAYS, BOTH] = [
	{ from: "2026-02-01", to: "2026-02-28" },
	{ from: "2026-01-31", to: "2026-02-01" },
	{ from: "2026-01-31", to: "2026-03-15" },
];
const PAGED = [A_MONTH, SOME_DAYS, BOTH];

test(
	"whole and partial months give the sums of their documents, in order",
	async () => {
		const drawing = await draw(8, 1_200, 2);
		await decide(drawing.drawn.slice(0, 900));
		await foldAll(drawing);
		await decide(drawing.drawn.slice(900));
		for (const period of [
			A_MONTH,
			SOME_DAYS,
			BOTH,
			{ from: "2026-02-01", to: "2026-03-31" },
			{ from: "2026-02-02", to: "2026-02-28" },
			{ from: "2026-04-01", to: "2026-04-30" },
		]) {
			await expectSums(drawing, allSubsets, period);
			for (const dimensions of allSubsets) {
				const { groups } = await read(drawing.tenantIds[0] ?? "", { dimensions, period });
				const keys = groups.map((group) => dimensions.map((name) => group[name] ?? "").join("\n"));
				expect(keys).toEqual(keys.toSorted());
				if (!PAGED.includes(period)) continue;
				expect(await readPages(drawing.tenantIds[0] ?? "", { dimensions, period })).toEqual(groups);
			}
		}
	},
	TIMEOUT_MS,
);

test(
	"a retried document stops counting until it is decided again",
	async () => {
		const { tenantIds, drawn } = await draw(2, 300);
		const [tenantId = ""] = tenantIds;
		await decide(drawn);
		await foldAll({ tenantIds });
		const before = await read(tenantId);
		await reopenDocuments(database.sql, drawn);
		await expectSums({ tenantIds, drawn: without(drawn, "failed") });
		await expectSums({ tenantIds, drawn: without(drawn, "failed") }, allSubsets, FEBRUARY);
		expect((await read(tenantId)).digest).not.toBe(before.digest);
		const accepted = drawn.map((one): Drawn => (one.fate === "failed" ? { ...one, fate: "accepted" } : one));
		await decide(accepted.filter((_, i) => drawn[i]?.fate === "failed"));
		await expectSums({ tenantIds, drawn: accepted });
		// The same documents again, whatever has become of them.
		expect((await read(tenantId)).digest).toBe(before.digest);
	},
	TIMEOUT_MS,
);

test("sales, purchases and what was refused are apart, and groups of one status fit", async () => {
	const { tenantIds, drawn } = await draw(4, 400);
	const [tenantId = ""] = tenantIds;
	const [invoice] = drawn;
	if (!invoice) throw new Error("expected a document");
	const one = (type: string, subtotal: string, tax: string, fate: Fate, number: number): Drawn => {
		const row = { ...invoice.row, ...{ docId: newId(), type, encf: `E${type}900000000${number}` } };
		return { row: { ...row, tenantId: other, sums: { ...row.sums, subtotal, tax } }, fate };
	};
	const other = await addCompany(database.sql);
	const named = [
		one("31", "1000.00", "180.00", "accepted", 1),
		one("32", "1000.00", "180.00", "accepted", 2),
		one("41", "1000.00", "180.00", "accepted", 3),
		one("31", "7000.00", "1260.00", "rejected", 4),
	];
	await storeDocuments(database.sql, named);
	await decide([...drawn, ...named]);
	expect(await read(other, { status: "accepted" })).toMatchObject({
		totals: { count: 3, subtotal: "3000.00", tax: "540.00", grand_total: "3540.00" },
		sales: { count: 2, subtotal: "2000.00", tax: "360.00", grand_total: "2360.00" },
		purchases: { count: 1, subtotal: "1000.00", tax: "180.00", grand_total: "1180.00" },
		net: { count: 3, subtotal: "1000.00", tax: "180.00", grand_total: "1180.00" },
		excluded: { rejected: { count: 1, subtotal: "7000.00", tax: "1260.00", grand_total: "8260.00" }, failed: NOTHING },
	});
	for (const status of ["accepted", "rejected", "failed"] as const) {
		const own = drawn.filter(({ fate }) => fate === status);
		for (const period of PAGED) {
			const within = own.filter(({ row: { facts } }) => facts.issueDate >= period.from && facts.issueDate <= period.to);
			for (const dimensions of [
				[],
				["customer_rnc"],
				["month", "status", "customer_rnc"],
				["type", "branch"],
			] as Dimension[][]) {
				const byText = (groups: readonly object[]) => groups.map((group) => JSON.stringify(group)).sort();
				const { groups, totals } = await read(tenantId, { dimensions, period, status });
				expect(byText(groups)).toEqual(byText(addUp(within, dimensions)));
				expect(totals).toEqual((addUp(within, [])[0] ?? NOTHING) as typeof totals);
			}
		}
	}
});

test("the digest is over the documents' ids and bytes, day by day", async () => {
	const { tenantIds, drawn } = await draw(3, 100);
	const [tenantId = ""] = tenantIds;
	await decide(drawn);
	const days = Map.groupBy(without(drawn, "pending"), ({ row }) => row.facts.issueDate);
	const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
	const lines = [...days].sort().map(([day, documents]) => {
		const texts = documents.map(({ row }) => `${row.docId} ${row.sha256}\n`).sort();
		return `${day} ${sha256(texts.join(""))}\n`;
	});
	const expected = `sha256:${sha256(lines.join(""))}`;
	// Computed by the first reader, or by housekeeping.
	expect((await read(tenantId)).digest).toBe(expected);
	await foldSums(database.sql, tenantId);
	const open = () => database.sql`select from day_digests where tenant_id = ${tenantId} and digest is null`;
	expect(await open()).toHaveLength(days.size);
	await digestOpenDays(database.sql, systemClock);
	expect(await open()).toHaveLength(0);
	expect((await read(tenantId)).digest).toBe(expected);
	expect(await read(tenantId, { period: { from: "2025-01-01", to: "2025-12-31" } })).toMatchObject({
		groups: [],
		totals: { count: 0, subtotal: "0.00", tax: "0.00", grand_total: "0.00" },
		digest: `sha256:${sha256("")}`,
	});
});

test("documents newer than the statistics are read once, not once for each other", async () => {
	const { tenantIds, drawn } = await draw(12, 400);
	const [tenantId = ""] = tenantIds;
	await decide(drawn);
	await database.owner`analyze documents, verdicts`;
	const chance = createChance(13);
	const fresh = Array.from({ length: 400 }, (_, i) => drawDocument(chance, tenantIds, ["2026-04-01"], 401 + i));
	await storeDocuments(database.sql, fresh);
	await decide(fresh);
	const reads = await database.sql.begin(async (tx) => {
		const count = async () => {
			const [row] = await tx<{ reads: number }[]>`
				select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as reads from pg_stat_xact_user_tables
				where relname like 'verdicts%'`;
			return row?.reads ?? 0;
		};
		const before = await count();
		await tx`select count(*) from list_decided(${tenantId}, 't', '2026-04-01', '2026-04-01')`;
		return (await count()) - before;
	});
	const [all] = await database.sql<{ verdicts: number }[]>`select count(*)::int as verdicts from verdicts`;
	expect(reads).toBeGreaterThan(0);
	expect(reads).toBeLessThanOrEqual(all?.verdicts ?? 0);
});

test(
	"sums are folded while verdicts come, by several at once",
	async () => {
		const drawing = await draw(4, 450, 3);
		let isOver = false;
		const decided = decide(drawing.drawn).finally(() => {
			isOver = true;
		});
		// None is left when the sums are read: a later fold would leave its tenant to it.
		const fold = async () => {
			while (!isOver) await foldAll(drawing);
		};
		await Promise.all([decided, fold(), fold()]);
		await expectSums(drawing);
		await foldAll(drawing);
		await expectSums(drawing);
	},
	TIMEOUT_MS,
);

test("a tag and a digest outlast folding, and end with the next verdict", async () => {
	const { tenantIds, drawn } = await draw(7, 60);
	const [tenantId = ""] = tenantIds;
	const readTag = async () => {
		const asked = { period: FEBRUARY, dimensions: [], status: undefined, format: "json", page: { limit: 1 } } as const;
		const { etag, report } = await readTotals(database.sql, tenantId, asked, () => false);
		return [etag, report?.digest];
	};
	const inFebruary = drawn.filter(({ row }) => row.facts.issueDate.startsWith("2026-02"));
	await decide(inFebruary.slice(0, 20));
	const before = await readTag();
	await foldAll({ tenantIds });
	expect(await readTag()).toEqual(before);
	const next = inFebruary.slice(20).find(({ fate }) => fate === "accepted");
	if (!next) throw new Error("expected a document");
	await decide([next]);
	const [etag, digest] = await readTag();
	expect(etag).not.toBe(before[0]);
	expect(digest).not.toBe(before[1]);
});

test("housekeeping folds tenants with many events, or with one that is a day old", async () => {
	const clockIn = (days: number) => ({ now: () => new Date(Date.now() + days * 86_400_000) });
	const drawings = [await draw(9, 1_010), await draw(10, 10)];
	const [many = "", few = ""] = drawings.flatMap(({ tenantIds }) => tenantIds);
	const isFolded = async () => {
		const rows = await database.sql<{ tenantId: string }[]>`
			select tenant_id as "tenantId" from heads
			where tenant_id in (${many}, ${few}) and folded_sequence = last_sequence`;
		return rows.map(({ tenantId }) => tenantId);
	};
	for (const { drawn } of drawings) await decide(drawn.map((one): Drawn => ({ ...one, fate: "accepted" })));
	expect(await isFolded()).toEqual([]);
	await foldDue(database.sql, clockIn(0));
	expect(await isFolded()).toEqual([many]);
	await foldDue(database.sql, clockIn(2));
	expect(await isFolded()).toContain(few);
});

test("a thread that has seen 1,000 verdicts of a company folds its sums", async () => {
	const drawing = await draw(11, 5);
	await decide(drawing.drawn.map((one): Drawn => ({ ...one, fate: "accepted" })));
	const [tenantId = ""] = drawing.tenantIds;
	const { note } = createFolding(database.sql, { warn: (_, said) => expect(said).toBeUndefined() });
	const conclusion = { invoice: { tenantId }, decision: { status: "accepted" } } as Conclusion;
	const countFolded = async () => (await database.sql`select from day_sums where tenant_id = ${tenantId}`).length;
	note?.(Array.from({ length: 999 }, () => conclusion));
	expect(await countFolded()).toBe(0);
	note?.([conclusion]);
	await until(async () => (await countFolded()) > 0);
	await expectSums({ ...drawing, drawn: drawing.drawn.map((one): Drawn => ({ ...one, fate: "accepted" })) });
});

test("documents of a test set do not count", async () => {
	const { tenantIds, drawn } = await draw(5, 20);
	const [ofSet, ...others] = drawn.map((one): Drawn => ({ ...one, fate: "accepted" }));
	if (!ofSet) throw new Error("expected a document");
	await database.owner.begin(async (tx) => {
		await tx`set local session_replication_role = replica`;
		await tx`update documents set test_set_id = ${newId()} where doc_id = ${ofSet.row.docId}`;
	});
	await decide([ofSet, ...others]);
	await expectSums({ tenantIds, drawn: others });
});

test(
	"lost and wrong sums are found by verifying and restored by rebuilding",
	async () => {
		const { tenantIds, drawn } = await draw(6, 200);
		const [tenantId = ""] = tenantIds;
		await decide(drawn.slice(0, 150));
		await foldAll({ tenantIds });
		await read(tenantId);
		await decide(drawn.slice(150));
		const { sql } = database;
		await sql`update day_sums set subtotal = subtotal + 1 where tenant_id = ${tenantId} and day = ${DAYS[0] ?? ""}`;
		await sql`delete from customer_sums where tenant_id = ${tenantId} and month = '2026-02-01'`;
		await sql`update day_digests set documents = documents + 1 where tenant_id = ${tenantId} and day = ${DAYS[1] ?? ""}`;
		await sql`
			update day_digests set digest = sha256(''), counted = counted + 1, documents = documents + 1
			where tenant_id = ${tenantId} and day = ${DAYS[2] ?? ""}`;
		const { drift } = await verifyReports(sql);
		expect(drift.map(({ table }) => table)).toEqual(["day_sums", "customer_sums", "day_digests"]);
		await rebuildReports(sql);
		await expectSums({ tenantIds, drawn });
		expect(drift.length).toBe(3);
	},
	TIMEOUT_MS,
);

test(
	"sums outlive the documents of months that were dropped after their retention",
	async () => {
		const { tenantIds, drawn } = await draw(9, 60);
		const [tenantId = ""] = tenantIds;
		await decide(drawn);
		await foldAll({ tenantIds });
		const { sql, owner } = database;
		const sums = () => sql`select * from day_sums where tenant_id = ${tenantId} order by day, type, status, branch`;
		const before = await sums();
		await rewrite(owner, async (tx) => {
			await tx`insert into archive_removals (tenant_id, month, shard, seals) values (${tenantId}, '2026-01-01', 0, 1)`;
			await tx`delete from documents where tenant_id = ${tenantId} and issue_date < '2026-03-01'`;
		});
		expect((await verifyReports(sql)).drift).toEqual([]);
		await sql`update day_sums set subtotal = subtotal + 1 where tenant_id = ${tenantId} and day >= '2026-03-01'`;
		await rebuildReports(sql);
		expect(await sums()).toEqual(before);
	},
	TIMEOUT_MS,
);
