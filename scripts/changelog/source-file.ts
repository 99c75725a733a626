/** Writes the source file of a release with one entry a line, so that branches that add entries merge without conflicts. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { anchorOf, type ChangelogEntry, type Release } from "../../src/api/changelog";

export function writeRelease(folder: string, release: Release): void {
	const { entries, ...head } = release;
	const lines = Object.entries(head).map(([name, value]) => `\t${JSON.stringify(name)}: ${JSON.stringify(value)},`);
	const list = entries.map((entry) => `\t\t${writeEntry(entry)}`).join(",\n");
	const text = `{\n${lines.join("\n")}\n\t"entries": [\n${list}\n\t]\n}\n`;
	writeFileSync(join(folder, `${anchorOf(release)}.json`), text);
}

function writeEntry({ breaking, ...entry }: ChangelogEntry): string {
	const members = Object.entries(breaking ? { ...entry, breaking } : entry);
	return `{ ${members.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(", ")} }`;
}
