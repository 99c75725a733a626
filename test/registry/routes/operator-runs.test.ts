/** The way back to an earlier run, as operators go it by the API. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Problem } from "../../../src/platform/problem";
import type { Registry } from "../../../src/registry";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { bodyOf, entries, openOn, send, temporaryFolder, toText } from "../build";

const folder = temporaryFolder();
let database: TestDatabase;
let registry: Registry;

const ingest = async (count: number): Promise<string> => {
	folder.write("runs.txt", toText(entries(count)));
	const { result, runId } = await registry.ingest();
	expect(result).toBe("ok");
	return runId;
};

beforeAll(async () => {
	database = await openTestDatabase();
	folder.write("runs.txt", toText(entries(30)));
	registry = await openOn(database.sql, `${folder.path}/runs.txt`);
});
afterAll(async () => {
	await registry.close();
	await database.close();
	folder.remove();
});

type Run = { runId: string; result: string; reason: string | null; current: boolean; restorable: boolean };
const list = async () =>
	(await bodyOf<{ items: Run[] }>(send(registry, "GET", "/v1/operator/registry/runs"))).items.map(
		({ runId, result, current, restorable }) => [runId, result, { current, restorable }],
	);
const goBack = (runId: string) => send(registry, "POST", `/v1/operator/registry/runs/${runId}:rollback`);
const slugOf = (document: string) =>
	send(registry, "GET", `/v1/authority/document/${document}`).then(
		({ status }) => String(status),
		(cause) => (cause as Problem).slug,
	);

test("going back to a run serves its data again, and the later ones count as refused", async () => {
	const first = registry.runId() ?? "";
	const second = await ingest(31);
	const third = await ingest(32);
	const [served, kept, lost] = [
		{ current: true, restorable: false },
		{ current: false, restorable: true },
		{ current: false, restorable: false },
	];
	expect(await list()).toEqual([
		[third, "ok", served],
		[second, "ok", kept],
		[first, "ok", kept],
	]);
	expect(await slugOf("990000031")).toBe("200");

	expect((await goBack(first)).status).toBe(204);
	expect(registry.runId()).toBe(first);
	expect(await slugOf("990000031")).toBe("document-not-found");
	expect(await list()).toEqual([
		[third, "refused", lost],
		[second, "refused", lost],
		[first, "ok", served],
	]);
	const [{ reason } = { reason: null }] = (
		await bodyOf<{ items: Run[] }>(send(registry, "GET", "/v1/operator/registry/runs?limit=1"))
	).items;
	expect(reason).toContain("the operator went back");
	const audit = await database.sql`select subject from audit where action = 'registry.rollback'`;
	expect([...audit]).toEqual([{ subject: first }]);

	const refusal = await goBack(third).catch((cause) => cause);
	expect(refusal).toBeInstanceOf(Problem);
	expect((refusal as Problem).faults).toMatchObject([{ code: "not-restorable" }]);
	expect(registry.runId()).toBe(first);
});
