import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { corruptFiles, misbehaviours } from "../../../scripts/scenarios/corrupt-sources";
import { serveSource } from "../../../scripts/scenarios/source-server";
import type { Registry } from "../../../src/registry";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { directoryOf, entries, openOn, temporaryFolder, toText, toZip } from "../build";

const good = entries(2_000);
const text = toText(good);
const folder = temporaryFolder();
let database: TestDatabase;
let registry: Registry;
let before: ReturnType<Registry["status"]>;

beforeAll(async () => {
	database = await openTestDatabase();
	registry = await openOn(database.sql, folder.write("source", text));
	before = registry.status();
});
afterEach(() => {
	const { last_attempt: _, age_seconds: __, ...kept } = registry.status();
	expect(before).toMatchObject(kept);
	for (const one of [good[0], good[999], good[1_999]]) {
		expect(one && registry.lookup({ digits: one.rnc, kind: "rnc" })).toEqual(one);
	}
	const left = readdirSync(directoryOf(database.sql)).filter((name) => !/^cleared\.json|\.refused\.ndjson$/.test(name));
	expect(left.sort()).toEqual([`${registry.runId()}.0.history`, `${registry.runId()}.0.snapshot`]);
});
afterAll(async () => {
	await registry.close();
	await database.close();
	folder.remove();
});

async function expectNoSwap(source?: string): Promise<void> {
	const run = await registry.ingest(source === undefined ? {} : { source });
	expect({ result: run.result, reason: run.reason }).toEqual({
		result: expect.stringMatching(/^(refused|failed)$/),
		reason: expect.stringMatching(/.{10,}/),
	});
	expect(run.runId).not.toBe(before.run_id ?? "");
}

describe("is never put into use, is reported with its reason, and look-ups continue:", () => {
	test.each(corruptFiles(text))("%s", async (_, make) => {
		folder.write("source", make());
		await expectNoSwap();
	});
});

describe("a misbehaving server changes nothing:", () => {
	test.each(misbehaviours(toZip(text)))("$name", async ({ answer, requests }) => {
		const source = await serveSource();
		source.offer(answer, requests);
		await expectNoSwap(source.url);
		await source.close();
	});
});
