/** Which archives are offered: releases, the build of the current sources, and neither. */
import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	type ArchiveFolders,
	LIBRARIES,
	nameArchive,
	openArchives,
	readArchiveName,
} from "../../../src/api/downloads/archives";
import { downloadOperations } from "../../../src/api/downloads/operations";
import { makeCall, problemFrom } from "../../platform/operation/support/call";

const root = mkdtempSync(join(tmpdir(), "sello-archives-"));
afterAll(() => rmSync(root, { recursive: true }));

let folders: ArchiveFolders;
beforeEach(() => {
	const folder = mkdtempSync(join(root, "case-"));
	folders = { released: join(folder, "sdk"), built: join(folder, "built"), builder: join(folder, "builder.ts") };
	mkdirSync(folders.released);
	mkdirSync(folders.built);
});

/** Writes an archive and returns its name. */
function put(folder: string, version: string, { library = "typescript", agoSeconds = 0 } = {}): string {
	const name = nameArchive({ library: library as (typeof LIBRARIES)[number], version });
	const path = join(folder, name);
	writeFileSync(path, `archive ${name}`);
	const at = new Date(Date.now() - agoSeconds * 1_000);
	utimesSync(path, at, at);
	return name;
}

test("a name says library and version, and no other name is one", () => {
	for (const library of LIBRARIES) {
		for (const version of ["1.2.0", "10.0.3", "0.1.0-dev.h0a1b2c3d"]) {
			expect(readArchiveName(nameArchive({ library, version }))).toEqual({ library, version });
		}
	}
	const others = ["sello.tgz", "sello-1.2.tgz", "sello-1.2.0.tgz.77", "../sello-1.2.0.tgz", "sello-1.2.0-dev.tgz", ""];
	expect(others.map(readArchiveName)).toEqual(others.map(() => undefined));
});

test("newest first: a release is newer than the builds that led to it", async () => {
	const names = ["1.2.0", "1.10.0", "1.9.1"].map((version) => put(folders.released, version));
	const earlier = put(folders.built, "1.10.0-dev.h00000001", { agoSeconds: 60 });
	const current = put(folders.built, "1.10.0-dev.h00000002");
	const archives = await openArchives(folders)();
	expect(archives.listed.map(({ name }) => name)).toEqual([names[1], current, names[2], names[0]] as string[]);
	expect(archives.earlier.map(({ name }) => name)).toEqual([earlier]);
});

test("in a checkout the builder runs once, before the archives are read", async () => {
	const name = nameArchive({ library: "php", version: "0.1.0-dev.h00000001" });
	const log = join(folders.built, "runs");
	const program = `import { appendFileSync, writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(join(folders.built, name))}, "made");
appendFileSync(${JSON.stringify(log)}, "run ");`;
	writeFileSync(folders.builder, program);
	const archives = openArchives(folders);
	const found = await Promise.all([archives(), archives(), archives()]);
	expect(found.map(({ listed }) => listed.map((one) => one.name))).toEqual([[name], [name], [name]]);
	await archives();
	expect(readFileSync(log, "utf8")).toBe("run ");
});

test("after a failed build old archives are not offered as current, but releases are", async () => {
	put(folders.built, "0.1.0-dev.h00000001");
	writeFileSync(folders.builder, "process.exit(1)");
	expect((await openArchives(folders)()).listed).toEqual([]);
	const released = put(folders.released, "0.0.9");
	expect((await openArchives(folders)()).listed.map(({ name }) => name)).toEqual([released]);
});

test("without archives every operation answers 503 and says how to build them", async () => {
	const operations = downloadOperations({ baseUrl: "http://a", docsLanguage: "es", archives: openArchives(folders) });
	const params = { file: "sello.tgz", name: "@sello/sdk" };
	for (const operation of operations.filter(({ id }) => id !== "getComposerFile")) {
		const refusal = await problemFrom(() => operation.handle({ ...makeCall({}), operation, params }));
		expect(refusal.slug).toBe("service-unavailable");
		expect(JSON.stringify(refusal.detail)).toContain("bun scripts/build-assets.ts");
	}
});
