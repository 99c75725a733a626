import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { chmodSync, copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
	insertArchiveObjects,
	type NewObject,
	readLogSizes,
	readRoot,
	restoreArchive,
	verifyArchive,
} from "../../../src/archive";
import { createCheckpoints } from "../../../src/archive/checkpoints";
import type { Sql } from "../../../src/platform/database";
import { createEnvelope } from "../../../src/platform/secrets";
import { createLog, createMetrics } from "../../../src/platform/telemetry";
import { systemClock } from "../../../src/platform/values";
import { openTestDatabase } from "../../support/database";
import {
	archiveSealed,
	asOwner,
	LOG,
	makeSealed,
	type Scene,
	signCheckpoint,
	tenantOfLog,
	withArchive,
} from "../../support/sealed-documents";

const restore = (scene: Pick<Scene, "sql" | "archive">) => restoreArchive({ ...scene, environment: "sandbox" });

/** Another database, as new. */
async function withDatabase(use: (sql: Sql, owner: Sql) => Promise<void>): Promise<void> {
	const database = await openTestDatabase();
	try {
		await use(database.sql, database.owner);
	} finally {
		await database.close();
	}
}

const blocksOf = (sql: Sql) => sql`select * from tree_blocks order by anchor, block`;
const nodesOf = (sql: Sql) => sql`select * from tree_nodes order by anchor, level, node`;
const rowsOf = (sql: Sql) => sql`
	select tenant_id, doc_id, n, shard, leaf, link, link_hash, sha256, bytes, decided_at, retain_until, removed_at, version_id, encf, type, status
	from seals order by shard, leaf`;
const chainsOf = (sql: Sql) => sql`select * from seal_chains order by tenant_id`;
const checkpointsOf = (sql: Sql) => sql`select * from archive_checkpoints order by number`;

function change(path: string, edit: (bytes: Buffer) => Uint8Array): void {
	const bytes = readFileSync(path);
	chmodSync(path, 0o640);
	writeFileSync(path, edit(bytes));
}

test(
	"the index is restored row for row from the archive alone, and only once",
	() =>
		withArchive(async (scene) => {
			const tenants = [tenantOfLog(LOG), tenantOfLog(LOG), tenantOfLog(12), tenantOfLog(63)];
			const add = (count: number, from?: string, into: Pick<Scene, "sql" | "archive"> = scene) =>
				archiveSealed(into, count, from === undefined ? undefined : new Date(from), tenants);
			await add(40);
			await signCheckpoint(scene);
			await add(20, "2026-02-01T00:00:00Z");
			const { logs } = await signCheckpoint(scene);
			// After the last checkpoint: in the order of decision, which is what a restore assigns.
			await add(5, "2026-03-01T00:00:00Z");
			await withDatabase(async (sql) => {
				const first = await restore({ ...scene, sql });
				expect(first).toMatchObject({
					restored: { objects: 65, leaves: 65, withoutLine: 5, checkpoints: 2 },
					...{ objects: 65, verified: 65, checkpoints: 2, treeSize: 65, faults: [] },
				});
				const { size = 0, root } = logs[LOG] ?? {};
				expect(Buffer.from(await readRoot(sql, LOG, size)).toString("hex")).toBe(root ?? "");
				for (const read of [blocksOf, nodesOf, chainsOf, checkpointsOf])
					expect([...(await read(sql))]).toEqual([...(await read(scene.sql))]);
				const described = { encf: "E310000000001", type: "31", status: "accepted" };
				expect([...(await rowsOf(sql))]).toEqual(
					[...(await rowsOf(scene.sql))].map((row) => ({ ...row, ...described })),
				);
				const second = await restore({ ...scene, sql });
				expect(second).toEqual({ ...first, restored: { objects: 0, leaves: 0, withoutLine: 0, checkpoints: 0 } });
				// What comes now goes on from there, under a key of its own.
				await add(3, "2026-04-01T00:00:00Z", { ...scene, sql });
				expect(await signCheckpoint({ ...scene, sql })).toMatchObject({ number: 3, size: 68 });
				expect(await verifyArchive({ ...scene, sql })).toMatchObject({
					verified: 68,
					faults: [],
				});
			});
		}),
	120_000,
);

test(
	"a restored key signs nothing; new proof has a checkpoint of a new key",
	() =>
		withArchive(async (scene) => {
			await archiveSealed(scene, 3);
			const { keyName } = await signCheckpoint(scene);
			await withDatabase(async (sql) => {
				await restore({ ...scene, sql });
				const about = { environment: "sandbox", clock: systemClock, log: createLog("silent", "test") } as const;
				const deps = { ...about, sql, archive: scene.archive, envelope: createEnvelope(randomBytes(32)) };
				const checkpoints = createCheckpoints({ ...deps, metrics: createMetrics() });
				const covering = await checkpoints.covering({ log: LOG, leafIndex: 0 });
				expect(covering).toMatchObject({ number: 2, size: 3 });
				expect(covering.keyName).not.toBe(keyName);
				expect(await checkpoints.signReceipt(covering.keyName, {})).toContainKeys(["payload", "signature"]);
				expect(await checkpoints.covering({ log: LOG, leafIndex: 2 })).toEqual(covering);
			});
		}),
	120_000,
);

test(
	"an archive without a checkpoint is restored in the order of decision",
	() =>
		withArchive(async (scene) => {
			await archiveSealed(scene, 3, new Date("2026-02-01T00:00:00Z"));
			await archiveSealed(scene, 3, new Date("2026-01-01T00:00:00Z"));
			await withDatabase(async (sql) => {
				expect(await restore({ ...scene, sql })).toMatchObject({
					restored: { leaves: 6, withoutLine: 6 },
					verified: 6,
					faults: [],
				});
				const order = await sql`select decided_at as at from seals order by leaf`;
				expect(order.map(({ at }) => at)).toEqual(order.map(({ at }) => at).sort((a, b) => a - b));
			});
			await withDatabase(async (sql) => {
				rmSync(scene.folder, { recursive: true });
				expect(await restore({ ...scene, sql })).toMatchObject({ restored: { leaves: 0 }, objects: 0, faults: [] });
			});
		}),
	120_000,
);

test(
	"damaged and missing objects are reported, and everything else is restored",
	() =>
		withArchive(async (scene) => {
			const [damaged, missing] = await archiveSealed(scene, 30);
			const [over] = await archiveSealed(scene, 3, new Date("2010-01-01T00:00:00Z"));
			await signCheckpoint(scene);
			const [late, copied] = await archiveSealed(scene, 4, new Date("2026-03-01T00:00:00Z"));
			if (!damaged || !missing || !over || !late || !copied) throw new Error("nothing was archived");
			const pathOf = (key: string) => join(scene.folder, key);
			for (const { objectKey } of [damaged, late]) change(pathOf(objectKey), (bytes) => bytes.fill(0, 40, 50));
			// An object removed after its retention is not missing.
			for (const { objectKey } of [missing, over]) rmSync(pathOf(objectKey));
			copyFileSync(pathOf(copied.objectKey), pathOf(`${copied.objectKey.slice(0, -4)}-copy.zip`));
			await withDatabase(async (sql) => {
				const report = await restore({ ...scene, sql });
				expect(report).toMatchObject({
					restored: { leaves: 36, withoutLine: 3 },
					objects: 35,
					verified: 33,
					treeSize: 36,
				});
				const reported = report.faults.map(({ docId, key, fault }) => [docId, key, fault]);
				expect(reported).toHaveLength(4);
				expect(reported).toContainEqual([damaged.docId, damaged.objectKey, "changed"]);
				expect(reported).toContainEqual([missing.docId, missing.objectKey, "missing"]);
				expect(reported).toContainEqual([null, late.objectKey, "strange"]);
				expect(reported).toContainEqual([copied.docId, `${copied.objectKey.slice(0, -4)}-copy.zip`, "strange"]);
			});
		}),
	120_000,
);

test(
	"an older copy of the index is completed, and lost rows come back",
	() =>
		withArchive(async (scene) => {
			await withDatabase(async (sql) => {
				await archiveSealed({ ...scene, sql }, 20);
				await signCheckpoint({ ...scene, sql });
				const older = await sql<NewObject[]>`
					select tenant_id as "tenantId", doc_id as "docId", encode(sha256, 'hex') as sha256, decided_at as "decidedAt", bytes,
						retain_until as "retainUntil", version_id as "versionId"
					from seals order by leaf limit 7`;
				for (const one of older) await insertArchiveObjects(scene.sql, [one]);
				const { object, sealed } = makeSealed();
				await scene.archive.putOnce(object.objectKey, sealed, object);
				expect(await restore(scene)).toMatchObject({
					restored: { objects: 14, leaves: 14, withoutLine: 1, checkpoints: 1 },
					...{ objects: 21, verified: 21, faults: [] },
				});
				const places = (rows: readonly { doc_id?: string; leaf?: number; link?: number }[]) =>
					rows.slice(0, 20).map(({ doc_id, leaf, link }) => [doc_id, leaf, link]);
				expect(places(await rowsOf(scene.sql))).toEqual(places(await rowsOf(sql)));
			});
		}),
	120_000,
);

const LINES = `proof/leaves/0${LOG}/000000000000-000000000019.jsonl`;
const NOTE = (n: number) => `proof/checkpoints/00000000000${n}.txt`;

test(
	"an invalid proof or another database is refused and nothing is changed",
	() =>
		withArchive(async (scene) => {
			await archiveSealed(scene, 20);
			await signCheckpoint(scene);
			await archiveSealed(scene, 4);
			await signCheckpoint(scene);
			const { folder, archive } = scene;
			const text = (edit: (text: string) => string) => (bytes: Buffer) => Buffer.from(edit(bytes.toString()));
			const spoilt: [spoil: () => unknown, sentence: string][] = [
				[() => rmSync(join(folder, LINES)), `the lines of leaves 0 to 19 of log ${LOG} are missing from the store`],
				[() => rmSync(join(folder, NOTE(2).replace(".txt", ".logs"))), `${NOTE(2)} has no list of logs`],
				[
					() =>
						change(
							join(folder, NOTE(2).replace(".txt", ".logs")),
							text((one) => one.replace("7 24", "7 23")),
						),
					`${NOTE(2)} is not of its list of logs`,
				],
				[() => rmSync(join(folder, NOTE(1))), `${NOTE(1)} is missing, ${NOTE(2)} is there`],
				[
					() =>
						change(
							join(folder, NOTE(2)),
							text((one) => one.replace("24\n", "23\n")),
						),
					"does not hold",
				],
				[
					() =>
						change(
							join(folder, LINES),
							text((one) => one.replace('"leafIndex":3', '"leafIndex":4')),
						),
					`line 4 of ${LINES} is not the one of leaf 3`,
				],
				[
					() =>
						change(
							join(folder, LINES),
							text((one) => one.replace(/"sha256":"../, '"sha256":"zz')),
						),
					`line 1 of ${LINES} is not the one of leaf 0`,
				],
				[
					() =>
						change(
							join(folder, LINES),
							text((one) => one.replaceAll(/T00:0(.):00.000Z","ret/g, 'T01:0$1:00.000Z","ret')),
						),
					"checkpoint 1 has the root",
				],
				[
					() =>
						change(
							join(folder, LINES),
							text((one) => one.replace('"chainIndex":2', '"chainIndex":9')),
						),
					"is another one than the index has",
				],
				[() => rmSync(join(folder, "proof/keys"), { recursive: true }), "no known key has signed it"],
			];
			await withDatabase(async (sql) => {
				for (const [spoil, sentence] of spoilt) {
					cpSync(join(folder, "proof"), `${folder}-proof`, { recursive: true });
					await spoil();
					await expect(restore({ sql, archive })).rejects.toThrow(sentence);
					rmSync(join(folder, "proof"), { recursive: true });
					cpSync(`${folder}-proof`, join(folder, "proof"), { recursive: true });
					rmSync(`${folder}-proof`, { recursive: true });
					expect([
						(await readLogSizes(sql))[LOG],
						(await rowsOf(sql)).length,
						(await checkpointsOf(sql)).length,
					]).toEqual([0, 0, 0]);
				}
				await expect(restoreArchive({ sql, archive, environment: "production" })).rejects.toThrow(
					"the archive is of the environment sandbox, this deployment is production",
				);
				// Another archive's leaves stand there.
				const { object } = makeSealed();
				await insertArchiveObjects(sql, [object]);
				await expect(restore({ sql, archive })).rejects.toThrow(
					`leaf 0 of log ${LOG} is another one than the index has`,
				);
				expect((await readLogSizes(sql))[LOG]).toBe(1);
			});
			// The same leaves and more that this archive does not hold.
			await insertArchiveObjects(scene.sql, [makeSealed().object]);
			await expect(restore(scene)).rejects.toThrow("the index has 1 more objects than the archive");
			await withDatabase(async (sql, owner) => {
				await archiveSealed(
					{ ...scene, sql, archive: { ...archive, putOnce: async () => ({ sha256: "", bytes: 0, created: true }) } },
					1,
				);
				await asOwner({ owner }, "delete from tree_blocks");
				await expect(restore({ sql, archive })).rejects.toThrow("without a leaf");
			});
		}),
	120_000,
);
