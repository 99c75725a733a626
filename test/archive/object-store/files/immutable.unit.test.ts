import { afterEach, beforeEach, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
	closeSync,
	linkSync,
	mkdtempSync,
	openSync,
	renameSync,
	rmSync,
	statSync,
	unlinkSync,
	writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { createArchiveEraser, openArchive } from "../../../../src/archive";
import { type FileFlags, openFileFlags } from "../../../../src/archive/object-store/files/immutable";
import { reportSkip } from "../../../support/skips";

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "sello-immutable-"));
});
afterEach(async () => {
	await createArchiveEraser(folder).erase("t");
	rmSync(folder, { recursive: true, force: true });
});

const KEY = "t/2026/document.zip";
const bytes = Buffer.from("signed and sealed");
const sha256 = createHash("sha256").update(bytes).digest("hex");
const keep = { retainUntil: new Date("2036-11-20T14:20:00.902Z") };
const openImmutable = () => openArchive(`${pathToFileURL(folder).href}?immutable=on`);

async function withFlags<T>(key: string, use: (flags: FileFlags, fd: number) => T): Promise<T> {
	const flags = openFileFlags();
	if (!flags) throw new Error("no flags here");
	const file = await open(join(folder, key), "r");
	try {
		return use(flags, file.fd);
	} finally {
		await file.close();
	}
}
const isImmutable = (key = KEY) => withFlags(key, (flags, fd) => flags.isImmutable(fd));

/** Whether this process may, on this file system. */
function canBeImmutable(): boolean {
	const path = join(mkdtempSync(join(tmpdir(), "sello-immutable-")), "try");
	const fd = openSync(path, "w");
	const flags = openFileFlags();
	const can = flags?.setImmutable(fd) === true && flags.clearImmutable(fd);
	closeSync(fd);
	rmSync(dirname(path), { recursive: true });
	if (!can) reportSkip("files cannot be made immutable (no CAP_LINUX_IMMUTABLE)", { requiredInCi: false });
	return can;
}
const hasFlag = canBeImmutable();

test.skipIf(!hasFlag)("even root cannot write, rename, remove or link an immutable object", async () => {
	const archive = await openImmutable();
	expect(await archive.putOnce(KEY, bytes, keep)).toMatchObject({ created: true, sha256 });
	const path = join(folder, KEY);
	expect(await isImmutable()).toBe(true);
	for (const attempt of [
		() => writeFileSync(path, "other"),
		() => openSync(path, "a"),
		() => unlinkSync(path),
		() => rmSync(dirname(path), { recursive: true }),
		() => renameSync(path, `${path}.gone`),
		() => linkSync(path, `${path}.again`),
	]) {
		expect(attempt).toThrow("EPERM");
	}
	expect(await archive.verify(KEY, sha256)).toBeUndefined();
	expect(await archive.putOnce(KEY, bytes, keep)).toMatchObject({ created: false });
});

test.skipIf(!hasFlag)("an object without the flag after a crash gets it when put again or verified", async () => {
	const archive = await openImmutable();
	await archive.putOnce(KEY, bytes, keep);
	const clear = () => withFlags(KEY, (flags, fd) => flags.clearImmutable(fd));
	await clear();
	await archive.putOnce(KEY, bytes, keep);
	expect(await isImmutable()).toBe(true);
	await clear();
	expect(await archive.verify(KEY, sha256)).toBeUndefined();
	expect(await isImmutable()).toBe(true);
	// Killed between the link and the unlink: the draft is a second name, and must be removable.
	await clear();
	linkSync(join(folder, KEY), join(folder, ".temporary", "draft"));
	await archive.putOnce(KEY, bytes, keep);
	expect(await isImmutable()).toBe(false);
	const reopened = await openImmutable();
	await reopened.putOnce(KEY, bytes, keep);
	expect(await isImmutable()).toBe(true);
});

test.skipIf(!hasFlag)("many writers at once leave every object immutable and no draft behind", async () => {
	const archives = await Promise.all(Array.from({ length: 4 }, openImmutable));
	const keys = Array.from({ length: 80 }, (_, i) => `t/2026/${i % 20}.zip`);
	await Promise.all(keys.map((key, i) => archives[i % 4]?.putOnce(key, bytes, keep)));
	expect(await Promise.all(keys.map(isImmutable))).toEqual(keys.map(() => true));
	expect(keys.map((key) => statSync(join(folder, key)).nlink)).toEqual(keys.map(() => 1));
});

test("the eraser removes immutable objects and nothing else", async () => {
	const archive = await openImmutable();
	for (const name of ["t/2026/1", "t/2026/2", "t/2027/3", "u/2026/4"]) await archive.putOnce(name, bytes, keep);
	const eraser = createArchiveEraser(folder);
	await eraser.erase("t/2026/1");
	expect((await Array.fromAsync(archive.list(""))).map(({ key }) => key)).toEqual(["t/2026/2", "t/2027/3", "u/2026/4"]);
	await eraser.erase("t");
	await eraser.erase("t");
	expect((await Array.fromAsync(archive.list(""))).map(({ key }) => key)).toEqual(["u/2026/4"]);
	await eraser.erase("u");
});

test("without permission objects have no flag, and the log says so once", async () => {
	const script = `
		import { openArchive } from "${import.meta.dir}/../../../../src/archive";
		const said = [];
		const archive = await openArchive(process.argv[1], { warn: (_, text) => said.push(text) });
		const keep = { retainUntil: new Date("2036-11-20T14:20:00.902Z") };
		for (const name of ["1", "2", "3"]) await archive.putOnce("t/2026/" + name, Buffer.from(name), keep);
		console.log(JSON.stringify({ said, listed: (await Array.fromAsync(archive.list("t"))).length }));`;
	const run = [process.execPath, "-e", script, `${pathToFileURL(folder).href}?immutable=on`];
	const unable =
		process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-linux_immutable", "--inh-caps=-linux_immutable"] : [];
	const child = Bun.spawn([...unable, ...run], { stdout: "pipe", stderr: "pipe" });
	const { said, listed } = JSON.parse(await new Response(child.stdout).text());
	expect(listed).toBe(3);
	expect(said).toHaveLength(1);
	expect(said[0]).toContain("cannot be made immutable");
});

test("objects have no flag unless it is enabled", async () => {
	const archive = await openArchive(folder);
	await archive.putOnce(KEY, bytes, keep);
	if (openFileFlags()) expect(await isImmutable()).toBe(false);
	rmSync(join(folder, KEY));
});
