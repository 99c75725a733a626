import { afterAll, beforeAll, expect, test } from "bun:test";
import {
	type ArchiveObject,
	createTree,
	encodeLeaf,
	hashLeaf,
	insertArchiveObjects,
	NO_LINK,
	nextLink,
	readConsistencyProof,
	readInclusionProof,
	readRoot,
	readTreeSize,
	verifyConsistency,
	verifyInclusion,
} from "../../../src/archive";
import { connect } from "../../../src/platform/database";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { consistencyProof, inclusionProof, rootOf } from "../../support/merkle-proofs";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const hexes = (list: readonly Uint8Array[]) => list.map(hex);

function makeObject(tenantId: string, n: number): ArchiveObject {
	const docId = newId();
	const decidedAt = new Date(Date.parse("2026-11-20T14:20:00.902Z") + n);
	const retainUntil = new Date(Date.parse("2036-11-20T14:20:00.902Z") + n);
	const sha256 = hex(hashLeaf(Buffer.from(docId)));
	return {
		docId,
		tenantId,
		objectKey: `${tenantId}/2026/${docId}.zip`,
		sha256,
		bytes: 1,
		decidedAt,
		retainUntil,
		versionId: null,
	};
}

type Row = {
	tenantId: string;
	chainIndex: number;
	docId: string;
	sha256: Uint8Array;
	decidedAt: Date;
	leafHash: Uint8Array;
	chainHash: Uint8Array;
};

/** All leaves in their order, each judged by the functions that anybody can run; the answer is their hashes. */
async function judgeLeaves(): Promise<Uint8Array[]> {
	const rows = await database.sql<(Row & { leafIndex: number })[]>`
		select leaf_index as "leafIndex", tenant_id as "tenantId", chain_index as "chainIndex", doc_id as "docId", sha256, decided_at as "decidedAt",
			leaf_hash as "leafHash", chain_hash as "chainHash"
		from archive_leaves order by leaf_index`;
	const chains = new Map<string, { index: number; hash: Uint8Array }>();
	const tree = createTree();
	const nodes: string[] = [];
	for (const [index, row] of rows.entries()) {
		expect(row.leafIndex).toBe(index);
		expect(hex(row.leafHash)).toBe(hex(hashLeaf(encodeLeaf(row))));
		const before = chains.get(row.tenantId) ?? { index: -1, hash: NO_LINK };
		const link = { index: before.index + 1, hash: nextLink(before.hash, row) };
		expect([row.chainIndex, hex(row.chainHash)]).toEqual([link.index, hex(link.hash)]);
		chains.set(row.tenantId, link);
		for (const one of tree.append(row.leafHash))
			if (one.level >= 4) nodes.push(`${one.level}/${one.index} ${hex(one.hash)}`);
	}
	const kept = await database.sql<{ level: number; index: number; hash: Uint8Array }[]>`
		select level, node_index as index, hash from archive_nodes`;
	expect(kept.map((one) => `${one.level}/${one.index} ${hex(one.hash)}`).sort()).toEqual(nodes.sort());
	return rows.map((row) => new Uint8Array(row.leafHash));
}

test("the database's leaves, links and nodes match an independent computation", async () => {
	const tenants = [newId(), newId(), newId()];
	for (const [i, count] of [1, 15, 1, 20, 64, 3].entries()) {
		const objects = Array.from({ length: count }, (_, n) => makeObject(tenants[(i + n) % 3] ?? "", n));
		await insertArchiveObjects(database.sql, objects);
	}
	const leaves = await judgeLeaves();
	expect(leaves).toHaveLength(104);
	expect(hex(await readRoot(database.sql, 104))).toBe(hex(rootOf(leaves)));
});

test("concurrent connections assign each index once, a rolled-back one none", async () => {
	const before = await readTreeSize(database.sql);
	const tenantId = newId();
	const others = Array.from({ length: 4 }, (_, n) =>
		connect({ url: database.url, name: `writer ${n}`, connectionsMax: 1 }),
	);
	const objects = Array.from({ length: 60 }, (_, n) => makeObject(tenantId, n));
	await Promise.all(
		objects.map((object, n) => {
			const sql = others[n % others.length] ?? database.sql;
			// Both writers of a pair have the same object: one of them finds it there.
			return sql.begin((tx) => insertArchiveObjects(tx, [object, objects[(n + 1) % objects.length] ?? object]));
		}),
	);
	const undone = makeObject(tenantId, 99);
	await expect(
		database.sql.begin(async (tx) => {
			await insertArchiveObjects(tx, [undone]);
			expect(await readTreeSize(tx)).toBe(before + 61);
			throw new Error("the writer's transaction fails");
		}),
	).rejects.toThrow("the writer's transaction fails");
	expect(await readTreeSize(database.sql)).toBe(before + 60);
	await insertArchiveObjects(database.sql, [makeObject(tenantId, 100)]);
	expect(await judgeLeaves()).toHaveLength(before + 61);
	for (const sql of others) await sql.end();
}, 120_000);

test("roots and proofs of a large tree are right and read a few dozen rows", async () => {
	const { sql } = database;
	const tenantId = newId();
	await sql`
		insert into archive_objects (object_key, doc_id, tenant_id, sha256, bytes, decided_at, retain_until)
		select ${tenantId} || '/2026/' || n || '.zip', gen_random_uuid(), ${tenantId}, sha256(int4send(n)), 1,
			timestamptz '2026-01-01' + n * interval '1 second', timestamptz '2036-01-01' + n * interval '1 second'
		from generate_series(1, 20000) n`;
	await sql.begin(async (tx) => {
		await tx`set local statement_timeout = 0`;
		await tx`
			select append_archive_leaves(array(select object_key from archive_objects where tenant_id = ${tenantId} order by decided_at limit 10000 offset k * 10000))
			from generate_series(0, 1) k`;
	});
	const leaves = await judgeLeaves();
	expect(leaves.length).toBeGreaterThan(20_000);
	const odd = (n: number, below: number) => (n * 7919 + 13) % below;
	const sizes = [1, 2, 15, 16, 17, 255, 256, 4097, 16_384, 16_385, 19_999, leaves.length];
	for (const [n, treeSize] of sizes.entries()) {
		const some = leaves.slice(0, treeSize);
		const root = await readRoot(sql, treeSize);
		expect(hex(root)).toBe(hex(rootOf(some)));
		for (const leafIndex of new Set([0, treeSize - 1, odd(n, treeSize), odd(n + 100, treeSize)])) {
			const proof = await readInclusionProof(sql, leafIndex, treeSize);
			expect(hexes(proof)).toEqual(hexes(inclusionProof(leafIndex, some)));
			const leafHash = leaves[leafIndex] ?? root;
			expect(verifyInclusion({ leafHash, leafIndex, treeSize, proof, root })).toBe(true);
			const size1 = leafIndex + 1;
			const grown = await readConsistencyProof(sql, size1, treeSize);
			expect(hexes(grown)).toEqual(hexes(consistencyProof(size1, some)));
			const root1 = await readRoot(sql, size1);
			expect(verifyConsistency({ size1, size2: treeSize, root1, root2: root, proof: grown })).toBe(true);
		}
	}
}, 300_000);

test("the empty tree has the root of nothing, and unknown sizes are refused", async () => {
	const { sql } = database;
	const size = await readTreeSize(sql);
	expect(hex(await readRoot(sql, 0))).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect(await readConsistencyProof(sql, 0, size)).toEqual([]);
	expect(await readConsistencyProof(sql, size, size)).toEqual([]);
	for (const attempt of [
		() => readRoot(sql, size + 1),
		() => readInclusionProof(sql, 0, size + 1),
		() => readConsistencyProof(sql, 1, size + 1),
		() => readConsistencyProof(sql, 0, size + 1),
		() => readConsistencyProof(sql, size + 1, size + 1),
	]) {
		await expect(attempt()).rejects.toThrow("the tree has no");
	}
	await expect(readInclusionProof(sql, size, size)).rejects.toThrow(`has no leaf ${size}`);
	await expect(readRoot(sql, -1)).rejects.toThrow("a whole number");
});
