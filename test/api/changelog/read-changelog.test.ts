import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeMarkdown } from "../../../scripts/changelog/write-markdown";
import { type Area, ChangelogError, checkEntries, readChangelog } from "../../../src/api/changelog";
import { createOpenApi } from "../../../src/api/openapi";
import { declaredOperations } from "../support/declared-operations";
import { deprecatedEntry, olderRelease, sampleRelease } from "./support/sample";

test("the releases come newest first, and CHANGELOG.md is what they give", () => {
	const changelog = readChangelog();
	const dates = changelog.map(({ date }) => date);
	expect(dates).toEqual([...dates].sort().reverse());
	expect(changelog.map(({ area }) => area)).toContain("identity");
	expect(readFileSync("CHANGELOG.md", "utf8")).toBe(writeMarkdown(changelog));
});

test("the newest release of each area is the version of the OpenAPI document", async () => {
	const document = await createOpenApi(declaredOperations(), { baseUrl: "https://api.example" });
	const newest = (area: Area) => readChangelog().find((release) => release.area === area)?.version;
	expect(newest("invoicing")).toBe(document.info.version);
	expect(newest("identity")).toBe(document["x-identity-version"]);
});

test("every deprecated endpoint of the changelog exists or has been retired", () => {
	const endpoints = declaredOperations().map(({ method, path }) => `${method} ${path}`);
	for (const { endpoint, sunsetAt } of readChangelog().flatMap(({ entries }) => entries)) {
		if (endpoint && Date.parse(sunsetAt ?? "") > Date.now()) expect(endpoints).toContain(endpoint);
	}
});

test("an earlier release stands below a later one, whatever its file is called", () => {
	withFolder({ "invoicing-0.1.0-dev": olderRelease, "identity-1.2.0": sampleRelease }, (folder) => {
		expect(readChangelog(folder).map(({ version }) => version)).toEqual(["1.2.0", "0.1.0-dev"]);
	});
});

test("all errors of the files are reported at once", () => {
	const wrong = { ...olderRelease, version: "1", entries: [{ category: "New", text: "" }] };
	withFolder({ "invoicing-0.1.0-dev": wrong }, (folder) => {
		expect(() => readChangelog(folder)).toThrow(ChangelogError);
		expect(() => readChangelog(folder)).toThrow(/error\(s\)[\s\S]*version[\s\S]*category[\s\S]*text/);
	});
	withFolder({ misnamed: olderRelease }, (folder) => {
		expect(() => readChangelog(folder)).toThrow("not called after its area and version");
	});
});

test.each([
	["a deprecation without its days", { ...deprecatedEntry, sunsetAt: undefined }, "needs id, endpoint"],
	["29 days of notice", { ...deprecatedEntry, sunsetAt: "2026-12-30" }, "less than 30 days after"],
	["a sunset before the deprecation", { ...deprecatedEntry, sunsetAt: "2026-11-01" }, "less than 30 days after"],
	["a day that does not exist", { ...deprecatedEntry, sunsetAt: "2027-02-30" }, "2027-02-30 is no day"],
	["a breaking change without an anchor", { category: "Removed", text: "It.", breaking: true }, "needs an id"],
	["an anchor of a release", { ...deprecatedEntry, id: "identity-1.2.0" }, "is taken"],
] as const)("%s is a fault", (_, entry, fault) => {
	const entries = [Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined))];
	expect(checkEntries([{ ...sampleRelease, entries: entries as never }]).join()).toContain(fault);
});

test("30 days of notice are enough", () => {
	expect(checkEntries([{ ...sampleRelease, entries: [{ ...deprecatedEntry, sunsetAt: "2026-12-31" }] }])).toEqual([]);
});

function withFolder(files: Readonly<Record<string, unknown>>, use: (folder: string) => void): void {
	const folder = mkdtempSync(join(tmpdir(), "sello-changelog-"));
	try {
		for (const [name, value] of Object.entries(files))
			writeFileSync(join(folder, `${name}.json`), JSON.stringify(value));
		use(folder);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
