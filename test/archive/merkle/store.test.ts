import { afterAll, beforeAll, expect, test } from "bun:test";
import {
	createTree,
	encodeLeaf,
	hashLeaf,
	insertArchiveObjects,
	type NewObject,
	NO_LINK,
	nextLink,
	readConsistencyProof,
	readInclusionProof,
	readLogSizes,
	readRoot,
	verifyConsistency,
	verifyInclusion,
} from "../../../src/archive";
import { connect, type Sql, type Tx } from "../../../src/platform/database";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { consistencyProof, inclusionProof, rootOf } from "../../support/merkle-proofs";
import { LOG, tenantOfLog } from "../../support/sealed-documents";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const hexes = (list: readonly Uint8Array[]) => list.map(hex);

const readSize = async (sql: Sql | Tx) => (await readLogSizes(sql))[LOG] ?? 0;

function makeObject(tenantId: string, n: number): NewObject {
	const docId = newId();
	const decidedAt = new Date(Date.parse("2026-11-20T14:20:00.902Z") + n);
	const retainUntil = new Date(Date.parse("2036-11-20T14:20:00.902Z") + n);
	const sha256 = hex(hashLeaf(Buffer.from(docId)));
	return {
		docId,
		tenantId,
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

/** All leaves of the log in their order, each judged by the functions that anybody can run; the answer is their hashes. */
async function judgeLeaves(): Promise<Uint8Array[]> {
	const rows = await database.sql<(Row & { leafIndex: number })[]>`
		select leaf as "leafIndex", tenant_id as "tenantId", link as "chainIndex", doc_id as "docId", sha256, decided_at as "decidedAt",
			substring(b.hashes from (leaf % 16)::int * 32 + 1 for 32) as "leafHash", link_hash as "chainHash"
		from seals s join shards a on a.shard = s.shard join tree_blocks b on b.anchor = a.anchor and b.block = leaf >> 4
		where s.shard = ${LOG} order by leaf`;
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
		select level, node as index, hash from tree_nodes join shards using (anchor) where shard = ${LOG}`;
	expect(kept.map((one) => `${one.level}/${one.index} ${hex(one.hash)}`).sort()).toEqual(nodes.sort());
	return rows.map((row) => new Uint8Array(row.leafHash));
}

test("the database's leaves, links and nodes match an independent computation", async () => {
	const tenants = [tenantOfLog(LOG), tenantOfLog(LOG), tenantOfLog(LOG)];
	const elsewhere = tenantOfLog(LOG + 1);
	for (const [i, count] of [1, 15, 1, 20, 64, 3].entries()) {
		const objects = Array.from({ length: count }, (_, n) => makeObject(tenants[(i + n) % 3] ?? "", n));
		// Another log grows beside it.
		await insertArchiveObjects(database.sql, [...objects, makeObject(elsewhere, i)]);
	}
	const leaves = await judgeLeaves();
	expect(leaves).toHaveLength(104);
	expect(hex(await readRoot(database.sql, LOG, 104))).toBe(hex(rootOf(leaves)));
});

test("concurrent connections assign each index once, a rolled-back one none", async () => {
	const before = await readSize(database.sql);
	const tenantId = tenantOfLog(LOG);
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
			expect(await readSize(tx)).toBe(before + 61);
			throw new Error("the writer's transaction fails");
		}),
	).rejects.toThrow("the writer's transaction fails");
	expect(await readSize(database.sql)).toBe(before + 60);
	await insertArchiveObjects(database.sql, [makeObject(tenantId, 100)]);
	expect(await judgeLeaves()).toHaveLength(before + 61);
	for (const sql of others) await sql.end();
}, 120_000);

test("roots and proofs of a large tree are right and read a few dozen rows", async () => {
	const { sql } = database;
	const tenantId = tenantOfLog(LOG);
	await sql.begin(async (tx) => {
		await tx`set local statement_timeout = 0`;
		await tx`
			select count(*) from (
				select json_agg(json_build_object('docId', gen_random_uuid(), 'tenantId', ${tenantId}::uuid, 'sha256', encode(sha256(int4send(n)), 'hex'),
					'bytes', 1, 'decidedAt', timestamptz '2026-01-01' + n * interval '1 second',
					'retainUntil', timestamptz '2036-01-01' + n * interval '1 second')) as objects
				from generate_series(1, 20000) n group by n / 2000
			) packs cross join lateral append_seals(objects)`;
	});
	const leaves = await judgeLeaves();
	expect(leaves.length).toBeGreaterThan(20_000);
	const odd = (n: number, below: number) => (n * 7919 + 13) % below;
	const sizes = [1, 2, 15, 16, 17, 255, 256, 4097, 16_384, 16_385, 19_999, leaves.length];
	for (const [n, treeSize] of sizes.entries()) {
		const some = leaves.slice(0, treeSize);
		const root = await readRoot(sql, LOG, treeSize);
		expect(hex(root)).toBe(hex(rootOf(some)));
		for (const leafIndex of new Set([0, treeSize - 1, odd(n, treeSize), odd(n + 100, treeSize)])) {
			const proof = await readInclusionProof(sql, LOG, leafIndex, treeSize);
			expect(hexes(proof)).toEqual(hexes(inclusionProof(leafIndex, some)));
			const leafHash = leaves[leafIndex] ?? root;
			expect(verifyInclusion({ leafHash, leafIndex, treeSize, proof, root })).toBe(true);
			const size1 = leafIndex + 1;
			const grown = await readConsistencyProof(sql, LOG, size1, treeSize);
			expect(hexes(grown)).toEqual(hexes(consistencyProof(size1, some)));
			const root1 = await readRoot(sql, LOG, size1);
			expect(verifyConsistency({ size1, size2: treeSize, root1, root2: root, proof: grown })).toBe(true);
		}
	}
}, 300_000);

test("the empty tree has the root of nothing, and unknown sizes are refused", async () => {
	const { sql } = database;
	const size = await readSize(sql);
	expect(hex(await readRoot(sql, LOG, 0))).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect(await readConsistencyProof(sql, LOG, 0, size)).toEqual([]);
	expect(await readConsistencyProof(sql, LOG, size, size)).toEqual([]);
	for (const attempt of [
		() => readRoot(sql, LOG, size + 1),
		() => readInclusionProof(sql, LOG, 0, size + 1),
		() => readConsistencyProof(sql, LOG, 1, size + 1),
		() => readConsistencyProof(sql, LOG, 0, size + 1),
		() => readConsistencyProof(sql, LOG, size + 1, size + 1),
	]) {
		await expect(attempt()).rejects.toThrow(`log ${LOG} has no`);
	}
	await expect(readInclusionProof(sql, LOG, size, size)).rejects.toThrow(`has no leaf ${size}`);
	await expect(readRoot(sql, LOG, -1)).rejects.toThrow("a whole number");
});
