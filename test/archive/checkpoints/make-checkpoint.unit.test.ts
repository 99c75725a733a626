/** Checkpoints of a real database and a real store: what they say, what a crash leaves, and what is never signed. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Archive, readRoot, rootOfLogs, verifyConsistency } from "../../../src/archive";
import {
	ArchiveContradictionError,
	createCheckpoints,
	makeCheckpoint,
	rotateKey,
} from "../../../src/archive/checkpoints";
import { openNote, readCheckpoint, readVerifierKey } from "../../../src/archive/checkpoints/signed-note";
import { findCheckpoints, findKeys } from "../../../src/archive/checkpoints/store";
import { readConsistencyProof } from "../../../src/archive/merkle";
import { Problem } from "../../../src/platform/problem";
import { createLog, createMetrics } from "../../../src/platform/telemetry";
import { LOG, tenantOfLog } from "../../support/sealed-documents";
import { behindTheirBack, openStage, type Stage } from "./stage";

const at = (leafIndex: number) => ({ log: LOG, leafIndex });
const sha256 = (text: string | Uint8Array) => createHash("sha256").update(text).digest("hex");
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const LEAVES = `leaves/${String(LOG).padStart(2, "0")}`;
const names = (stage: Stage, folder: string) => readdirSync(join(stage.folder, "proof", folder)).sort();
const readText = (stage: Stage, path: string) => readFileSync(join(stage.folder, path), "utf8");

describe("an archive that grows", () => {
	let stage: Stage;
	beforeAll(async () => {
		stage = await openStage();
	}, 120_000);
	afterAll(() => stage.close());

	test("each note states the signed tree and names the previous note", async () => {
		const tenants = [tenantOfLog(LOG), tenantOfLog(LOG)];
		const empty = await stage.sign();
		await stage.add(5, tenants);
		const five = await stage.sign();
		const again = await stage.sign();
		await stage.add(39, tenants);
		await stage.add(1, [tenantOfLog(LOG + 1)]);
		const more = await stage.sign();
		expect([empty, five, again, more].map(({ number, size }) => [number, size])).toEqual([
			...[
				[1, 0],
				[2, 5],
				[3, 5],
				[4, 45],
			],
		]);
		expect(empty.logs[LOG]).toEqual({ size: 0, root: sha256("") });
		// A document of another log changes the root over all of them, and not the log.
		const [keyFile = ""] = names(stage, "keys");
		const key = readVerifierKey(readText(stage, `proof/keys/${keyFile}`).trim());
		let previous = "0".repeat(64);
		for (const made of [empty, five, again, more]) {
			const said = readCheckpoint(openNote(made.note, [key]).text);
			const states = made.logs.map(({ size, root }) => ({ size, root: Buffer.from(root, "hex") }));
			expect(said).toMatchObject({ size: made.size, root: hex(rootOfLogs(states)), previous });
			const { size = 0, root } = made.logs[LOG] ?? {};
			expect(root).toBe(hex(await readRoot(stage.sql, LOG, size)));
			expect(readText(stage, made.objectKey.replace(".txt", ".logs"))).toContain(`\n${LOG} ${size} ${root}\n`);
			expect(readText(stage, made.objectKey)).toBe(made.note);
			previous = sha256(made.note);
		}
		const proof = await readConsistencyProof(stage.sql, LOG, 5, 44);
		const rootOf = (made: typeof five) => Buffer.from(made.logs[LOG]?.root ?? "", "hex");
		const claim = { size1: 5, size2: 44, root1: rootOf(five), root2: rootOf(more), proof };
		expect(verifyConsistency(claim)).toBe(true);
	});

	test("writes each leaf once, with its data of the index", async () => {
		const lines = names(stage, "leaves").flatMap((log) =>
			names(stage, `leaves/${log}`).flatMap((name) =>
				readText(stage, `proof/leaves/${log}/${name}`).trim().split("\n"),
			),
		);
		const rows = await stage.sql`
			select sealed_object_key(tenant_id, doc_id, decided_at, sha256) as "objectKey", shard as log, leaf as "leafIndex", bytes,
				retain_until as "retainUntil"
			from seals order by shard, leaf`;
		expect(lines.map((line) => JSON.parse(line))).toMatchObject(
			rows.map((row) => ({ ...row, retainUntil: (row.retainUntil as Date).toISOString() })),
		);
		expect(lines).toHaveLength(45);
	});

	test("is signed by one of many concurrent requests", async () => {
		await stage.add(1);
		const before = await findCheckpoints(stage.sql, 0, 100);
		const asked = await Promise.all(
			Array.from({ length: 8 }, () => makeCheckpoint(stage, (newest) => newest.size >= 46)),
		);
		expect(new Set(asked.map(({ number }) => number))).toEqual(new Set([before.length + 1]));
		expect(names(stage, "checkpoints")).toHaveLength((before.length + 1) * 2);
	});

	test("rows of checkpoints and keys are only added", async () => {
		// Also by who owns the tables; the service has not even the right to try.
		const { owner: sql } = stage;
		const attempts = [
			sql`update archive_checkpoints set size = size + 1`,
			sql`delete from archive_checkpoints where number = 1`,
			sql`truncate archive_checkpoints cascade`,
			sql`update archive_keys set public_key = ${randomBytes(32)}`,
			sql`delete from archive_keys`,
			sql`insert into archive_checkpoints select number + 2, size, sizes, roots, root, previous, made_at, note, key_name, 'x' from archive_checkpoints
				order by number desc limit 1`,
			sql`insert into archive_checkpoints select number + 1, size - 1, sizes, roots, root, sha256(convert_to(note, 'UTF8')), made_at, note, key_name, 'x'
				from archive_checkpoints order by number desc limit 1`,
			sql`insert into archive_checkpoints select number + 1, size, sizes, roots, root, previous, made_at, note, key_name, 'x' from archive_checkpoints
				order by number desc limit 1`,
		];
		for (const attempt of attempts) await expect(attempt).rejects.toThrow(/is not allowed|does not follow/);
	});

	test("a new key is signed by the old one, and old notes still open", async () => {
		const [old] = await findKeys(stage.sql);
		const made = await rotateKey(stage);
		const after = (await findCheckpoints(stage.sql, 0, 100)).at(-1);
		expect(after).toMatchObject({ keyName: made.name, number: made.checkpoint, size: 46 });
		const note = readText(stage, `proof/keys/${made.name.replaceAll("/", "-")}.txt`);
		const vouched = openNote(note, old ? [old] : []);
		expect(openNote(after?.note ?? "", [readVerifierKey(vouched.text.trim())]).key.name).toBe(made.name);
		const [first] = await findCheckpoints(stage.sql, 0, 1);
		expect(openNote(first?.note ?? "", await findKeys(stage.sql)).key.name).toBe(old?.name ?? "");
	});
});

describe("a crash", () => {
	const lost = new Error("the process died");

	/** A stage whose store dies at the first write below a prefix: before it, or just after. */
	async function openDying(prefix: string, when: "before" | "after") {
		let isArmed = false;
		const wrap = (archive: Archive): Archive => ({
			...archive,
			async putOnce(key, bytes, keep) {
				const dies = isArmed && key.startsWith(prefix);
				if (dies && when === "before") throw lost;
				const put = await archive.putOnce(key, bytes, keep);
				if (dies) throw lost;
				return put;
			},
		});
		const stage = await openStage(wrap);
		await stage.add(3);
		await stage.sign();
		await stage.add(4);
		isArmed = true;
		await expect(stage.sign()).rejects.toBe(lost);
		isArmed = false;
		return stage;
	}

	test("after the note: it is adopted, and nothing else is signed with its number", async () => {
		const stage = await openDying("proof/checkpoints/000000000002.txt", "after");
		const written = readText(stage, "proof/checkpoints/000000000002.txt");
		await stage.add(2);
		const enough = await makeCheckpoint(stage, (newest) => newest.number === 2);
		expect(enough).toMatchObject({ number: 2, size: 7, note: written });
		const next = await stage.sign();
		expect(next).toMatchObject({ number: 3, size: 9, previous: sha256(written) });
		expect(names(stage, LEAVES).map((name) => name.slice(0, 25))).toEqual([
			...["000000000000-000000000002", "000000000003-000000000006", "000000000007-000000000008"],
		]);
		await stage.close();
	}, 120_000);

	test.each([
		["proof/leaves/", "after"],
		["proof/checkpoints/000000000002.logs", "before"],
	] as const)(
		"uncovered lines (%s, %s the write) are continued, even if a date has changed",
		async (prefix, when) => {
			const stage = await openDying(prefix, when);
			await stage.owner`update seals set retain_until = retain_until + interval '1 year'`;
			await stage.add(2);
			const next = await stage.sign();
			expect(next).toMatchObject({ number: 2, size: 9 });
			expect(names(stage, LEAVES).map((name) => name.slice(0, 25))).toEqual([
				...["000000000000-000000000002", "000000000003-000000000006", "000000000007-000000000008"],
			]);
			await stage.close();
		},
		120_000,
	);
});

describe("what is never signed", () => {
	const hashes = (edit: string) => (stage: Stage) =>
		behindTheirBack(stage, "tree_blocks", () => stage.owner.unsafe(edit));
	const zeros = "decode(repeat('00', 32), 'hex')";
	const spoil: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
		"an old leaf's document was changed, and all nodes made again": async (stage) => {
			await behindTheirBack(
				stage,
				"seals",
				() => stage.owner`update seals set sha256 = ${randomBytes(32)} where leaf = 1`,
			);
			await hashes(`update tree_blocks set hashes = overlay(hashes placing
				(select archive_leaf_hash(doc_id, sha256, decided_at) from seals where leaf = 1) from 33) where block = 0`)(
				stage,
			);
			await behindTheirBack(stage, "tree_nodes", async () => {
				await stage.owner`delete from tree_nodes`;
				await stage.owner`select append_tree_nodes(anchor, block, hashes) from tree_blocks where block = 0`;
			});
		},
		"an old leaf's hash was changed": hashes(
			`update tree_blocks set hashes = overlay(hashes placing ${zeros} from 2 * 32 + 1) where block = 1`,
		),
		"a node was changed": (stage) =>
			behindTheirBack(stage, "tree_nodes", () => stage.owner`update tree_nodes set hash = ${randomBytes(32)}`),
		"a new leaf does not hash to what it says": (stage) =>
			behindTheirBack(
				stage,
				"seals",
				() => stage.owner`
				update seals set sha256 = ${randomBytes(32)} where leaf = 21`,
			),
		"the last leaves are gone": hashes("update tree_blocks set hashes = substring(hashes for 3 * 32) where block = 1"),
		"a leaf's row in between is gone": (stage) =>
			behindTheirBack(stage, "seals", () => stage.owner`delete from seals where leaf = 21`),
		"the store has a list of other logs under the next number": async (stage) =>
			writeFileSync(
				join(stage.folder, "proof/checkpoints/000000000002.logs"),
				readText(stage, "proof/checkpoints/000000000001.logs").replace(`${LOG} 20 `, `${LOG} 21 `),
			),
		"the store has a note of its own under the next number": async (stage) =>
			writeFileSync(join(stage.folder, "proof/checkpoints/000000000002.txt"), "something\n\n— else AAAA\n"),
		"the store has lines of other leaves": async (stage) =>
			writeFileSync(join(stage.folder, `proof/${LEAVES}/000000000020-000000000020.jsonl`), '{"leafIndex":20}\n'),
		"the store has lines of more leaves than there are": async (stage) =>
			writeFileSync(join(stage.folder, `proof/${LEAVES}/000000000020-000000000099.jsonl`), '{"leafIndex":20}\n'),
	};

	test.each(Object.keys(spoil))(
		"%s",
		async (what) => {
			const stage = await openStage();
			try {
				await stage.add(20);
				const signed = await stage.sign();
				await stage.add(3);
				await spoil[what]?.(stage);
				const metrics = createMetrics();
				const deps = { ...stage, log: createLog("silent", "test"), metrics };
				const asked = createCheckpoints(deps).covering(at(22));
				await expect(asked).rejects.toBeInstanceOf(ArchiveContradictionError);
				expect((await metrics.archiveContradictions.get()).values[0]?.value).toBe(1);
				expect(await findCheckpoints(stage.sql, 0, 10)).toEqual([signed]);
			} finally {
				await stage.close();
			}
		},
		120_000,
	);

	test("a restored database adopts the notes of its own log", async () => {
		const stage = await openStage();
		await stage.add(5);
		await stage.sign();
		await stage.add(5);
		const second = await stage.sign();
		await behindTheirBack(
			stage,
			"archive_checkpoints",
			() => stage.owner`delete from archive_checkpoints where number = 2`,
		);
		expect(await makeCheckpoint(stage, ({ number }) => number === 2)).toEqual(second);
		await stage.close();
	}, 120_000);
});

test("requests get the same checkpoint, and at most sixty an hour are signed", async () => {
	const stage = await openStage();
	const checkpoints = createCheckpoints({ ...stage, log: createLog("silent", "test"), metrics: createMetrics() });
	await stage.add(2);
	const [first, second] = await Promise.all([checkpoints.covering(at(0)), checkpoints.covering(at(1))]);
	expect(first).toEqual(second);
	for (let i = 0; i < 58; i++) await stage.sign();
	await stage.add(1);
	const last = await checkpoints.covering(at(2));
	expect(last.number).toBe(60);
	expect(await checkpoints.covering(at(1))).toEqual(first);
	await stage.add(1);
	const refused = await checkpoints.covering(at(3)).catch((error: unknown) => error);
	expect(refused).toBeInstanceOf(Problem);
	expect(refused).toMatchObject({ slug: "service-unavailable" });
	expect(Number((refused as Problem).headers["retry-after"])).toBeGreaterThan(0);
	// The new key's first checkpoint covers what there is.
	const { checkpoint } = await rotateKey(stage);
	expect((await checkpoints.covering(at(1))).number).toBe(checkpoint);
	await stage.close();
}, 120_000);

test("a request during a failure of the store gets 503, and later the checkpoint", async () => {
	const stage = await openStage();
	try {
		const checkpoints = createCheckpoints({ ...stage, log: createLog("silent", "test"), metrics: createMetrics() });
		await stage.add(1);
		// No folder can be made where a file lies.
		const inTheWay = join(stage.folder, "proof");
		writeFileSync(inTheWay, "");
		const refused = await checkpoints.covering(at(0)).catch((error: unknown) => error);
		expect(refused).toMatchObject({ slug: "service-unavailable", headers: { "retry-after": "30" } });
		rmSync(inTheWay);
		expect((await checkpoints.covering(at(0))).number).toBe(1);
	} finally {
		await stage.close();
	}
}, 120_000);

test("a key without its private part is replaced for checkpoint and receipt", async () => {
	const stage = await openStage();
	try {
		const open = () => createCheckpoints({ ...stage, log: createLog("silent", "test"), metrics: createMetrics() });
		await stage.add(2);
		const first = await open().covering(at(1));
		await behindTheirBack(stage, "archive_keys", () => stage.owner`update archive_keys set sealed_private_key = null`);
		const checkpoints = open();
		const second = await checkpoints.covering(at(1));
		expect([second.number, second.keyName === first.keyName]).toEqual([2, false]);
		expect(await checkpoints.signReceipt(second.keyName, {})).toMatchObject({ signature: expect.any(String) });
	} finally {
		await stage.close();
	}
}, 120_000);

test("every day has exactly one checkpoint, even without documents", async () => {
	const stage = await openStage();
	let now = new Date("2026-11-21T23:59:00Z");
	const clock = { now: () => now };
	const checkpoints = createCheckpoints({
		...stage,
		clock,
		log: createLog("silent", "test"),
		metrics: createMetrics(),
	});
	expect(await checkpoints.status()).toEqual({ leaves: 0, ageSeconds: null });
	expect(await checkpoints.makeDue()).toMatchObject({ number: 1, size: 0 });
	expect(await checkpoints.makeDue()).toBeUndefined();
	now = new Date("2026-11-22T00:10:00Z");
	expect(await checkpoints.makeDue()).toMatchObject({ number: 2, size: 0 });
	expect(await checkpoints.makeDue()).toBeUndefined();
	now = new Date("2026-11-22T00:10:30Z");
	expect(await checkpoints.status()).toEqual({ leaves: 0, ageSeconds: 30 });
	await stage.close();
}, 120_000);
