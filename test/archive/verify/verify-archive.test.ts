import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
	type ArchiveFault,
	type ArchiveObject,
	insertArchiveObjects,
	readLogSizes,
	rootOfLogs,
	sealedObjectKey,
	type VerifyProgress,
	verifyArchive,
} from "../../../src/archive";
import { readRoots } from "../../../src/archive/merkle";
import { ARCHIVE_KINDS } from "../../../src/platform/outbox";
import { newId } from "../../../src/platform/values";
import {
	archiveSealed,
	asOwner,
	LOG,
	makeSealed,
	type Scene,
	tenantOfLog,
	withArchive,
} from "../../support/sealed-documents";

const verify = (scene: Scene) => verifyArchive(scene);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

function at<T>(list: readonly T[], index: number): T {
	const one = list[index];
	if (one === undefined) throw new Error(`there is no ${index}`);
	return one;
}

function overwrite(path: string, bytes: Uint8Array): void {
	chmodSync(path, 0o640);
	writeFileSync(path, bytes);
}

test(
	"an unchanged archive verifies with the root of its tree",
	() =>
		withArchive(async (scene) => {
			expect(await verify(scene)).toMatchObject({ objects: 0, verified: 0, treeSize: 0, faults: [] });
			await archiveSealed(scene, 70, undefined, [tenantOfLog(3), tenantOfLog(3), tenantOfLog(60)]);
			const seen: VerifyProgress[] = [];
			const report = await verifyArchive({ ...scene, onProgress: (now) => seen.push(now) });
			const sizes = await readLogSizes(scene.sql);
			const roots = await readRoots(scene.sql, sizes);
			const root = hex(rootOfLogs(roots.map((one, log) => ({ size: sizes[log] ?? 0, root: one }))));
			expect(report).toEqual({ objects: 70, verified: 70, checkpoints: 0, treeSize: 70, root, faults: [] });
			expect(seen.at(-1)).toEqual({ objects: 70, of: 70, faults: 0 });
		}),
	120_000,
);

test(
	"every manipulation of an object is reported with document, key and message",
	() =>
		withArchive(async (scene) => {
			const objects = await archiveSealed(scene, 120);
			const pathOf = ({ objectKey }: ArchiveObject) => join(scene.folder, objectKey);
			const expected = new Map<string, [fault: string, detail: RegExp]>();
			for (const [i, object] of objects.entries()) {
				const path = pathOf(object);
				const bytes = readFileSync(path);
				if (i % 6 === 0) {
					const bit = (i * 7919) % (bytes.length * 8);
					overwrite(
						path,
						bytes.map((byte, n) => (n === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte)),
					);
					expected.set(object.objectKey, ["changed", /^the object has other bytes than were archived$/]);
				}
				if (i % 6 === 1) {
					overwrite(path, bytes.subarray(0, (i * 31) % bytes.length));
					expected.set(object.objectKey, ["changed", /^the object has other bytes than were archived$/]);
				}
				if (i % 6 === 2) {
					rmSync(path);
					expected.set(object.objectKey, ["missing", /^the object is not in the store$/]);
				}
				if (i % 6 === 3) {
					const other = at(objects, i + 1);
					overwrite(path, readFileSync(pathOf(other)));
					overwrite(pathOf(other), bytes);
					expected.set(object.objectKey, ["changed", new RegExp(`those of document ${other.docId}$`)]);
					expected.set(other.objectKey, ["changed", new RegExp(`those of document ${object.docId}$`)]);
				}
			}
			const folderInstead = at(objects, 5);
			rmSync(pathOf(folderInstead));
			mkdirSync(pathOf(folderInstead));
			expected.set(folderInstead.objectKey, ["unreadable", /^the object cannot be read$/]);

			const report = await verify(scene);
			expect(new Set(report.faults.map(({ key }) => key))).toEqual(new Set(expected.keys()));
			expect(report.faults).toHaveLength(expected.size);
			for (const { docId, key, fault, detail } of report.faults) {
				const [kind, sentence] = expected.get(key ?? "") ?? ["", /^$/];
				expect([key, fault, docId]).toEqual([
					key,
					kind as typeof fault,
					objects.find((one) => one.objectKey === key)?.docId ?? null,
				]);
				expect(detail).toMatch(sentence);
			}
			expect([report.objects, report.verified]).toEqual([120, 120 - expected.size]);
		}),
	120_000,
);

test(
	"objects without a row are reported; drafts and waiting documents are not",
	() =>
		withArchive(async (scene) => {
			const objects = await archiveSealed(scene, 3);
			const [moved] = objects;
			if (!moved) throw new Error("nothing was archived");
			const elsewhere = `${newId()}/2026/moved.zip`;
			mkdirSync(dirname(join(scene.folder, elsewhere)), { recursive: true });
			renameSync(join(scene.folder, moved.objectKey), join(scene.folder, elsewhere));
			writeFileSync(join(scene.folder, "note.txt"), "put here by hand");
			writeFileSync(join(scene.folder, ".temporary", "draft"), "half an obj");
			const lost = makeSealed();
			const waiting = ARCHIVE_KINDS.map((kind) => ({ kind, ...makeSealed() }));
			for (const { object, sealed } of [lost, ...waiting]) {
				await scene.archive.putOnce(object.objectKey, sealed, object);
			}
			const copy = `${waiting[0]?.object.tenantId}/2026/${newId()}-0123456789abcdef.zip`;
			writeFileSync(join(scene.folder, copy), waiting[0]?.sealed ?? "");
			for (const { kind, object } of waiting) {
				await scene.sql`
					insert into outbox (id, kind, tenant_id, subject)
					values (${newId()}, ${kind}, ${object.tenantId}, ${object.docId})`;
			}

			const { faults } = await verify(scene);
			const byKey = new Map(faults.map((fault) => [fault.key, fault]));
			expect(byKey.size).toBe(5);
			expect(byKey.get(copy)).toMatchObject({ docId: waiting[0]?.object.docId, fault: "strange" });
			expect(byKey.get(moved.objectKey)).toMatchObject({ docId: moved.docId, fault: "missing" });
			expect(byKey.get(elsewhere)).toMatchObject({
				docId: moved.docId,
				fault: "strange",
				detail: `an object without a row: the bytes of document ${moved.docId}, which belong under ${moved.objectKey}`,
			});
			expect(byKey.get("note.txt")).toMatchObject({ docId: null, fault: "strange" });
			expect(byKey.get(lost.object.objectKey)).toMatchObject({ docId: lost.object.docId, fault: "strange" });
		}),
	120_000,
);

test(
	"a sealed object that disagrees with the index is reported",
	() =>
		withArchive(async (scene) => {
			const { object } = makeSealed();
			const put = async (change: Partial<ArchiveObject>) => {
				const { object: made, sealed } = makeSealed({ tenantId: object.tenantId });
				const changed = { ...made, ...change };
				const objectKey = sealedObjectKey(changed);
				await scene.archive.putOnce(objectKey, sealed, made);
				await insertArchiveObjects(scene.sql, [changed]);
				return objectKey;
			};
			const later = (days: number) => new Date(object.retainUntil.getTime() + days * 86_400_000);
			await put({ retainUntil: later(1) });
			const expected = new Map([
				[await put({ docId: newId() }), "the object is of document "],
				[await put({ tenantId: newId() }), `the object is of tenant ${object.tenantId}, the index says `],
				[
					await put({ decidedAt: new Date(0) }),
					"the object was decided at 2026-11-20T14:20:00.902Z, the index says 1970",
				],
				[
					await put({ retainUntil: later(-1) }),
					"the object is kept until 2036-11-20T14:20:00.902Z, the index says 2036-11-19",
				],
				[await put({ bytes: 7 }), "the object has "],
			]);
			const noise = Buffer.from("signed by no key");
			const sha256 = hex(new Bun.CryptoHasher("sha256").update(noise).digest());
			const key = sealedObjectKey({ ...object, sha256 });
			const { bytes } = await scene.archive.putOnce(key, noise, object);
			await insertArchiveObjects(scene.sql, [{ ...object, sha256, bytes }]);
			expected.set(key, "the object is not a whole sealed document: it is not a ZIP file");
			const { faults } = await verify(scene);
			expect(faults).toHaveLength(expected.size);
			for (const { key, fault, detail } of faults) {
				expect([fault, detail.slice(0, expected.get(key ?? "")?.length)]).toEqual([
					"sealed",
					expected.get(key ?? "") ?? "",
				]);
			}
		}),
	120_000,
);

const ZEROS = "decode(repeat('00', 32), 'hex')";

const CHANGES: readonly (readonly [
	what: string,
	statement: (leaf: number) => string,
	expected: readonly Partial<ArchiveFault>[],
])[] = [
	[
		"a leaf's hash",
		(n) =>
			`update tree_blocks set hashes = overlay(hashes placing ${ZEROS} from ${n % 16} * 32 + 1) where block = ${n >> 4}`,
		[{ fault: "leaf" }],
	],
	[
		"a row's digest and its leaf, each fitting the other",
		(n) =>
			`update seals set sha256 = ${ZEROS} where leaf = ${n};
			update tree_blocks set hashes = overlay(hashes placing
				(select archive_leaf_hash(doc_id, sha256, decided_at) from seals where leaf = ${n}) from ${n % 16} * 32 + 1) where block = ${n >> 4}`,
		[{ fault: "chain" }, { fault: "node" }, { fault: "missing" }, { fault: "strange" }],
	],
	[
		"a link of a chain",
		(n) => `update seals set link_hash = ${ZEROS} where leaf = ${n}`,
		[{ fault: "chain" }, { fault: "chain" }],
	],
	[
		"a node over sixteen leaves",
		() => `update tree_nodes set hash = ${ZEROS} where level = 4 and node = 1`,
		[{ fault: "node", detail: `node 1 of level 4 in log ${LOG}, over leaves 16 to 31, is not the one of its leaves` }],
	],
	[
		"a node that is gone",
		() => "delete from tree_nodes where level = 5 and node = 0",
		[{ fault: "node", detail: `node 0 of level 5 in log ${LOG}, over leaves 0 to 31, is missing` }],
	],
	[
		"a node too many",
		() => `insert into tree_nodes select anchor, 6, 0, ${ZEROS} from shards where shard = ${LOG}`,
		[{ fault: "node", detail: `node 0 of level 6 in log ${LOG} covers leaves that do not exist` }],
	],
	[
		"a row that is gone",
		(n) => `delete from seals where leaf = ${n}`,
		[
			{ fault: "gap", detail: `leaf 20 is missing in log ${LOG}: nothing after that can be proved` },
			{ fault: "chain" },
			{ fault: "strange" },
		],
	],
	[
		"a row of another document",
		(n) => `update seals set doc_id = '00000000-0000-7000-8000-000000000000' where leaf = ${n}`,
		[{ fault: "leaf" }, { fault: "chain" }, { fault: "missing" }, { fault: "strange" }],
	],
	[
		"a row without a leaf",
		() => `insert into seals (tenant_id, doc_id, n, shard, leaf, link, link_hash, sha256, bytes, decided_at, retain_until)
			select tenant_id, doc_id, 2, shard, 50, 99, ${ZEROS}, ${ZEROS}, 1, decided_at, retain_until from seals where leaf = 20`,
		[{ fault: "leaf" }],
	],
	[
		"a second row of a leaf",
		(
			n,
		) => `insert into seals (tenant_id, doc_id, n, shard, leaf, link, link_hash, sha256, bytes, decided_at, retain_until, removed_at)
			select tenant_id, doc_id, 2, shard, leaf, 99, ${ZEROS}, ${ZEROS}, 1, decided_at, retain_until, now() from seals where leaf = ${n}`,
		[{ fault: "leaf" }, { fault: "chain" }],
	],
];

test(
	"every change of the tables is reported once for each cause",
	() =>
		withArchive(async (scene) => {
			await archiveSealed(scene, 50);
			const tables = ["seals", "tree_blocks", "tree_nodes"];
			for (const table of tables) await asOwner(scene, `create table ${table}_kept as table ${table}`);
			for (const [what, statement, expected] of CHANGES) {
				await asOwner(scene, statement(20));
				const { faults } = await verify(scene);
				expect([what, faults.map(({ fault }) => fault)]).toEqual([what, expected.map(({ fault }) => fault ?? "leaf")]);
				for (const [i, one] of expected.entries()) expect(faults[i]).toMatchObject(one);
				for (const table of tables)
					await asOwner(scene, `delete from ${table}; insert into ${table} select * from ${table}_kept`);
			}
			expect((await verify(scene)).faults).toEqual([]);
		}),
	120_000,
);

test(
	"removed documents are no fault, unless their objects are still in the store",
	() =>
		withArchive(async (scene) => {
			const [removed, left] = await archiveSealed(scene, 5);
			if (!removed || !left) throw new Error("nothing was archived");
			const remove = ({ docId }: ArchiveObject) =>
				asOwner(scene, `update seals set removed_at = now() where doc_id = '${docId}'`);
			await remove(removed);
			rmSync(join(scene.folder, removed.objectKey));
			expect(await verify(scene)).toMatchObject({ objects: 4, verified: 4, treeSize: 5, faults: [] });
			await remove(left);
			const { faults } = await verify(scene);
			expect(faults.map(({ key, fault }) => [key, fault])).toEqual([[left.objectKey, "strange"]]);
		}),
	120_000,
);
