import { expect, test } from "bun:test";
import { codesPageOperations, createGuides, type ExplainedCodes } from "../../../src/api/pages/docs";
import { explainAll } from "../../../src/authority/codes";

async function read(codes: ExplainedCodes, lang: string): Promise<string> {
	const deps = {
		guides: createGuides({ baseUrl: "", environment: "sandbox", isRegistryAlone: false }),
		docsLanguage: "es",
	} as const;
	const operation = codesPageOperations(deps, codes).find(({ id }) => id === "getCodesPage");
	if (!operation) throw new Error("there is no page of codes");
	const url = new URL(`http://localhost/docs/${lang}/codes`);
	const request = new Request(url.href);
	const call = { request, url, requestId: "request", remoteAddress: "", params: { lang }, operation };
	return (await operation.handle(call)).text();
}

test.each(["en", "es"] as const)("every known code has an anchor with title, cause and fix in %s", async (language) => {
	const codes = { en: explainAll("en"), es: explainAll("es") };
	const page = await read(codes, language);
	for (const explanation of codes[language]) {
		if (!explanation.known) throw new Error(`${explanation.code} is listed and not known`);
		const { code, title, cause, fix } = explanation;
		const place = page.indexOf(`<section id="${code}">`);
		const entry = plain(page.slice(place, page.indexOf("</section>", place)));
		expect({ code, isThere: place >= 0 }).toEqual({ code, isThere: true });
		for (const part of [title, cause, fix]) expect(entry).toContain(part.replaceAll("`", ""));
	}
});

test("an undocumented code is marked as such", async () => {
	expect(await read({ en: [{ code: "9<9", known: false }], es: [] }, "en")).toContain(
		"9&lt;9</a></h2>\n<p>Not documented.",
	);
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
