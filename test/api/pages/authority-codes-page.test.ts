import { expect, test } from "bun:test";
import { authorityCodesOperation } from "../../../src/api/pages/invoicing";
import { explainAll } from "../../../src/authority/codes";

test("every known code has an anchor with title, cause and fix in both languages", async () => {
	const [english, spanish] = [explainAll("en"), explainAll("es")];
	const operation = authorityCodesOperation({ english, spanish });
	const url = new URL(`http://localhost${operation.path}`);
	const request = new Request(url.href);
	const call = { request, url, requestId: "request", remoteAddress: "", params: {}, operation };
	const page = await (await operation.handle(call)).text();
	for (const explanation of [...english, ...spanish]) {
		if (!explanation.known) throw new Error(`${explanation.code} is listed and not known`);
		const { code, title, cause, fix } = explanation;
		const place = page.indexOf(`<section id="${code}">`);
		const entry = plain(page.slice(place, page.indexOf("</section>", place)));
		expect({ code, isThere: place >= 0 }).toEqual({ code, isThere: true });
		for (const part of [title, cause, fix]) expect(entry).toContain(part.replaceAll("`", ""));
	}
});

test("an undocumented code is marked as such", async () => {
	const operation = authorityCodesOperation({ english: [{ code: "9<9", known: false }], spanish: [] });
	const url = new URL(`http://localhost${operation.path}`);
	const request = new Request(url.href);
	const call = { request, url, requestId: "request", remoteAddress: "", params: {}, operation };
	expect(await (await operation.handle(call)).text()).toContain("9&lt;9</a></h2>\n<p>Not documented.");
});

function plain(html: string): string {
	const text = html.replace(/<[^>]*>/g, "");
	return text
		.replace(/&lt;/g, "<")
		.replace(/&gt;/g, ">")
		.replace(/&#39;/g, "'")
		.replace(/&quot;/g, '"')
		.replace(/&amp;/g, "&");
}
