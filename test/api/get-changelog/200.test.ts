import { afterAll, beforeAll, expect, test } from "bun:test";
import { DOMParser } from "@xmldom/xmldom";
import { CATEGORIES, readChangelog, renderChangelog, toJsonFeed, writeAtom } from "../../../src/api/changelog";
import { sampleChangelog } from "../changelog/support/sample";
import { type Served, serveDeclared } from "../support/declared-operations";

let served: Served;
beforeAll(() => {
	served = serveDeclared();
});
afterAll(() => served.stop());

const get = (path: string, headers: Record<string, string> = {}) => fetch(served.url + path, { headers });

test("the changelog is public as JSON, newest first, with categories", async () => {
	const answer = await get("/v1/changelog");
	expect(answer.status).toBe(200);
	const list = (await answer.json()) as { items: { version: string; date: string; entries: { category: string }[] }[] };
	expect(list).toMatchObject({ count: readChangelog().length, partial: false, next: null });
	const dates = list.items.map(({ date }) => date);
	expect(dates).toEqual([...dates].sort().reverse());
	for (const { entries } of list.items) {
		for (const entry of entries) {
			expect(CATEGORIES as readonly string[]).toContain(entry.category);
			expect(entry).toHaveProperty("breaking");
		}
	}
});

test("the page has a section for each release, its feeds and no script of its own", async () => {
	const answer = await get("/changelog", { accept: "text/html" });
	expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
	expect(answer.headers.get("content-security-policy")).toContain("default-src 'self'");
	const page = await answer.text();
	const own = page.replace('<script src="/docs/assets/docs.js"></script>', "");
	expect(own).not.toMatch(/<script|\son\w+=|javascript:/i);
	expect(page).toContain('<link rel="alternate" type="application/atom+xml" href="/changelog.atom">');
	for (const { area, version } of readChangelog()) expect(page).toContain(`<section id="${area}-${version}">`);
});

test("entries cannot become markup and have the anchors of announcements", () => {
	const page = renderChangelog(sampleChangelog);
	expect(page).toContain("An &lt;b&gt;odd&lt;/b&gt; &amp; old fault of <code>GET /v1/new</code>.");
	expect(page).toContain('<li id="old-runs"><b>Breaking.</b> The list without a cursor.');
	expect(page.indexOf("<h3>Added</h3>")).toBeLessThan(page.indexOf("<h3>Deprecated</h3>"));
	expect(page.indexOf('id="identity-1.2.0"')).toBeLessThan(page.indexOf('id="invoicing-0.1.0-dev"'));
});

test("the Atom feed follows RFC 4287 and has entries for separate announcements", async () => {
	const answer = await get("/changelog.atom", { accept: "application/atom+xml" });
	expect(answer.headers.get("content-type")).toBe("application/atom+xml; charset=utf-8");
	for (const text of [await answer.text(), writeAtom(sampleChangelog, served.url)]) {
		const feed = new DOMParser({ onError: (_, message) => expect(message).toBe("") }).parseFromString(text, "text/xml");
		for (const name of ["id", "title", "updated", "author"])
			expect(feed.getElementsByTagName(name).length).toBeGreaterThan(0);
		for (const entry of feed.getElementsByTagName("entry")) {
			expect(entry.getElementsByTagName("id")[0]?.textContent).toStartWith(`${served.url}/changelog#`);
			expect(entry.getElementsByTagName("updated")[0]?.textContent).toMatch(/^\d{4}-\d\d-\d\dT00:00:00Z$/);
			expect(entry.getElementsByTagName("content")[0]?.textContent).toStartWith("<");
		}
	}
	expect(writeAtom(sampleChangelog, served.url)).toContain("<title>Deprecated: GET /v1/old/{id}</title>");
});

test("the JSON feed has version 1.1 and the content of the Atom feed", async () => {
	const answer = await get("/changelog.json", { accept: "application/feed+json" });
	expect(answer.headers.get("content-type")).toBe("application/feed+json; charset=utf-8");
	const feed = (await answer.json()) as ReturnType<typeof toJsonFeed>;
	expect(feed).toEqual(toJsonFeed(readChangelog(), served.url));
	expect(feed).toMatchObject({
		version: "https://jsonfeed.org/version/1.1",
		home_page_url: `${served.url}/changelog`,
		feed_url: `${served.url}/changelog.json`,
	});
	expect(new Set(feed.items.map(({ id }) => id)).size).toBe(feed.items.length);
	expect(toJsonFeed(sampleChangelog, served.url).items.map(({ title }) => title)).toEqual([
		"Deprecated: GET /v1/old/{id}",
		"Identity validation 1.2.0",
		"Invoicing 0.1.0-dev",
	]);
});
