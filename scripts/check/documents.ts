/** Rules for documents: size, wording, sentence length, and whether the paths that they name exist. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findBannedWords } from "./words";

/** Source: general style guides; each has a plain equivalent. */
export const ARCHAIC_WORDS = [
	...["upon", "whence", "hence", "thereof", "therein", "wherein", "whereof", "whereby", "ere", "hitherto", "betwixt"],
	...["amongst", "whilst", "shall", "forth", "henceforth", "thence", "hither", "oft", "nought", "anew", "beforehand"],
] as const;

export const ARCHAIC_PER_THOUSAND_MAX = 0.5;
export const SENTENCE_WORDS_MAX = 20;

const KIB = 1_024;
/** Sizes in bytes, both ends included. */
const SIZES: readonly { readonly pattern: RegExp; readonly min: number; readonly max: number }[] = [
	{ pattern: /^data\/traceability\.md$/, min: 0, max: Number.POSITIVE_INFINITY },
	{ pattern: /^README\.md$/, min: 0, max: 10 * KIB },
	{ pattern: /^src\/[^/]+\/README\.md$/, min: 0, max: 8 * KIB },
	{ pattern: /^bench\/tried\.md$/, min: 0, max: 8 * KIB },
	{ pattern: /^data\/docs\/[^/]+\/[^/]+\.md$/, min: 3 * KIB, max: 12 * KIB },
	{ pattern: /\.md$/, min: 0, max: 20 * KIB },
];

export type DocsPage = {
	readonly title: string;
	readonly section: string;
	readonly order: number;
	readonly summary: string;
};

/** Why a document's size is not allowed, or undefined. */
export function checkSize(path: string, bytes: number): string | undefined {
	const rule = SIZES.find(({ pattern }) => pattern.test(path));
	if (!rule || (bytes >= rule.min && bytes <= rule.max)) return undefined;
	return `${path} has ${bytes} bytes, allowed are ${rule.min} to ${rule.max}`;
}

/** The text without front matter, code blocks, inline code and link targets; tables stay. */
export function stripCode(markdown: string): string {
	return markdown
		.replace(/^---\n[\s\S]*?\n---\n/, "")
		.replace(/^(```|~~~)[\s\S]*?^\1.*$/gm, "")
		.replace(/(`+)(?:(?!\1)[\s\S])+?\1/g, "CODE")
		.replace(/\]\([^)]*\)/g, "]")
		.replace(/https?:\/\/\S+/g, "URL");
}

/** What two languages of a page have in common, in order: levels of headings, rows of tables, and code blocks to the byte. */
export function outlineOf(markdown: string): string[] {
	return [...markdown.matchAll(/^```[\s\S]*?^```$|^#+(?= )|^\|(?=.*\|$)/gm)].map(([part]) => part);
}

/** Sentences of paragraphs and list items; headings and tables have none. A piece of code counts as one word. */
export function readSentences(markdown: string): string[] {
	const blocks: string[] = [];
	let block = "";
	const end = () => {
		if (block.trim() !== "") blocks.push(block.trim());
		block = "";
	};
	for (const line of stripCode(markdown).split("\n")) {
		const isBreak = line.trim() === "" || /^\s*(#|\||>?\s*[-*+] |\d+\. )/.test(line);
		if (isBreak) end();
		if (/^\s*(#|\|)/.test(line)) continue;
		block += ` ${line.replace(/^\s*([-*+]|\d+\.) /, "")}`;
	}
	end();
	return blocks.flatMap((text) => text.split(/(?<=[.!?]["')*]*)\s+(?=["'(*]*[A-Z0-9])/)).filter(hasWords);
}

/** Words, lower case; code and links left out. */
export function readWords(text: string): string[] {
	return (text.match(/[A-Za-zÀ-ÿ]+(?:['’-][A-Za-zÀ-ÿ]+)*/g) ?? []).map((word) => word.toLowerCase());
}

/** Why the wording of a document is not allowed; empty when it is. */
export function checkWording(path: string, markdown: string): string[] {
	const words = readWords(stripCode(markdown)).flatMap((word) => word.split("-"));
	const banned = findBannedWords(stripCode(markdown)).map(({ word }) => word);
	const archaic = words.filter((word) => (ARCHAIC_WORDS as readonly string[]).includes(word));
	const sentences = readSentences(markdown);
	const average = sentences.reduce((sum, text) => sum + countWords(text), 0) / Math.max(1, sentences.length);
	return [
		...(banned.length > 0 ? [`${path} has banned words: ${[...new Set(banned)].join(", ")}`] : []),
		...(archaic.length > (words.length * ARCHAIC_PER_THOUSAND_MAX) / 1_000
			? [`${path} has archaic words: ${[...new Set(archaic)].join(", ")}`]
			: []),
		...(average > SENTENCE_WORDS_MAX
			? [`${path} has ${average.toFixed(1)} words a sentence, allowed are ${SENTENCE_WORDS_MAX}`]
			: []),
	];
}

/** Paths of the repository that a document names in backticks or links to, without line numbers and anchors. */
export function readPaths(markdown: string): string[] {
	const text = markdown.replace(/^(```|~~~)[\s\S]*?^\1.*$/gm, "");
	const named = [...text.matchAll(/`((?:src|test|scripts|bench|data|\.ci)\/[^`\s*{<]*)`/g)].map(
		(match) => match[1] ?? "",
	);
	const linked = [...text.matchAll(/\]\(((?!https?:|#|\/)[^)\s]+)\)/g)].map((match) => match[1] ?? "");
	return [...named, ...linked].map((path) => path.replace(/#.*$/, "").replace(/:\d+$/, ""));
}

/** Paths that a document names and that do not exist. Links are relative to the document, the rest to the root. */
export function findMissingPaths(root: string, document: string, markdown: string): string[] {
	const folder = join(root, document, "..");
	return readPaths(markdown)
		.filter((path) => !existsSync(join(root, path)) && !existsSync(join(folder, path)))
		.map((path) => `${document} names ${path}, which does not exist`);
}

/** The front matter of a page under `data/docs`. Throws: Error, with every violation. */
export function readFrontMatter(path: string, markdown: string): DocsPage {
	const [, head = ""] = /^---\n([\s\S]*?)\n---\n/.exec(markdown) ?? [];
	const members = Object.fromEntries(
		head.split("\n").flatMap((line) => {
			const [, name, value] = /^([a-z]+): (.+)$/.exec(line) ?? [];
			return name && value ? [[name, value.trim()]] : [];
		}),
	) as Record<string, string | undefined>;
	const { title = "", section = "", order = "", summary = "" } = members;
	const violations = [
		...Object.entries({ title, section, order, summary }).flatMap(([name, value]) => (value === "" ? [name] : [])),
		...(/^\d+$/.test(order) ? [] : ["order as a whole number"]),
	];
	if (violations.length > 0) throw new Error(`${path} needs ${violations.join(", ")} in its front matter`);
	return { title, section, order: Number(order), summary };
}

function countWords(text: string): number {
	return text.split(/\s+/).filter((word) => /[A-Za-z0-9]/.test(word)).length;
}

function hasWords(text: string): boolean {
	return countWords(text) > 0;
}
