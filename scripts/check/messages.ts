/**
 * The templates of all texts for callers, and what their Spanish lacks. A template is what stands behind the tag `msg` in a source, and each
 * title, cause and fix of a problem; `{0}` stands for its first value.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { catalogue } from "../../src/platform/problem";

export type Template = { readonly path: string; readonly template: string; readonly values: readonly string[] };

const TAG = /(?<![\w.])msg`/g;

/** The templates in a source of TypeScript, with the code of their values. */
export function findTemplates(path: string, text: string): Template[] {
	return [...text.matchAll(TAG)].map(({ index }) => {
		const { parts, values } = readTemplate(text, index + "msg".length);
		return { path, template: parts.map((part, n) => (n === 0 ? part : `{${n - 1}}${part}`)).join(""), values };
	});
}

/** All texts that callers can read. The simulator has none of them. */
export function listTemplates(root: string): Template[] {
	const paths = [...new Bun.Glob("src/**/*.ts").scanSync({ cwd: root })].sort();
	const ofCatalogue = Object.values(catalogue).flatMap(({ title, cause, fix }) => [title, cause, fix]);
	return [
		...ofCatalogue.map((template) => ({ path: "src/platform/problem/catalogue.ts", template, values: [] })),
		...paths.flatMap((path) => findTemplates(path, readFileSync(join(root, path), "utf8"))),
	];
}

/** Whether a template has words of its own; one that only puts values together is the same in all languages. */
export function hasWords(template: string): boolean {
	return /\p{L}/u.test(template.replace(/\{\d+\}/g, ""));
}

export function listPlaceholders(template: string): string[] {
	return [...new Set(template.match(/\{\d+\}/g) ?? [])].sort();
}

type Read = { readonly parts: readonly string[]; readonly values: readonly string[]; readonly end: number };

/** Reads the template literal whose first backtick stands at `at`. */
function readTemplate(text: string, at: number): Read {
	const parts: string[] = [];
	const values: string[] = [];
	let part = "";
	let i = at + 1;
	while (text[i] !== "`") {
		if (text[i] === "\\") {
			part += text[i + 1] === "n" ? "\n" : text[i + 1];
			i += 2;
		} else if (text.startsWith("${", i)) {
			const end = endOfCode(text, i + 2);
			values.push(text.slice(i + 2, end));
			parts.push(part);
			part = "";
			i = end + 1;
		} else part += text[i++];
		if (i >= text.length) throw new Error(`a template without an end at ${at}`);
	}
	return { parts: [...parts, part], values, end: i };
}

/** Where the brace stands that closes the code of a value. */
function endOfCode(text: string, from: number): number {
	let depth = 0;
	for (let i = from; i < text.length; i++) {
		const character = text[i];
		if (character === "`") i = readTemplate(text, i).end;
		else if (character === '"' || character === "'") i = endOfText(text, i);
		else if (character === "{") depth++;
		else if (character === "}" && depth-- === 0) return i;
	}
	throw new Error(`a value without an end at ${from}`);
}

function endOfText(text: string, from: number): number {
	let i = from + 1;
	while (i < text.length && text[i] !== text[from]) i += text[i] === "\\" ? 2 : 1;
	return i;
}
