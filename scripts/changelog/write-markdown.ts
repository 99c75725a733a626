/** The changelog as `CHANGELOG.md`. */
import {
	byCategory,
	type Changelog,
	type ChangelogEntry,
	deprecationSentence,
	type Release,
	titleOf,
} from "../../src/api/changelog";

const WIDTH = 150;

const HEAD = `# Changelog

What integrators can do, newest first. The invoicing API carries the version \`0.1.0-dev\` until its first release. The identity-validation API
follows Semantic Versioning on its own.

Generated from \`data/changelog\` by \`bun scripts/changelog.ts\`. The service publishes the same at \`/changelog\`.
`;

export function writeMarkdown(changelog: Changelog): string {
	return [HEAD, ...changelog.map(writeRelease)].join("\n");
}

function writeRelease(release: Release): string {
	const parts = byCategory(release.entries).map(
		([category, entries]) => `### ${category}\n${entries.map(writeEntry).join("\n")}\n`,
	);
	return [`## ${titleOf(release)} (${release.date})\n`, ...parts].join("\n");
}

function writeEntry(entry: ChangelogEntry): string {
	const further = deprecationSentence(entry);
	const text = `${entry.breaking ? "**Breaking.** " : ""}${entry.text}${further ? ` ${further}` : ""}`;
	return wrap(`- ${text}`);
}

/** Breaks text at spaces into lines of at most 150 characters and indents all but the first. */
function wrap(text: string): string {
	const lines: string[] = [];
	let line = "";
	for (const word of text.split(" ")) {
		const longer = line === "" ? word : `${line} ${word}`;
		if (longer.length <= WIDTH || line === "") {
			line = longer;
			continue;
		}
		lines.push(line);
		line = `  ${word}`;
	}
	return [...lines, line].join("\n");
}
