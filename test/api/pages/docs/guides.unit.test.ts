import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { readFrontMatter } from "../../../../scripts/check/documents";
import { createGuides } from "../../../../src/api/pages/docs/guides";
import { renderMarkdown } from "../../../../src/api/pages/docs/markdown";

const LANGUAGES = ["en", "es"] as const;
const OPTIONS = { language: "en", variables: { api_key: "ak_1" }, toHref: (target: string) => target } as const;
const DEPS = { baseUrl: "https://api.example", environment: "sandbox", isRegistryAlone: false } as const;

test.each(LANGUAGES)("every guide becomes a page with one title, in a known section: %s", (language) => {
	const guides = createGuides(DEPS);
	for (const guide of guides.list(language)) {
		const { html, headings } = guides.render(guide, language);
		expect([guide.name, headings.filter(({ level }) => level === 1).length]).toEqual([guide.name, 1]);
		expect([guide.name, new Set(headings.map(({ id }) => id)).size]).toEqual([guide.name, headings.length]);
		expect([guide.name, /\{\{\w+\}\}/.exec(html)?.[0]]).toEqual([guide.name, undefined]);
	}
	const sections = guides.bySection(language).map(({ name }) => name);
	expect(sections).not.toContain("");
	expect(sections.length).toBeLessThan(12);
});

test("sections of a Spanish page and of its English one are the same", () => {
	const guides = createGuides(DEPS);
	for (const { name, guides: list } of guides.bySection("es"))
		for (const guide of list.filter(({ written }) => written === "es")) {
			const path = `data/docs/es/${guide.name}.md`;
			const text = readFileSync(path, "utf8");
			expect([path, readFrontMatter(path, text).section]).toEqual([path, name]);
		}
});

test("a process of the registry alone shows and links guides of the registry alone", () => {
	const guides = createGuides({ ...DEPS, isRegistryAlone: true });
	const names = guides.list("es").map(({ name }) => name);
	expect(names).toContain("look-up");
	expect(names).not.toContain("invoices");
	for (const guide of guides.list("es"))
		for (const [, name = ""] of guides.render(guide, "es").html.matchAll(/href="\/docs\/es\/([a-z0-9-]+)/g))
			expect(names).toContain(name);
});

test("outside the sandboxes examples name variables that a shell expands", () => {
	const guides = createGuides({ ...DEPS, environment: "production" });
	const guide = guides.find("en", "versions");
	if (!guide) throw new Error("there is no such guide");
	const text = guides.toMarkdown(guide);
	expect(text).toContain('-H "x-api-key: $SELLO_API_KEY"');
	expect(text).toContain(`client_id='"$SELLO_CLIENT_ID"'&client_secret='"$SELLO_CLIENT_SECRET"''`);
	expect(text).not.toContain("ak_demo");
});

test("Markdown becomes the elements that the pages rely on", () => {
	const { html, headings } = renderMarkdown(
		'# Café & `a<b`\n\n## Año\n\n## Año\n\n> [!WARNING]\n> Do *not*.\n\n| a | b |\n|---|--:|\n| `x` | 1 |\n\n1. [one](x.md#y "z")\n\n```bash tab=curl expect=200\ncurl -H "k: {{api_key}}" # <b>\n```\n',
		OPTIONS,
	);
	expect(headings.map(({ id, text }) => [id, text])).toEqual([
		["cafe-a-b", "Café &amp; <code>a&lt;b</code>"],
		["ano", "Año"],
		["ano-2", "Año"],
	]);
	expect(html).toContain(
		'<div class="note warning" role="note"><p><strong>Warning</strong></p><p>Do <em>not</em>.</p>',
	);
	expect(html).toContain('<th scope="col" class="right">b</th>');
	expect(html).toContain('<ol><li><a href="x.md#y">one</a></li>');
	expect(html).toContain('data-tab="curl"');
	expect(html).toContain(
		'<i class="k">curl</i> <i class="k">-H</i> <i class="s">&quot;k: <var data-name="api_key">ak_1</var>&quot;</i> <i class="c"># &lt;b&gt;</i>',
	);
});

test("neighbouring samples of several languages are one group of tabs", () => {
	const fence = (info: string) => `\`\`\`${info}\nx\n\`\`\`\n`;
	const page = [fence("bash tab=curl"), fence("ts tab=typescript"), fence("bash tab=curl"), fence("json")].join("\n");
	const { html } = renderMarkdown(page, OPTIONS);
	expect(html.match(/<div class="tabs">/g)).toHaveLength(1);
	expect(html.match(/<div class="code"/g)).toHaveLength(4);
});

test("raw HTML and unknown variables are errors; code may contain both brackets", () => {
	expect(() => renderMarkdown("Text <b>bold</b>.\n", OPTIONS)).toThrow("raw HTML");
	expect(() => renderMarkdown("<div>\n\nx\n\n</div>\n", OPTIONS)).toThrow("raw HTML");
	expect(() => renderMarkdown("```sh\n{{nothing}}\n```\n", OPTIONS)).toThrow("{{nothing}} is no variable");
	expect(renderMarkdown("`<b>` and a < b.\n\n```html\n<b>x</b>\n```\n", OPTIONS).html).toContain("&lt;b&gt;");
});
