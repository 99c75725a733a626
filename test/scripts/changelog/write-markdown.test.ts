import { expect, test } from "bun:test";
import { writeMarkdown } from "../../../scripts/changelog/write-markdown";
import { sampleChangelog } from "../../api/changelog/support/sample";

test("categories are ordered, deprecations have dates, lines are wrapped", () => {
	const text = writeMarkdown(sampleChangelog);
	const headings = text.split("\n").filter((line) => line.startsWith("#"));
	expect(headings).toEqual([
		"# Changelog",
		"## Identity validation 1.2.0 (2026-11-20)",
		"### Added",
		"### Deprecated",
		"### Fixed",
		"## Invoicing 0.1.0-dev (2026-11-01)",
		"### Security",
	]);
	expect(text.replace(/\n {2}/g, " ")).toContain(
		"- **Breaking.** The list without a cursor. `GET /v1/old/{id}` is deprecated from 2026-12-01 and works until the end of " +
			"2027-03-31 (UTC); use `/v1/new/{id}` instead.",
	);
	expect(text.split("\n").every((line) => line.length <= 150)).toBe(true);
});
