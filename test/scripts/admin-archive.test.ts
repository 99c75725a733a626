/** The operator's commands on the archive as a whole, as an operator types them. */
import { expect, test } from "bun:test";
import { chmodSync, copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { showObjects } from "../../scripts/admin/archive";
import { newId } from "../../src/platform/values";
import { openTestDatabase } from "../support/database";
import { archiveSealed, signCheckpoint, withArchive } from "../support/sealed-documents";

const ROOT = join(import.meta.dir, "../..");

async function admin(databaseUrl: string, folder: string, ...words: string[]) {
	const child = Bun.spawn([process.execPath, "scripts/admin.ts", "archive", ...words, "--json"], {
		cwd: ROOT,
		env: { ...process.env, DATABASE_URL: databaseUrl, DATA_DIR: folder, ARCHIVE_URL: folder },
		stdout: "pipe",
		stderr: "pipe",
	});
	const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { exitCode: await child.exited, data: JSON.parse(stdout), stderr };
}

test(
	"verify and restore exit with 1 on any fault and when nothing was restored",
	() =>
		withArchive(async (scene) => {
			const { folder, url } = scene;
			const [object] = await archiveSealed(scene, 12);
			const { root } = await signCheckpoint(scene);
			const whole = { objects: 12, verified: 12, checkpoints: 1, treeSize: 12, root, faults: [] };
			expect(await admin(url, folder, "verify")).toEqual({ exitCode: 0, data: whole, stderr: "" });
			const other = await openTestDatabase();
			try {
				const restored = { objects: 12, leaves: 12, withoutLine: 0, checkpoints: 1 };
				const first = await admin(other.url, folder, "restore");
				expect(first).toEqual({ exitCode: 0, data: { restored, ...whole }, stderr: "" });
				const path = join(folder, object?.objectKey ?? "");
				chmodSync(path, 0o640);
				writeFileSync(path, "cut");
				const spoilt = await admin(other.url, folder, "verify");
				expect(spoilt).toMatchObject({ exitCode: 1, data: { verified: 11 } });
				expect(spoilt.data.faults).toEqual([
					{
						docId: object?.docId,
						key: object?.objectKey,
						fault: "changed",
						detail: "the object has other bytes than were archived",
					},
				]);
				await archiveSealed({ ...scene, sql: other.sql, archive: { ...scene.archive, putOnce: async () => lost } }, 1);
				const refused = await admin(other.url, folder, "restore");
				expect(refused).toMatchObject({
					exitCode: 1,
					data: { refused: expect.stringContaining("1 more objects than") },
				});
			} finally {
				await other.close();
			}
		}),
	120_000,
);

test(
	"an object is exported as archived; one with other bytes is reported, not written",
	() =>
		withArchive(async (scene) => {
			const { folder, url } = scene;
			const [spoilt, whole] = await archiveSealed(scene, 2);
			const [spoiltPath, wholePath] = [spoilt, whole].map((one) => join(folder, one?.objectKey ?? ""));
			chmodSync(spoiltPath ?? "", 0o640);
			copyFileSync(wholePath ?? "", spoiltPath ?? "");
			const out = (name: string) => join(folder, "..", `${newId()}-${name}`);
			const [good, bad] = [out("good"), out("bad")];
			expect(await admin(url, folder, "export", whole?.docId ?? "", "--out", good)).toMatchObject({ exitCode: 0 });
			expect(readdirSync(good)).toContain("ecf.xml");
			expect(await admin(url, folder, "export", spoilt?.docId ?? "", "--out", bad)).toEqual({
				exitCode: 1,
				data: { docId: spoilt?.docId, key: spoilt?.objectKey, fault: "changed" },
				stderr: "",
			});
			expect(existsSync(bad)).toBe(false);
			rmSync(good, { recursive: true });
		}),
	120_000,
);

const lost = { sha256: "", bytes: 0, created: true };

test("progress is one redrawn line on a terminal, and absent elsewhere", () => {
	const written: string[] = [];
	const write = (text: string) => written.push(text);
	for (const isTTY of [false, true]) {
		const progress = showObjects({ isTTY, write });
		progress.show({ objects: 1_500, of: 3_000, faults: 2 });
		progress.end();
	}
	expect(written).toEqual([expect.stringContaining(" 50 % 1,500 objects, 2 faults, "), "\n"]);
});

test(
	"a document is exported as archived or not at all",
	() =>
		withArchive(async (scene) => {
			const { folder, url } = scene;
			const [object, other] = await archiveSealed(scene, 2);
			const out = join(folder, "out");
			const order = ["export", object?.docId ?? "", "--out", out];
			expect(await admin(url, folder, ...order)).toMatchObject({ exitCode: 0, data: { docId: object?.docId } });
			rmSync(out, { recursive: true });
			const path = join(folder, object?.objectKey ?? "");
			rmSync(path);
			const named = { docId: object?.docId, key: object?.objectKey };
			expect(await admin(url, folder, ...order)).toMatchObject({ exitCode: 1, data: { ...named, fault: "missing" } });
			copyFileSync(join(folder, other?.objectKey ?? ""), path);
			expect(await admin(url, folder, ...order)).toMatchObject({ exitCode: 1, data: { ...named, fault: "changed" } });
			expect(existsSync(out)).toBe(false);
		}),
	120_000,
);
