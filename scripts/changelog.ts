/**
 * Writes `CHANGELOG.md` from `data/changelog`.
 *
 *     bun scripts/changelog.ts            writes the file
 *     bun scripts/changelog.ts --check    fails if the file is out of date
 *     bun scripts/changelog.ts --adopt    first copies bullets that only the file has into the source
 *
 * To add a line, add an entry to its release's file: `{"category": "Added", "text": "…"}`. `--adopt` is for merges: bullets that another
 * branch wrote into the Markdown go to the newest release of the area in their heading, or of invoicing.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readChangelog } from "../src/api/changelog";
import { findNewBullets } from "./changelog/adopt";
import { writeRelease } from "./changelog/source-file";
import { writeMarkdown } from "./changelog/write-markdown";

const root = join(import.meta.dir, "..");
const target = join(root, "CHANGELOG.md");
const folder = join(root, "data/changelog");
const { values: options } = parseArgs({ options: { check: { type: "boolean" }, adopt: { type: "boolean" } } });

if (options.check) {
	if (readFileSync(target, "utf8") !== writeMarkdown(readChangelog())) {
		console.error("CHANGELOG.md is out of date: run bun scripts/changelog.ts");
		process.exit(1);
	}
} else {
	if (options.adopt) adopt();
	writeFileSync(target, writeMarkdown(readChangelog()));
}

function adopt(): void {
	const changelog = readChangelog();
	const found = findNewBullets(readFileSync(target, "utf8"), changelog);
	for (const release of changelog) {
		const own = found.filter(({ area }) => area === release.area);
		if (own.length === 0 || release !== changelog.find(({ area }) => area === release.area)) continue;
		const entries = own.map(({ category, text }) => ({ category, text, breaking: false }));
		// A version in development carries the date of its latest change.
		const date = release.version.includes("-") ? new Date().toISOString().slice(0, 10) : release.date;
		writeRelease(folder, { ...release, date, entries: [...release.entries, ...entries] });
		for (const { category, text } of own) console.log(`${release.area} ${release.version}, ${category}: ${text}`);
	}
}
