/** Finds bullets of a `CHANGELOG.md` that its source lacks. */
import { AREAS, type Area, CATEGORIES, type Category, type Changelog } from "../../src/api/changelog";
import { writeMarkdown } from "./write-markdown";

export type Bullet = { readonly area: Area; readonly category: Category; readonly text: string };

/** In the file's order. */
export function findNewBullets(markdown: string, changelog: Changelog): Bullet[] {
	const known = new Set(readBullets(writeMarkdown(changelog)).map(({ text }) => text));
	return readBullets(markdown).filter(({ text }) => !known.has(text));
}

function readBullets(markdown: string): Bullet[] {
	const bullets: { area: Area; category: Category; text: string }[] = [];
	let area: Area = "invoicing";
	let category: Category = "Added";
	let isOpen = false;
	for (const line of markdown.split("\n")) {
		const heading = /^(#+) (.*)$/.exec(line);
		const last = bullets.at(-1);
		if (heading?.[1] === "##") area = heading[2]?.startsWith(AREAS.identity) ? "identity" : "invoicing";
		if (heading?.[1] === "###") category = CATEGORIES.find((one) => one === heading[2]) ?? "Added";
		if (line.startsWith("- ")) bullets.push({ area, category, text: line.slice(2).trim() });
		else if (isOpen && last && /^ {2}\S/.test(line)) last.text += ` ${line.trim()}`;
		isOpen = line.startsWith("- ") || (isOpen && line.startsWith("  "));
	}
	return bullets;
}
