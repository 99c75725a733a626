/** The archives of the client libraries as the service offers them: their list, their files and what package managers read. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { type Served, serveDeclared } from "../support/declared-operations";

type Item = { library: string; version: string; name: string; url: string; bytes: number; sha256: string };

let served: Served;
beforeAll(() => {
	served = serveDeclared();
});
afterAll(() => served.stop());

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${served.url}${path}`, { headers });
const list = async () => {
	const answer = await get("/sdk", { accept: "application/json" });
	return ((await answer.json()) as { items: Item[] }).items;
};

test("the first request builds the archives; the list has their digests", async () => {
	const items = await list();
	expect(items.map(({ library }) => library)).toEqual(["typescript", "python", "php", "woocommerce"]);
	for (const { url, bytes, sha256, version } of items) {
		expect(version).toMatch(/^\d+\.\d+\.\d+-dev\.h[0-9a-f]{8}$/);
		const answer = await fetch(url);
		const content = new Uint8Array(await answer.arrayBuffer());
		expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
		expect([content.length, createHash("sha256").update(content).digest("hex")]).toEqual([bytes, sha256]);
		const known = await fetch(url, { headers: { "if-none-match": answer.headers.get("etag") ?? "" } });
		expect(known.status).toBe(304);
	}
}, 60_000);

test("the page is in the reader's language and links each archive by its name", async () => {
	const items = await list();
	for (const [language, title] of [
		["es", "Bibliotecas de cliente"],
		["en", "Client libraries"],
	] as const) {
		const answer = await get("/sdk", { accept: "text/html", "accept-language": language });
		expect(answer.headers.get("content-language")).toBe(language);
		const page = await answer.text();
		expect(page).toContain(`<h1>${title}</h1>`);
		for (const { url } of items) expect(page).toContain(`href="${url}"`);
		// Composer wants a file in a new folder, and refuses plain HTTP until it is allowed.
		expect(page).toMatch(
			/test -f composer\.json[\s\S]+composer config secure-http false\ncomposer require sello\/sdk:@dev/,
		);
	}
});

test("names that no archive has are not found, whatever they look like", async () => {
	const names = [
		"x",
		"sello.zip",
		"sello-9.9.9.tgz",
		"..%2f..%2fpackage.json",
		"sello-sdk-0.1.0-dev.h00000000.zip",
		"ñ",
	];
	for (const name of names) {
		for (const folder of ["/sdk/", "/sdk/php/", "/sdk/npm/"]) {
			expect({ name, folder, status: (await get(`${folder}${name}`)).status }).toEqual({ name, folder, status: 404 });
		}
	}
});

test("the Composer repository names the archive, its digest and how its classes load", async () => {
	const [item] = (await list()).filter(({ library }) => library === "php");
	const { packages } = (await (await get("/sdk/php/packages.json")).json()) as {
		packages: Record<string, Record<string, Record<string, unknown>>>;
	};
	const [version, about] = Object.entries(packages["sello/sdk"] ?? {})[0] ?? [];
	expect(version).toBe(item?.version.replace(/\.h.*/, "") ?? "");
	expect(about).toMatchObject({ autoload: { classmap: ["src/"] }, dist: { type: "zip", url: item?.url } });
});
