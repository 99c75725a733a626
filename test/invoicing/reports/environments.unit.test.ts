/** Reports of a company that has moved between the authority's environments: each has those of its own. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
	type Drawn,
	decideDocuments,
	drawDocument,
	reopenDocuments,
	storeDocuments,
} from "../../../scripts/random/decided-documents";
import { digestOpenDays, rebuildReports, verifyReports } from "../../../src/invoicing/reports";
import { streamDocuments } from "../../../src/invoicing/reports/documents-csv";
import { foldSums } from "../../../src/invoicing/reports/folding";
import { readCursor } from "../../../src/invoicing/reports/groups";
import type { AuthorityEnvironment } from "../../../src/invoicing/reports/store";
import { PAGE_GROUPS_MAX, readTotals, type TotalsQuery } from "../../../src/invoicing/reports/totals";
import { Decimal, systemClock } from "../../../src/platform/values";
import { createChance } from "../../support/chance";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { addCompany } from "../../support/submission";

const DAYS = ["2026-02-01", "2026-02-02"];
const PERIOD = { from: "2026-01-01", to: "2026-12-31" };
const SEGMENTS = { test: "testecf", certification: "certecf", production: "ecf" } as const;

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

const chance = createChance(11);
let number = 0;

/** Documents of the environment that the company is in, stored and not decided yet. */
async function draw(tenantId: string, environment: AuthorityEnvironment, fate: Drawn["fate"], count = 20) {
	await moveTo(tenantId, environment);
	const drawn = Array.from({ length: count }, () => ({
		...drawDocument(chance, [tenantId], DAYS, ++number, SEGMENTS[environment]),
		fate,
	}));
	await storeDocuments(database.sql, drawn);
	return drawn;
}

const moveTo = (tenantId: string, environment: AuthorityEnvironment) =>
	database.sql`update companies set authority_environment = ${environment} where tenant_id = ${tenantId}`;

const decide = (drawn: readonly Drawn[], fate = drawn[0]?.fate ?? "accepted") =>
	decideDocuments(
		database.sql,
		drawn.map(({ row: { docId } }) => ({ docId, fate })),
	);

async function read(tenantId: string, environment?: AuthorityEnvironment, asked: Partial<TotalsQuery> = {}) {
	const whole: TotalsQuery = {
		...{
			period: PERIOD,
			dimensions: [],
			status: undefined,
			format: "json",
			page: { limit: PAGE_GROUPS_MAX },
			environment,
		},
		...asked,
	};
	const { etag, report } = await readTotals(database.sql, tenantId, whole, () => false);
	if (!report) throw new Error("expected a report");
	return { etag, ...report };
}

function totalOf(drawn: readonly Drawn[]) {
	const amounts = drawn.map(({ row: { type, sums } }) => {
		const amount = Decimal.of(sums.subtotal).plus(Decimal.of(sums.tax));
		return type === "34" ? amount.negated() : amount;
	});
	return { count: drawn.length, grand_total: Decimal.sum(amounts).toFixed(2) };
}

async function readTable(tenantId: string, environment?: AuthorityEnvironment): Promise<string[][]> {
	const log = { warn: () => undefined };
	const text = await new Response(streamDocuments({ sql: database.sql, log }, tenantId, PERIOD, environment)).text();
	const [, ...lines] = text.trimEnd().split("\r\n");
	return lines.map((line) => line.split(","));
}

test("each environment has its own report; the current one is the default", async () => {
	const tenantId = await addCompany(database.sql);
	const tried = await draw(tenantId, "test", "accepted", 30);
	await decide(tried);
	const before = await read(tenantId);
	expect(before).toMatchObject({ authorityEnvironment: "test", totals: totalOf(tried) });
	// What comes after the company has moved, and what was on its way then.
	const late = await draw(tenantId, "test", "rejected");
	const real = await draw(tenantId, "production", "accepted");
	await decide([...late, ...real]);

	const production = await read(tenantId);
	expect(production).toMatchObject({ authorityEnvironment: "production", totals: totalOf(real) });
	expect(await read(tenantId, "production")).toMatchObject({ etag: production.etag, digest: production.digest });
	const test = await read(tenantId, "test");
	expect(test).toMatchObject({ authorityEnvironment: "test", totals: totalOf([...tried, ...late]) });
	expect(await read(tenantId, "certification")).toMatchObject({ groups: [], totals: { count: 0 } });
	expect(new Set([before.digest, production.digest, test.digest]).size).toBe(3);
	for (const dimensions of [["customer_rnc"], ["day", "customer_rnc"], ["month", "type", "status"]] as const) {
		for (const [environment, drawn] of [
			["test", [...tried, ...late]],
			["production", real],
		] as const) {
			const { groups } = await read(tenantId, environment, { dimensions });
			const amounts = groups.map((one) => Decimal.of(one.grand_total));
			expect(Decimal.sum(amounts).toFixed(2)).toBe(totalOf(drawn).grand_total);
		}
	}

	const ids = (drawn: readonly Drawn[]) => drawn.map(({ row }) => row.docId).sort();
	const table = await readTable(tenantId);
	expect(table.map(([docId = ""]) => docId).sort()).toEqual(ids(real));
	expect(new Set(table.map((cells) => cells.at(-1)))).toEqual(new Set(["production"]));
	expect((await readTable(tenantId, "test")).map(([docId = ""]) => docId).sort()).toEqual(ids([...tried, ...late]));

	await foldSums(database.sql, tenantId);
	await digestOpenDays(database.sql, systemClock);
	expect(await read(tenantId, "test")).toMatchObject({ digest: test.digest });
	expect(await read(tenantId)).toMatchObject({ digest: production.digest });
	expect((await verifyReports(database.sql)).drift).toEqual([]);
	await rebuildReports(database.sql);
	expect(await read(tenantId)).toMatchObject({ totals: production.totals, digest: production.digest });
	expect((await verifyReports(database.sql)).drift).toEqual([]);
}, 60_000);

test("a retried document counts in the environment in which it was issued", async () => {
	const tenantId = await addCompany(database.sql);
	const failed = await draw(tenantId, "test", "failed");
	await decide(failed);
	const real = await draw(tenantId, "production", "accepted");
	await decide(real);
	const production = await read(tenantId);
	await reopenDocuments(database.sql, failed);
	expect(await read(tenantId, "test")).toMatchObject({ totals: { count: 0 } });
	await decide(failed, "accepted");
	expect(await read(tenantId, "test", { dimensions: ["status"] })).toMatchObject({
		groups: [{ status: "accepted", ...totalOf(failed) }],
	});
	// Nothing of it is the other environment's, not even a change.
	expect(await read(tenantId)).toMatchObject({ etag: production.etag, totals: production.totals });
	expect((await verifyReports(database.sql)).drift).toEqual([]);
});

test("documents of several environments that are decided together count in each", async () => {
	const tenantId = await addCompany(database.sql);
	const all = [
		...(await draw(tenantId, "test", "accepted")),
		...(await draw(tenantId, "certification", "accepted")),
		...(await draw(tenantId, "production", "accepted")),
	];
	await decide(all);
	for (const [place, environment] of (["test", "certification", "production"] as const).entries()) {
		const own = all.slice(20 * place, 20 * (place + 1));
		expect(await read(tenantId, environment)).toMatchObject({ totals: totalOf(own) });
	}
	expect((await verifyReports(database.sql)).drift).toEqual([]);
});

test("a cursor of one environment is refused in another", async () => {
	const tenantId = await addCompany(database.sql);
	const dimensions = ["type"] as const;
	await decide(await draw(tenantId, "test", "accepted", 40));
	const { next } = await read(tenantId, undefined, { dimensions, page: { limit: 1 } });
	const after = readCursor(next ?? "", dimensions);
	expect(after).toMatchObject({ environment: "test" });
	await moveTo(tenantId, "production");
	const page = { after, limit: 1 };
	expect(await read(tenantId, "test", { dimensions, page })).toMatchObject({ groups: [expect.anything()] });
	await expect(read(tenantId, undefined, { dimensions, page })).rejects.toMatchObject({
		faults: [{ pointer: "#/query/after", code: "invalid-cursor" }],
	});
});
