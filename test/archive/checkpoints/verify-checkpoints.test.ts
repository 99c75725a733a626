/** What was signed, read again: whole while nobody touches it, and every change behind our back is told. Then all of it back into an empty database. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { restoreCheckpoints, rotateKey, verifyCheckpoints } from "../../../src/archive/checkpoints";
import { findCheckpoints, findKeys } from "../../../src/archive/checkpoints/store";
import { behindTheirBack, openStage, type Stage } from "./stage";

let stage: Stage;
beforeAll(async () => {
	stage = await openStage();
	await stage.add(20);
	await stage.sign();
	await stage.add(5);
	await rotateKey(stage);
}, 120_000);
afterAll(() => stage.close());

async function findFaults(): Promise<string[]> {
	const found: string[] = [];
	for await (const { key, detail } of verifyCheckpoints(stage)) found.push(`${key}: ${detail}`);
	return found;
}

/** The object, changed and then as it was. */
async function withObject(path: string, change: (file: string, bytes: Buffer) => void, look: () => Promise<void>) {
	const file = join(stage.folder, path);
	const bytes = readFileSync(file);
	chmodSync(file, 0o640);
	change(file, bytes);
	await look();
	writeFileSync(file, bytes);
}

test("an archive as it was signed has no fault", async () => {
	expect(await findFaults()).toEqual([]);
});

describe("a change in the store is told by the object's name", () => {
	test.each([
		["proof/checkpoints/000000000001.txt", "another one than in the tables"],
		["proof/leaves/000000000000-000000000019.jsonl", "not those of the tables"],
		["keys", "another one than in the tables"],
	])("%s", async (path, words) => {
		const [name = ""] = readdirSync(join(stage.folder, "proof/keys"));
		const object = path === "keys" ? `proof/keys/${name}` : path;
		const spoil = (file: string, bytes: Buffer) =>
			writeFileSync(
				file,
				bytes.map((byte, at) => (at === 20 ? byte ^ 1 : byte)),
			);
		await withObject(object, spoil, async () => {
			const faults = await findFaults();
			expect(faults).toHaveLength(1);
			expect(faults[0]).toStartWith(object);
			expect(faults[0]).toContain(words);
		});
		await withObject(
			object,
			(file) => renameSync(file, `${stage.folder}/away`),
			async () => {
				expect((await findFaults()).join()).toMatch(/is not in the store|are missing/);
			},
		);
		expect(await findFaults()).toEqual([]);
	});
});

test("a history that was written anew, nodes and all, is not the one that was signed", async () => {
	const [leaf] = await stage.sql<{ sha256: Buffer }[]>`select sha256 from archive_leaves where leaf_index = 3`;
	const write = (sha256: Buffer) =>
		behindTheirBack(stage, "archive_leaves", () =>
			behindTheirBack(stage, "archive_nodes", async () => {
				await stage.sql`update archive_leaves set sha256 = ${sha256} where leaf_index = 3`;
				await stage.sql`update archive_leaves set leaf_hash = archive_leaf_hash(doc_id, sha256, decided_at) where leaf_index = 3`;
				await stage.sql`update archive_nodes set hash = archive_lowest_node(16) where level = 4 and node_index = 0`;
			}),
		);
	await write(randomBytes(32));
	const faults = (await findFaults()).join("\n");
	expect(faults).toContain("proof/checkpoints/000000000001.txt: the tree of 20 leaves has not the root");
	expect(faults).toContain("proof/checkpoints/000000000002.txt: the tree of 25 leaves has not the root");
	expect(faults).toContain("proof/leaves/000000000000-000000000019.jsonl");
	await write(leaf?.sha256 ?? Buffer.alloc(32));
	expect(await findFaults()).toEqual([]);
});

test("a row that was changed is told", async () => {
	const change = (work: () => Promise<unknown>) => behindTheirBack(stage, "archive_checkpoints", work);
	const { sql } = stage;
	const [row] = await sql<{ root: Buffer }[]>`select root from archive_checkpoints where number = 1`;
	await change(() => sql`update archive_checkpoints set root = ${randomBytes(32)} where number = 1`);
	expect((await findFaults()).join()).toContain("the row of checkpoint 1 says something else");
	await change(() => sql`update archive_checkpoints set root = ${row?.root ?? null} where number = 1`);
	expect(await findFaults()).toEqual([]);
});

test("an empty database gets back the log, the keys and every checkpoint, and goes on with a key of its own", async () => {
	const known = { keys: await findKeys(stage.sql), checkpoints: await findCheckpoints(stage.sql, 0, 100) };
	await expect(restoreCheckpoints(stage)).rejects.toThrow("a log of its own");
	await behindTheirBack(stage, "archive_checkpoints", () => stage.sql`delete from archive_checkpoints`);
	await behindTheirBack(stage, "archive_keys", () => stage.sql`delete from archive_keys`);
	await behindTheirBack(stage, "archive_log", () => stage.sql`delete from archive_log`);
	expect(await restoreCheckpoints(stage)).toEqual({ keys: 2, checkpoints: 2 });
	expect(await findCheckpoints(stage.sql, 0, 100)).toEqual(known.checkpoints);
	const restored = await findKeys(stage.sql);
	expect(restored.map(({ name, note }) => ({ name, note }))).toEqual(
		known.keys.map(({ name, note }) => ({ name, note })),
	);
	expect(restored.every(({ sealedPrivateKey }) => sealedPrivateKey === null)).toBe(true);
	const next = await stage.sign();
	expect(next.number).toBe(3);
	expect(known.keys.map(({ name }) => name)).not.toContain(next.keyName);
	expect(await findFaults()).toEqual([]);
});
