import { afterAll, beforeAll, expect, test } from "bun:test";
import { catalogue } from "../../src/platform/problem";
import { type Served, serveDeclared } from "./support/declared-operations";

let served: Served;
beforeAll(() => {
	served = serveDeclared();
});
afterAll(() => served.stop());

const slugs = Object.keys(catalogue) as (keyof typeof catalogue)[];
const JSON_ONLY = { accept: "application/json" };
const get = (path: string, headers: Record<string, string> = {}) => fetch(served.url + path, { headers });

test("every problem has a page with its title, status, cause, fix and an example", async () => {
	for (const slug of slugs) {
		const { status, title, cause, fix } = catalogue[slug];
		const answer = await get(`/errors/${slug}`);
		expect({ slug, status: answer.status }).toEqual({ slug, status: 200 });
		expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
		expect(answer.headers.get("content-security-policy")).toContain("default-src 'self'");
		const text = plain(await answer.text());
		for (const part of [slug, title, String(status), cause, fix, `"type": "${served.url}/errors/${slug}"`]) {
			expect(text).toContain(part.replaceAll("`", ""));
		}
	}
});

test("every problem is available as JSON", async () => {
	for (const slug of slugs) {
		const { status, title, cause, fix } = catalogue[slug];
		const type = `${served.url}/errors/${slug}`;
		const answer = await get(`/errors/${slug}`, JSON_ONLY);
		expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
		expect(await answer.json()).toMatchObject({
			...{ slug, type, status, title, cause, fix },
			example: { type, title, status, detail: expect.any(String), instance: expect.any(String) },
		});
	}
});

test("the list names every problem once, as a page and as JSON", async () => {
	const page = await (await get("/errors")).text();
	for (const slug of slugs) expect(page.split(`href="/errors/${slug}?lang=en"`).length).toBe(2);
	const list = (await (await get("/errors", JSON_ONLY)).json()) as { items: { slug: string }[]; count: number };
	expect(list).toMatchObject({ count: slugs.length, partial: false, next: null });
	expect(list.items.map((item) => item.slug)).toEqual(slugs);
});

test("a reader gets the page unless JSON is preferred", async () => {
	const typeFor = async (accept: string) =>
		(await get("/errors/not-found", { accept })).headers.get("content-type")?.split(";")[0];
	expect(await typeFor("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")).toBe("text/html");
	expect(await typeFor("*/*")).toBe("text/html");
	expect(await typeFor("text/html, application/json;q=0.9")).toBe("text/html");
	expect(await typeFor("text/html;q=0.5, application/json")).toBe("application/json");
	expect(await typeFor("application/json, */*;q=0.1")).toBe("application/json");
	expect(await typeFor("application/problem+json")).toBe("application/json");
	expect((await get("/errors/not-found")).headers.get("vary")).toBe("Accept, Accept-Language");
});

test("pages and problems are in the language that the reader prefers", async () => {
	const spanish = { "accept-language": "es-DO,es;q=0.9,en;q=0.5" };
	const page = await get("/errors/not-found", spanish);
	expect([page.headers.get("content-language"), await page.text()]).toEqual([
		"es",
		expect.stringMatching(
			/<html lang="es">.*<h1>No encontrado<\/h1>.*<h2>Causa<\/h2>.*&quot;title&quot;: &quot;No encontrado&quot;/s,
		),
	]);
	expect(await (await get("/errors", { ...spanish, ...JSON_ONLY })).json()).toMatchObject({
		items: expect.arrayContaining([expect.objectContaining({ slug: "not-found", title: "No encontrado" })]),
	});
	for (const [header, language, title] of [
		[undefined, "en", "Not found"],
		["fr", "en", "Not found"],
		["*", "en", "Not found"],
		["es-DO;q=.9", "es", "No encontrado"],
	] as const) {
		const answer = await get("/no/such/address", header === undefined ? {} : { "accept-language": header });
		expect([answer.headers.get("content-language"), await answer.json()]).toEqual([
			language,
			expect.objectContaining({ type: `${served.url}/errors/not-found`, title }),
		]);
	}
});

test("a name that no problem has is answered like any unknown address", async () => {
	for (const slug of ["no-such-problem", "constructor", "__proto__", "toString", "NOT-FOUND", "not-found%00"]) {
		const answer = await get(`/errors/${slug}`);
		expect({ slug, status: answer.status }).toEqual({ slug, status: 404 });
		expect(await answer.json()).toMatchObject({ type: `${served.url}/errors/not-found` });
	}
});

test("the type of a problem that was really answered leads to its page", async () => {
	const problem = (await (await get("/no/such/address")).json()) as { type: string };
	const page = await fetch(problem.type);
	expect(page.status).toBe(200);
	expect(await page.text()).toContain("Not found");
});

function plain(html: string): string {
	return html
		.replace(/<[^>]*>/g, "")
		.replace(/&lt;/g, "<")
		.replace(/&gt;/g, ">")
		.replace(/&#39;/g, "'")
		.replace(/&quot;/g, '"')
		.replace(/&amp;/g, "&");
}

test("a problem's address may name its language; each page leads to the other", async () => {
	for (const path of ["/errors", "/errors/not-found"]) {
		const answer = await get(`${path}?lang=es`, { "accept-language": "en" });
		expect([path, answer.headers.get("content-language")]).toEqual([path, "es"]);
		expect(await answer.text()).toContain(`href="${path}?lang=en" lang="en"`);
		expect((await get(`${path}?lang=fr`)).headers.get("content-language")).toBe("en");
	}
});
