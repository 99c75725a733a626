import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ArchiveConflictError, ObjectMissingError, openArchive } from "../../../../src/archive";
import { isEnough } from "../../../../src/archive/object-store/files/file-archive";
import { reportSkip } from "../../../support/skips";

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "sello-archive-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const KEY = "tenant/2026/document.zip";
const bytes = Buffer.from("signed and sealed");
const keep = { retainUntil: new Date("2036-11-20T14:20:00.902Z") };
const sha256 = createHash("sha256").update(bytes).digest("hex");

test("an object is written once, read back, and read-only for its owner", async () => {
	const archive = await openArchive(pathToFileURL(folder).href);
	expect(await archive.putOnce(KEY, bytes, keep)).toEqual({ sha256, bytes: bytes.length, created: true });
	expect(Buffer.from(await archive.get(KEY))).toEqual(bytes);
	expect(statSync(join(folder, KEY)).mode & 0o777).toBe(0o440);
	expect(await archive.verify(KEY, sha256)).toBeUndefined();
});

test("the same bytes again succeed; other bytes are a conflict that changes nothing", async () => {
	const archive = await openArchive(folder);
	await archive.putOnce(KEY, bytes, keep);
	expect(await archive.putOnce(KEY, bytes, keep)).toEqual({ sha256, bytes: bytes.length, created: false });
	await expect(archive.putOnce(KEY, Buffer.from("another"), keep)).rejects.toBeInstanceOf(ArchiveConflictError);
	expect(readFileSync(join(folder, KEY))).toEqual(bytes);
	expect(readdirSync(join(folder, ".temporary"))).toEqual([]);
});

test("exactly one of many writers of a key creates the object", async () => {
	const archives = await Promise.all(Array.from({ length: 4 }, () => openArchive(folder)));
	const results = await Promise.all(Array.from({ length: 40 }, (_, i) => archives[i % 4]?.putOnce(KEY, bytes, keep)));
	expect(results.filter((result) => result?.created)).toHaveLength(1);
	const others = await Promise.allSettled(
		Array.from({ length: 40 }, (_, i) => archives[i % 4]?.putOnce("tenant/2026/raced.zip", Buffer.from(`${i}`), keep)),
	);
	expect(others.filter((result) => result.status === "fulfilled")).toHaveLength(1);
	expect(readdirSync(join(folder, ".temporary"))).toEqual([]);
});

test("drafts of crashed writers are never visible and removed at the next opening", async () => {
	const archive = await openArchive(folder);
	await archive.putOnce(KEY, bytes, keep);
	// Killed while writing, and killed between the link and the unlink: the object is whole, the draft a second name of it.
	writeFileSync(join(folder, ".temporary", "half"), bytes.subarray(0, 5));
	writeFileSync(join(folder, ".temporary", "whole"), bytes);
	chmodSync(join(folder, ".temporary", "whole"), 0o440);
	const reopened = await openArchive(folder);
	expect(readdirSync(join(folder, ".temporary"))).toEqual([]);
	expect(await reopened.verify(KEY, sha256)).toBeUndefined();
	await expect(reopened.get("tenant/2026/half")).rejects.toBeInstanceOf(ObjectMissingError);
	await expect(reopened.get(".temporary/half")).rejects.toThrow("not an archive key");
});

test("a writer that loses its draft to another opening starts over", async () => {
	const archive = await openArchive(folder);
	const sweeping = (async () => {
		for (let i = 0; i < 30; i++) await openArchive(folder);
	})();
	const keys = Array.from({ length: 60 }, (_, i) => `tenant/2026/${i}.zip`);
	const outcomes: PromiseSettledResult<unknown>[] = [];
	for (const key of keys) outcomes.push(...(await Promise.allSettled([archive.putOnce(key, bytes, keep)])));
	await sweeping;
	// A write that lost its draft three times in a row says so; none is confirmed without an object.
	for (const [i, outcome] of outcomes.entries()) {
		expect(existsSync(join(folder, keys[i] ?? ""))).toBe(outcome.status === "fulfilled");
	}
	expect(outcomes.filter((outcome) => outcome.status === "fulfilled").length).toBeGreaterThan(50);
});

test("a full disk leaves no part of an object, and the next write works", async () => {
	// A limit on file size ends the write in the middle, as a full disk does, and needs no privileges.
	const script = `
		import { openArchive } from "${import.meta.dir}/../../../../src/archive";
		const archive = await openArchive(${JSON.stringify(folder)});
		const keep = { retainUntil: new Date("2036-11-20T14:20:00.902Z") };
		const failed = await archive.putOnce("tenant/2026/large.zip", new Uint8Array(400_000), keep).then(() => "written", (e) => e.code);
		const small = await archive.putOnce("tenant/2026/small.zip", new Uint8Array(1_000), keep);
		console.log(JSON.stringify({ failed, small: small.created }));`;
	const child = Bun.spawn(["bash", "-c", `trap '' XFSZ; ulimit -f 128; exec "$0" -e "$1"`, process.execPath, script], {
		stdout: "pipe",
		stderr: "pipe",
	});
	const out = await new Response(child.stdout).text();
	expect(JSON.parse(out)).toEqual({ failed: "EFBIG", small: true });
	expect(readdirSync(join(folder, "tenant/2026"))).toEqual(["small.zip"]);
	expect(readdirSync(join(folder, ".temporary"))).toEqual([]);
});

test("verification names each kind of change", async () => {
	const archive = await openArchive(folder);
	for (const name of ["flipped", "truncated", "deleted", "replaced"])
		await archive.putOnce(`t/2026/${name}`, bytes, keep);
	const overwrite = (name: string, content: Uint8Array) => {
		const path = join(folder, "t/2026", name);
		chmodSync(path, 0o640);
		writeFileSync(path, content);
	};
	overwrite(
		"flipped",
		bytes.map((byte, i) => (i === 3 ? byte ^ 1 : byte)),
	);
	overwrite("truncated", bytes.subarray(0, -1));
	for (const name of ["deleted", "replaced"]) rmSync(join(folder, "t/2026", name));
	mkdirSync(join(folder, "t/2026/replaced"));
	expect(await archive.verify("t/2026/flipped", sha256)).toBe("changed");
	expect(await archive.verify("t/2026/truncated", sha256)).toBe("changed");
	expect(await archive.verify("t/2026/deleted", sha256)).toBe("missing");
	expect(await archive.verify("t/2026/replaced", sha256)).toBe("unreadable");
	// Putting the true bytes again neither repairs nor hides it.
	await expect(archive.putOnce("t/2026/flipped", bytes, keep)).rejects.toBeInstanceOf(ArchiveConflictError);
});

test("a key that could leave the folder is refused before any access", async () => {
	const archive = await openArchive(folder);
	const keys = [
		"",
		"/",
		"/etc/passwd",
		"../x",
		"a/../../x",
		"a/./b",
		"a//b",
		"a/",
		".hidden",
		"a/.b",
		"a\\b",
		"a\u0000b",
		"a b",
		"a/b/c/d/e",
		"ñ",
		`${"a".repeat(200)}`,
		"a:b",
	];
	for (const key of keys) {
		await expect(archive.putOnce(key, bytes, keep)).rejects.toThrow("not an archive key");
		await expect(archive.get(key)).rejects.toThrow("not an archive key");
	}
	expect(readdirSync(folder)).toEqual([".temporary"]);
});

test("objects are listed by prefix in the order of their keys, without drafts", async () => {
	const archive = await openArchive(folder);
	const keys = ["a-b/1.zip", "a/2026/1.zip", "a/2026/2.zip", "a/2027/1.zip", "proof/leaves/1.jsonl", "proof-x"];
	for (const key of keys) await archive.putOnce(key, Buffer.from(key), keep);
	writeFileSync(join(folder, ".temporary", "draft"), bytes);
	const list = async (prefix: string) => (await Array.fromAsync(archive.list(prefix))).map(({ key }) => key);
	expect(await Array.fromAsync(archive.list("a/2026/1"))).toEqual([{ key: "a/2026/1.zip", bytes: 12 }]);
	expect(await list("")).toEqual([...keys].sort());
	expect(await list("a")).toEqual(["a-b/1.zip", "a/2026/1.zip", "a/2026/2.zip", "a/2027/1.zip"]);
	expect(await list("a/")).toEqual(["a/2026/1.zip", "a/2026/2.zip", "a/2027/1.zip"]);
	expect(await list("proof/leaves")).toEqual(["proof/leaves/1.jsonl"]);
	for (const prefix of ["none", "none/", "proof-x/"]) expect(await list(prefix)).toEqual([]);
	for (const prefix of [".temporary", "..", "/", "a/../"]) {
		expect(() => archive.list(prefix)).toThrow("not an archive key");
	}
});

test("a link in place of a folder or an object is refused", async () => {
	const outside = mkdtempSync(join(tmpdir(), "sello-outside-"));
	const archive = await openArchive(folder);
	await archive.putOnce("t/2026/true.zip", bytes, keep);
	writeFileSync(join(outside, "other.zip"), bytes);
	symlinkSync(outside, join(folder, "u"));
	symlinkSync(outside, join(folder, "t/2027"));
	symlinkSync(join(outside, "other.zip"), join(folder, "t/2026/other.zip"));
	for (const key of ["u/2026/new.zip", "u/other.zip", "t/2027/new.zip", "t/2027/other.zip", "t/2026/other.zip"]) {
		await expect(archive.putOnce(key, bytes, keep)).rejects.toThrow();
		expect(await archive.verify(key, sha256)).not.toBeUndefined();
		await expect(archive.get(key)).rejects.toThrow();
	}
	// Also in place of a folder that this process has already written into.
	renameSync(join(folder, "t/2026"), join(outside, "2026"));
	symlinkSync(join(outside, "2026"), join(folder, "t/2026"));
	await expect(archive.putOnce("t/2026/new.zip", bytes, keep)).rejects.toThrow("a link leads to t/2026/new.zip");
	expect(await archive.verify("t/2026/true.zip", sha256)).toBe("unreadable");
	expect(await Array.fromAsync(archive.list(""))).toEqual([]);
	expect(await Array.fromAsync(archive.list("t/2026/"))).toEqual([]);
	expect(readdirSync(outside).sort()).toEqual(["2026", "other.zip"]);
	expect(readdirSync(join(outside, "2026")).sort()).toEqual(["other.zip", "true.zip"]);
	expect(readdirSync(join(folder, ".temporary"))).toEqual([]);
	rmSync(outside, { recursive: true });
});

test("an archive's folder may be reached through a link", async () => {
	const link = `${folder}-link`;
	symlinkSync(folder, link);
	const archive = await openArchive(link);
	await archive.putOnce(KEY, bytes, keep);
	expect(await archive.verify(KEY, sha256)).toBeUndefined();
	rmSync(link);
});

test("an archive in files does not load the client of S3", async () => {
	const script = `
		import { openArchive, createArchiveEraser } from "${import.meta.dir}/../../../../src/archive";
		await openArchive(${JSON.stringify(folder)});
		const countLoaded = () => Object.keys(require.cache).filter((path) => path.includes("@aws-sdk")).length;
		console.log(countLoaded());
		await createArchiveEraser("s3://bucket/prefix?endpoint=http://127.0.0.1:1").erase("t").catch(() => undefined);
		console.log(countLoaded() > 0);`;
	const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
	expect(await new Response(child.stdout).text()).toBe("0\ntrue\n");
});

const GIB_BLOCKS = 1024 ** 3 / 4_096;
const disk = (size: number, free: number, names = { files: 1_000, ffree: 10 }) =>
	isEnough({ bsize: 4_096, blocks: size * GIB_BLOCKS, bavail: free * GIB_BLOCKS, ...names });

test.each([
	["a hundredth of a small disk", 2, 0.02, true],
	["less than a hundredth of a small disk", 2, 0.019, false],
	["256 MiB of a large disk", 1_000, 0.25, true],
	["less than 256 MiB of a large disk", 1_000, 0.24, false],
	["nothing", 10, 0, false],
])("%s free is or is not room", (_, size, free, isEnough) => {
	expect(disk(size, free)).toBe(isEnough);
});

test("a disk without free names has no space, one without a limit has", () => {
	expect(disk(10, 5, { files: 1_000, ffree: 0 })).toBe(false);
	expect(disk(10, 5, { files: 0, ffree: 0 })).toBe(true);
});

const smallDisk = mkdtempSync(join(tmpdir(), "sello-small-disk-"));
/** Only root can mount one. */
const hasDisk = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", smallDisk]).exitCode === 0;
if (!hasDisk) reportSkip("no small disk can be mounted", { requiredInCi: false });
afterAll(() => {
	if (hasDisk) Bun.spawnSync(["umount", "--lazy", smallDisk]);
	rmSync(smallDisk, { recursive: true, force: true });
});

test.skipIf(!hasDisk)("an archive on a full disk is not writable until there is space", async () => {
	const archive = await openArchive(join(smallDisk, "archive"));
	expect(await archive.isWritable()).toBe(true);
	const fill = join(smallDisk, "fill");
	writeFileSync(fill, Buffer.alloc(1_040_000));
	expect(await archive.isWritable()).toBe(false);
	rmSync(fill);
	expect(await archive.isWritable()).toBe(true);
});
