/**
 * Markdown of the guides as HTML. This file alone knows the parser: `Bun.markdown` of the pinned runtime, which is not declared stable; golden tests show
 * what we rely on.
 */
import type { Language } from "../../../platform/problem";
import { escapeHtml, type Heading, type Html, toAnchor } from "../../html";
import { fillVariables, renderSamples, type Sample, type Variables } from "./code";

export type MarkdownOptions = {
	readonly language: Language;
	readonly variables: Variables;
	/** The address of a link's target; undefined leaves the link out and keeps its text. */
	readonly toHref: (target: string) => string | undefined;
};

export type Rendered = { readonly html: Html; readonly headings: readonly Heading[] };

export const FENCE = /^```(.*)\n([\s\S]*?)^```$/gm;
const NOTES = {
	NOTE: { en: "Note", es: "Nota" },
	WARNING: { en: "Warning", es: "Advertencia" },
} as const;
const TABLE = { en: "Table", es: "Tabla" } as const;

/** Throws: Error for raw HTML, and for an unknown variable in code. */
export function renderMarkdown(markdown: string, { language, variables, toHref }: MarkdownOptions): Rendered {
	refuseRawHtml(markdown);
	const groups = groupFences(markdown);
	const headings: Heading[] = [];
	let fence = 0;
	const html = Bun.markdown.render(markdown, {
		heading: (text, { level }) => {
			const id = freeAnchor(toAnchor(unescapeHtml(text.replace(/<[^>]*>/g, ""))), headings);
			headings.push({ level, id, text: text.replace(/<\/?a\b[^>]*>/g, "") });
			const link = level === 1 ? text : `${text}<a class="anchor" href="#${id}" aria-hidden="true" tabindex="-1">#</a>`;
			return `<h${level} id="${id}">${link}</h${level}>\n`;
		},
		paragraph: (text) => `<p>${text}</p>\n`,
		blockquote: toNote(language),
		code: () => {
			const samples = groups[fence++] ?? [];
			return samples.length === 0 ? "" : renderSamples(samples, variables, language);
		},
		list: (items, { ordered, start }) =>
			ordered ? `<ol${start === 1 ? "" : ` start="${start}"`}>${items}</ol>\n` : `<ul>${items}</ul>\n`,
		listItem: (text) => `<li>${text}</li>\n`,
		hr: () => "<hr>\n",
		table: (rows) =>
			`<div class="scroll" tabindex="0" role="group" aria-label="${TABLE[language]}"><table>${rows}</table></div>\n`,
		thead: (rows) => `<thead>${rows}</thead>`,
		tbody: (rows) => `<tbody>${rows}</tbody>`,
		tr: (cells) => `<tr>${cells}</tr>\n`,
		th: (text, meta) => (text === "" ? "<td></td>" : `<th scope="col"${toAlign(meta?.align)}>${text}</th>`),
		td: (text, meta) => `<td${toAlign(meta?.align)}>${text}</td>`,
		strong: (text) => `<strong>${text}</strong>`,
		emphasis: (text) => `<em>${text}</em>`,
		strikethrough: (text) => `<del>${text}</del>`,
		codespan: (text) => `<code>${fillVariables(text, variables)}</code>`,
		link: (text, { href: target }) => {
			const href = toHref(target);
			return href === undefined ? text : `<a href="${escapeHtml(href)}">${text}</a>`;
		},
		image: (text) => text,
		text: escapeHtml,
	});
	return { html, headings };
}

const toAlign = (align: string | undefined) => (align === "right" ? ' class="right"' : "");

/** Code blocks in order; a block of tabs holds its neighbours, whose own places are empty. */
function groupFences(markdown: string): Sample[][] {
	const groups: Sample[][] = [];
	let open: { readonly group: Sample[]; readonly end: number } | undefined;
	for (const { 0: whole, 1: info = "", 2: code = "", index } of markdown.matchAll(FENCE)) {
		const tab = /\btab=(\w+)/.exec(info)?.[1];
		const sample = { language: /^\w*/.exec(info)?.[0] ?? "", code, tab };
		const isNext =
			tab !== undefined &&
			open !== undefined &&
			markdown.slice(open.end, index).trim() === "" &&
			!open.group.some((other) => other.tab === tab);
		const group: Sample[] = isNext && open ? open.group : [];
		group.push(sample);
		groups.push(isNext ? [] : group);
		open = tab === undefined ? undefined : { group, end: index + whole.length };
	}
	return groups;
}

/** A quotation that begins with `[!NOTE]` or `[!WARNING]` is a note; others stay quotations. */
function toNote(language: Language): (html: Html) => Html {
	return (html) => {
		const kind = /^<p>\[!(NOTE|WARNING)\]\s*/.exec(html);
		if (!kind) return `<blockquote>${html}</blockquote>\n`;
		const name = kind[1] as keyof typeof NOTES;
		const text = `<p>${html.slice(kind[0].length)}`;
		return `<div class="note ${name.toLowerCase()}" role="note"><p><strong>${NOTES[name][language]}</strong></p>${text}</div>\n`;
	};
}

/** Throws: Error. Code may contain tags; text may not. */
function refuseRawHtml(markdown: string): void {
	const text = markdown.replace(FENCE, "").replace(/(`+)(?:(?!\1)[\s\S])+?\1/g, "");
	const tag = /<(?:!--|\/?[a-z][^>]*>)/i.exec(text)?.[0];
	if (tag !== undefined && !/^<https?:/.test(tag)) throw new Error(`raw HTML in Markdown: ${tag}`);
}

function freeAnchor(anchor: string, taken: readonly Heading[]): string {
	let free = anchor;
	for (let n = 2; taken.some(({ id }) => id === free); n++) free = `${anchor}-${n}`;
	return free;
}

function unescapeHtml(html: Html): string {
	return html
		.replace(/&lt;/g, "<")
		.replace(/&gt;/g, ">")
		.replace(/&quot;/g, '"')
		.replace(/&#39;/g, "'")
		.replace(/&amp;/g, "&");
}
