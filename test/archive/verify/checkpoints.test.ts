import { expect, test } from "bun:test";
import { chmodSync, copyFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ArchiveFault, verifyArchive } from "../../../src/archive";
import { archiveSealed, asOwner, LOG, type Scene, signCheckpoint, withArchive } from "../../support/sealed-documents";

const verify = (scene: Scene) => verifyArchive(scene);

function change(path: string, edit: (text: string) => string): void {
	const text = readFileSync(path, "utf8");
	chmodSync(path, 0o640);
	writeFileSync(path, edit(text));
}

const NOTE = "proof/checkpoints/000000000002.txt";
const LINES = `proof/leaves/0${LOG}/000000000000-000000000019.jsonl`;
type Fault = Pick<ArchiveFault, "fault" | "key"> & { detail: RegExp };

const CHANGES: readonly (readonly [what: string, spoil: (scene: Scene) => unknown, expected: readonly Fault[]])[] = [
	[
		"a note in the store",
		({ folder }) => change(join(folder, NOTE), (text) => text.replace("sandbox", "sandbax")),
		[{ fault: "checkpoint", key: NOTE, detail: /^checkpoint 2 has another copy in the store$/ }],
	],
	[
		"a note that is gone from the store",
		({ folder }) => rmSync(join(folder, NOTE)),
		[{ fault: "checkpoint", key: NOTE, detail: /^checkpoint 2 has no copy in the store$/ }],
	],
	[
		"a note in its row",
		(scene) => asOwner(scene, "update archive_checkpoints set note = replace(note, 'at 20', 'at 19') where number = 2"),
		[
			{
				fault: "checkpoint",
				key: NOTE,
				detail: /^checkpoint 2 is not a signed note: the signature of .* does not hold$/,
			},
			{ fault: "checkpoint", key: NOTE, detail: /another copy/ },
			{ fault: "checkpoint", key: NOTE.replace("2.", "3."), detail: /^checkpoint 3 does not name the one before it$/ },
		],
	],
	[
		"a row that disagrees with its note",
		(scene) => asOwner(scene, "update archive_checkpoints set sizes[8] = 19, size = 19 where number = 1"),
		[
			{
				fault: "checkpoint",
				key: NOTE.replace("2.", "1."),
				detail: /^checkpoint 1 differs between its row and its note$/,
			},
			{ fault: "checkpoint", key: NOTE.replace("2.", "1."), detail: /^checkpoint 1 is not of its logs$/ },
			{ fault: "checkpoint", key: NOTE.replace("2.", "1."), detail: /^checkpoint 1 has another copy in the store$/ },
			{
				fault: "checkpoint",
				key: NOTE.replace("2.", "1."),
				detail: /^checkpoint 1 has the root \w+ of 19 leaves of log 7, the leaves have/,
			},
		],
	],
	[
		"a checkpoint that is gone from both",
		async ({ owner, folder }) => {
			await asOwner({ owner }, "delete from archive_checkpoints where number = 2");
			rmSync(join(folder, NOTE));
			rmSync(join(folder, NOTE.replace(".txt", ".logs")));
		},
		[
			{ fault: "checkpoint", key: NOTE.replace("2.", "3."), detail: /^checkpoint 3 follows checkpoint 1$/ },
			{ fault: "checkpoint", key: NOTE.replace("2.", "3."), detail: /^checkpoint 3 does not name the one before it$/ },
		],
	],
	[
		"a list of logs in the store",
		({ folder }) => change(join(folder, NOTE.replace(".txt", ".logs")), (text) => text.replace("7 35", "7 36")),
		[{ fault: "checkpoint", key: NOTE, detail: /^checkpoint 2 has another copy in the store$/ }],
	],
	[
		"a line of a leaf",
		({ folder }) => change(join(folder, LINES), (text) => text.replace('"chainIndex":3', '"chainIndex":4')),
		[{ fault: "checkpoint", key: LINES, detail: /^the line of leaf \d+ differs from the leaf$/ }],
	],
	[
		"lines that are gone",
		({ folder }) => rmSync(join(folder, LINES)),
		[{ fault: "checkpoint", key: null, detail: /^the store has no lines of leaves 0 to 19 of log 7$/ }],
	],
	[
		"a key in the store, and something put beside it",
		({ folder }) => {
			const [key = ""] = readdirSync(join(folder, "proof/keys"));
			copyFileSync(join(folder, "proof/keys", key), join(folder, "proof/keys/another.txt"));
			renameSync(join(folder, "proof/keys", key), join(folder, "proof/keys.txt"));
		},
		[
			{
				fault: "checkpoint",
				key: expect.stringMatching(/^proof\/keys\/sello-archive-sandbox-/),
				detail: /^the key sello\/archive.* has no copy/,
			},
			{ fault: "strange", key: "proof/keys.txt", detail: /without a row/ },
			{ fault: "strange", key: "proof/keys/another.txt", detail: /without a row/ },
		],
	],
];

test(
	"checkpoints are checked for signature, order, copy in the store and leaves",
	() =>
		withArchive(async (scene) => {
			await archiveSealed(scene, 20);
			await signCheckpoint(scene);
			await archiveSealed(scene, 15);
			await signCheckpoint(scene);
			await signCheckpoint(scene);
			expect(await verify(scene)).toMatchObject({
				objects: 35,
				verified: 35,
				checkpoints: 3,
				treeSize: 35,
				faults: [],
			});
			await asOwner(scene, "create table kept as table archive_checkpoints");
			for (const [what, spoil, expected] of CHANGES) {
				const copy = `${scene.folder}-copy`;
				const proof = join(scene.folder, "proof");
				renameSync(proof, copy);
				Bun.spawnSync(["cp", "-a", copy, proof]);
				await spoil(scene);
				const { faults } = await verify(scene);
				expect([what, faults.map(({ fault, key }) => [fault, key])]).toEqual([
					what,
					expected.map(({ fault, key }) => [fault, key]),
				]);
				for (const [i, { detail }] of expected.entries()) expect(faults[i]?.detail).toMatch(detail);
				rmSync(proof, { recursive: true });
				renameSync(copy, proof);
				await asOwner(scene, "delete from archive_checkpoints; insert into archive_checkpoints select * from kept");
			}
			expect((await verify(scene)).faults).toEqual([]);
		}),
	120_000,
);

test(
	"a changed document with recomputed leaves and nodes fails at the signed root",
	() =>
		withArchive(async (scene) => {
			await archiveSealed(scene, 5);
			await signCheckpoint(scene);
			await archiveSealed(scene, 30);
			await signCheckpoint(scene);
			// A forger who leaves no trace in the tables: the tree is made again over a document that was another.
			await asOwner(
				scene,
				`create table changed as select json_agg(json_build_object('docId', doc_id, 'tenantId', tenant_id, 'sha256', encode(sha256, 'hex'),
					'bytes', bytes, 'decidedAt', decided_at + case leaf when 20 then interval '1 second' else interval '0' end,
					'retainUntil', retain_until, 'leafIndex', leaf)) as objects from seals;
			delete from seals; delete from seal_chains; delete from tree_blocks; delete from tree_nodes;
			select append_seals(objects) from changed`,
			);
			const { faults } = await verify(scene);
			expect(faults.map(({ fault }) => fault)).toEqual(["checkpoint", "sealed", "checkpoint"]);
			expect(faults[0]?.detail).toMatch(
				/^checkpoint 2 has the root [0-9a-f]{64} of 35 leaves of log 7, the leaves have [0-9a-f]{64}$/,
			);
			expect(faults[2]?.detail).toMatch(/^the line of leaf 20 differs from the leaf/);
		}),
	120_000,
);

test(
	"checkpoints of more leaves than exist show that the last ones were cut off",
	() =>
		withArchive(async (scene) => {
			await archiveSealed(scene, 10);
			await signCheckpoint(scene);
			await asOwner(
				scene,
				"delete from seals where leaf >= 8; update tree_blocks set hashes = substring(hashes for 8 * 32)",
			);
			const { faults } = await verify(scene);
			const details = faults.map(({ detail }) => detail);
			expect(details).toContain("checkpoint 1 covers 10 leaves of log 7, there are 8");
			expect(details).toContain("there are lines of leaves from 8 on, and no leaves");
			expect(faults.filter(({ fault }) => fault === "strange")).toHaveLength(2);
		}),
	120_000,
);

test(
	"a note without a row is no fault after a crash, but in an older database",
	() =>
		withArchive(async (scene) => {
			await archiveSealed(scene, 10);
			await signCheckpoint(scene);
			await asOwner(scene, "delete from archive_checkpoints");
			expect(await verify(scene)).toMatchObject({ checkpoints: 0, treeSize: 10, faults: [] });
			const forged = join(scene.folder, "proof/checkpoints/000000000002.txt");
			writeFileSync(forged, readFileSync(join(scene.folder, NOTE.replace("2.", "1.")), "utf8").replace("10\n", "11\n"));
			await asOwner(scene, "delete from seals; delete from tree_blocks");
			const { faults } = await verify(scene);
			expect(faults.map(({ detail }) => detail)).toContain("checkpoint 1 covers 10 leaves of log 7, there are 0");
			expect(faults.map(({ key, fault }) => [key, fault])).toContainEqual([
				"proof/checkpoints/000000000002.txt",
				"strange",
			]);
		}),
	120_000,
);
