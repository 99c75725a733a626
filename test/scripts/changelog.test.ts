/** What `bun scripts/changelog.ts --adopt` takes into the source. */
import { expect, test } from "bun:test";
import { findNewBullets } from "../../scripts/changelog/adopt";
import { writeMarkdown } from "../../scripts/changelog/write-markdown";
import { sampleChangelog } from "../api/changelog/support/sample";

test("a generated file holds nothing new", () => {
	expect(findNewBullets(writeMarkdown(sampleChangelog), sampleChangelog)).toEqual([]);
});

test("a bullet is found with its area and category, whatever its line breaks", () => {
	const written = writeMarkdown(sampleChangelog)
		.replace("### Added\n", "### Added\n- A new one,\n  over two lines.\n")
		.replace("### Security\n", "### Security\n- Another\n");
	expect(findNewBullets(written, sampleChangelog)).toEqual([
		{ area: "identity", category: "Added", text: "A new one, over two lines." },
		{ area: "invoicing", category: "Security", text: "Another" },
	]);
});

test("a file of one section belongs to the invoicing area", () => {
	const text = "# Changelog\n\n## 0.1.0-dev (unreleased)\n\n### Fixed\n- `GET /v1/new`\n- New.\n\nNo bullet.\n";
	expect(findNewBullets(text, sampleChangelog)).toEqual([{ area: "invoicing", category: "Fixed", text: "New." }]);
});
