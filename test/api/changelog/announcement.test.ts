import { expect, test } from "bun:test";
import { listAnnouncements } from "../../../src/api/changelog";
import { deprecatedEntry, olderRelease, sampleChangelog, sampleRelease } from "./support/sample";

const idsAt = (day: string, changelog = sampleChangelog) =>
	listAnnouncements(changelog, new Date(day)).map(({ id }) => id);

test("a release is announced for 90 days, a deprecation until its sunset", () => {
	expect(idsAt("2026-11-19T23:59:59Z")).toEqual([]);
	expect(idsAt("2026-11-20T00:00:00Z")).toEqual(["old-runs", "identity-1.2.0"]);
	expect(idsAt("2027-02-18T00:00:00Z")).toEqual(["old-runs", "identity-1.2.0"]);
	expect(idsAt("2027-02-19T00:00:00Z")).toEqual(["old-runs"]);
	expect(idsAt("2027-03-31T23:59:59Z")).toEqual(["old-runs"]);
	expect(idsAt("2027-04-01T00:00:00Z")).toEqual([]);
});

test("a version in development is not announced, its deprecations are", () => {
	expect(idsAt("2026-12-01", [olderRelease])).toEqual([]);
	expect(idsAt("2026-12-01", [{ ...olderRelease, entries: [deprecatedEntry] }])).toEqual(["old-runs"]);
});

test("an announcement has the changelog's text, dates and operation", () => {
	const [deprecation, release] = listAnnouncements([sampleRelease], new Date("2026-12-01"));
	expect(deprecation).toMatchObject({ subject: "Deprecated: GET /v1/old/{id}", operation: "getOld" });
	expect(deprecation?.text).toContain(
		"from 2026-12-01 and works until the end of 2027-03-31 (UTC); use `/v1/new/{id}`",
	);
	expect(release).not.toHaveProperty("operation");
	expect(release?.subject).toBe("Identity validation 1.2.0");
	expect(release?.text).toStartWith("Added\n- `GET /v1/new`\n\nDeprecated\n- ");
});
