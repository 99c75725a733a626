import { afterAll, expect, test } from "bun:test";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSnapshot, type Snapshot } from "../../../src/registry/index/open";
import { verifyFile, verifyMapped } from "../../../src/registry/index/verify";
import { buildSnapshot } from "../../../src/registry/ingest/build/build";
import { columnsOf, entries, FACTS, temporaryFolder } from "../build";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const never = new AbortController().signal;

/** One section is longer than a piece. */
function build(name: string): Snapshot {
	const path = join(folder.path, name);
	buildSnapshot(path, ...columnsOf(entries(20_000)), FACTS);
	return openSnapshot(path);
}

const verify = (snapshot: Snapshot) => verifyFile({ ...snapshot, sections: snapshot.manifest.sections }, never);

const faultOf = (work: Promise<unknown>) => work.then(() => "none", String);

test("an intact file verifies, at its path and as mapped", async () => {
	const snapshot = build("whole");
	expect(Math.max(...snapshot.manifest.sections.map(({ bytes }) => bytes))).toBeGreaterThan(1 << 20);
	expect(await verify(snapshot)).toBe(true);
	await verifyMapped(snapshot, never);
});

test("one changed bit in any section is found, at the path and as mapped", async () => {
	const { path, manifest } = build("bits");
	const whole = readFileSync(path);
	for (const { name, offset, bytes } of manifest.sections.filter((section) => section.bytes > 0)) {
		const damaged = Buffer.from(whole);
		const at = offset + bytes - 1;
		damaged[at] = (damaged[at] ?? 0) ^ 1;
		writeFileSync(`${path}.x`, damaged);
		renameSync(`${path}.x`, path);
		const opened = openSnapshot(path);
		const fault = `its section ${name} is damaged`;
		expect(await faultOf(verify(opened))).toContain(fault);
		expect(await faultOf(verifyMapped(opened, never))).toContain(fault);
	}
});

test("a file that is truncated after it was opened is damaged", async () => {
	const snapshot = build("cut");
	const last = snapshot.manifest.sections.at(-1);
	if (!last) throw new Error("a snapshot without sections");
	const sections = [...snapshot.manifest.sections, { ...last, name: "behind", offset: snapshot.bytes.length }];
	expect(await faultOf(verifyFile({ ...snapshot, sections }, never))).toContain("its section behind is damaged");
});

test("a removed or replaced file is distinguished from a damaged one", async () => {
	const snapshot = build("gone");
	writeFileSync(`${snapshot.path}.x`, readFileSync(snapshot.path));
	renameSync(`${snapshot.path}.x`, snapshot.path);
	expect(await verify(snapshot)).toBe(false);
	rmSync(snapshot.path);
	expect(await verify(snapshot)).toBe(false);
	await verifyMapped(snapshot, never);
});

test("closing does not wait for the rest of the file", async () => {
	const snapshot = build("closed");
	const sections = snapshot.manifest.sections;
	expect(await faultOf(verifyFile({ ...snapshot, sections }, AbortSignal.abort()))).toContain("aborted");
	expect(await faultOf(verifyMapped(snapshot, AbortSignal.abort()))).toContain("aborted");
});
