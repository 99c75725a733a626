import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OpenApiDocument } from "../../src/api/openapi";
import { ASSET_NAMES, findExplorerFile } from "../../src/api/pages/docs/asset-files";
import { renderExplorer } from "../../src/api/pages/docs/explorer";
import { PUBLIC } from "../../src/platform/operation";
import { findBrowser, openBrowser } from "../support/browser";
import { declaredOperations, type Served, serveDeclared } from "./support/declared-operations";

let served: Served;
let page: string;
beforeAll(async () => {
	served = serveDeclared();
	page = await (await get("/docs/explorer")).text();
});
afterAll(() => served.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
	// As it is stored; what compression changes has tests of its own.
	fetch(served.url + path, { headers: { "accept-encoding": "identity", ...headers }, redirect: "manual" });

test("whatever of these can be asked for with its ETag is declared to answer 304", async () => {
	const pages = declaredOperations().filter(
		({ method, path, credentials }) => method === "GET" && credentials === PUBLIC && !path.startsWith("/v1/"),
	);
	const found: string[] = [];
	for (const operation of pages) {
		const path = operation.path
			.replace("{file}", "docs.css")
			.replace("{lang}", "es")
			.replace("{page}", "first-invoice");
		const etag = (await get(path)).headers.get("etag");
		if (etag === null) continue;
		const known = await get(path, { "if-none-match": etag });
		expect([path, known.status, known.headers.get("content-disposition")]).toEqual([path, 304, null]);
		expect([path, Object.keys(operation.answers)]).toEqual([path, expect.arrayContaining(["304"])]);
		expect([path, operation.parameters?.map(({ name }) => name)]).toEqual([
			path,
			expect.arrayContaining(["If-None-Match"]),
		]);
		expect([path, Object.keys(operation.answers[200]?.headers ?? {})]).toEqual([
			path,
			expect.arrayContaining(["ETag"]),
		]);
		found.push(path);
	}
	expect(found).toEqual(expect.arrayContaining(["/docs", "/docs/authority-codes", "/docs/webhooks", "/docs/verify"]));
});

test("the root leads programs to the documentation", async () => {
	for (const accept of ["*/*", "application/json"]) {
		const answer = await get("/", { accept });
		expect(answer.status).toBe(302);
		expect(answer.headers.get("location")).toBe("/docs");
		expect(answer.headers.get("vary")).toBe("Accept");
		expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
		expect(await answer.text()).toContain('<a href="/docs">');
	}
});

test.each([
	["/", "en-US", "en"],
	["/", "fr", "es"],
	["/?lang=en", "es", "en"],
	["/?lang=es&utm_source=x", "en", "es"],
	["/?lang=%3Cscript%3E", "en", "en"],
])("%s shows readers of %s in the language %s what this service is", async (path, accepted, language) => {
	const answer = await get(path, { accept: "text/html", "accept-language": accepted });
	expect([answer.status, answer.headers.get("content-language")]).toEqual([200, language]);
	expect(answer.headers.get("vary")).toBe("Accept, Accept-Language, Accept-Encoding");
	const html = await answer.text();
	expect(html).toContain(`<html lang="${language}">`);
	expect(html).toContain(`<code>${served.url}</code>`);
	expect(html).toContain("ak_demo_public0000000000000000");
	expect(html).toContain(`href="/docs/${language}/first-invoice"`);
	const loaded = loadedBy(html);
	expect(loaded.filter((address) => !address.startsWith("/") || address.startsWith("//"))).toEqual([]);
});

test("the served interface has ready samples and stays below 170 KB of gzip", async () => {
	for (const language of ["en", "es"]) {
		const text = await (await get("/openapi.json", { "accept-language": language })).text();
		const { paths } = JSON.parse(text) as OpenApiDocument;
		const samples = paths["/v1/invoices"]?.post?.["x-codeSamples"] ?? [];
		expect(samples.map(({ label }) => label)).toEqual(["curl", "TypeScript"]);
		expect(samples[0]?.source).toContain(`${served.url}/v1/invoices`);
		expect(paths["/livez"]?.get).not.toHaveProperty("x-codeSamples");
		expect(JSON.stringify(samples)).not.toContain("{{");
		const bytes = Bun.gzipSync(text, { level: 9 }).length;
		console.log(`/openapi.json in ${language}: ${bytes} bytes of gzip`);
		expect(bytes).toBeLessThan(170_000);
	}
});

test("the documentation is a page that may load nothing from elsewhere", async () => {
	const answer = await get("/docs", { accept: "text/html" });
	expect(answer.status).toBe(200);
	expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
	expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
	const policy = answer.headers.get("content-security-policy") ?? "";
	expect(policy).toContain("default-src 'self'");
	expect(policy).not.toMatch(/unsafe|https?:|\*/);
	await answer.text();
});

test("the page and its style sheets name no address outside the service", async () => {
	const loaded = loadedBy(page);
	expect(loaded.length).toBeGreaterThan(3);
	expect(loaded.filter((address) => !address.startsWith("/") || address.startsWith("//"))).toEqual([]);
	for (const href of loaded.filter((address) => address.endsWith(".css"))) {
		const sheet = await (await get(href)).text();
		expect(sheet).not.toMatch(/@import/i);
		const sources = [...sheet.matchAll(/url\(\s*["']?([^"')]{0,80})/gi)].map((match) => match[1] ?? "");
		expect(sources.filter((source) => !source.startsWith("data:"))).toEqual([]);
	}
	expect(await (await get("/docs/assets/start-docs.js")).text()).not.toMatch(/["'`](?:https?:)?\/\//);
});

test("everything that the page loads is there, and no script stands in the page itself", async () => {
	for (const address of loadedBy(page)) {
		const answer = await get(address);
		expect({ address, status: answer.status }).toEqual({ address, status: 200 });
		expect((await answer.bytes()).length).toBeGreaterThan(100);
	}
	expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/);
	expect(page).not.toMatch(/\son\w+=|\sstyle=|<style|javascript:/i);
});

test("without scripts the page lists every operation with its path, summary and a link", async () => {
	for (const { id, method, path, summary } of declaredOperations(served.url)) {
		const place = page.indexOf(`<details id="${id}">`);
		expect({ id, isThere: place >= 0 }).toEqual({ id, isThere: true });
		const entry = page.slice(place, page.indexOf("</details>", place));
		expect(entry).toContain(`<b>${method}</b> <a href="#${id}">${path}</a>`);
		expect(plain(entry)).toContain(plain(summary));
	}
	for (const [, href = ""] of page.matchAll(/<a href="(\/errors\/[^"]+)"/g)) {
		expect({ href, status: (await get(href)).status }).toEqual({ href, status: 200 });
	}
});

test("text of an operation cannot become markup", () => {
	const operation = declaredOperations(served.url)[0];
	if (!operation) throw new Error("there is no operation");
	const hostile = { ...operation, id: "hostile", summary: '<img src=x onerror="alert(1)">', path: "/<b>" };
	const text = renderExplorer([hostile]);
	expect(text).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;");
	expect(text).not.toContain("<img");
	expect(text).not.toContain("/<b>");
});

test("each file of the page is answered with its type", async () => {
	const types: Record<string, string> = {
		css: "text/css; charset=utf-8",
		js: "text/javascript; charset=utf-8",
		png: "image/png",
	};
	for (const name of ASSET_NAMES) {
		const answer = await get(`/docs/assets/${name}`);
		expect({ name, status: answer.status }).toEqual({ name, status: 200 });
		expect(answer.headers.get("content-type")).toBe(types[name.split(".").pop() ?? ""] ?? "");
		expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
		expect((await answer.bytes()).length).toBe(Number(answer.headers.get("content-length")));
	}
});

test("without the package the explorer's files are those of the build, or none", () => {
	const folder = mkdtempSync(join(tmpdir(), "sello-explorer-"));
	const find = () => findExplorerFile("swagger-ui.css", folder, "no-such-package");
	expect(find).toThrow("The explorer is not built.");
	writeFileSync(join(folder, "swagger-ui.css"), "");
	expect(find()).toBe(join(folder, "swagger-ui.css"));
	rmSync(folder, { recursive: true });
});

test("no other file can be read through the address of the files", async () => {
	const names = [
		"package.json",
		"swagger-ui.css.map",
		"swagger-ui-es-bundle.js",
		"index.html",
		"SWAGGER-UI.CSS",
		"swagger-ui.css/",
		"swagger-ui.css%00",
		"swagger-ui.css%2f..%2fpackage.json",
		"../../package.json",
		"..%2f..%2f..%2fpackage.json",
		"%2e%2e%2f%2e%2e%2fpackage.json",
		"..%5c..%5cpackage.json",
		"....//package.json",
		"%252e%252e%252fpackage.json",
		"/etc/passwd",
		"%2fetc%2fpasswd",
		"constructor",
		"__proto__",
		"",
	];
	for (const name of names) {
		expect({ name, status: await rawStatus(`/docs/assets/${name}`) }).toEqual({ name, status: 404 });
	}
});

test("a reader who has a document already is not sent it again", async () => {
	for (const path of ["/docs", "/openapi.json", "/docs/assets/docs.css"]) {
		const etag = (await get(path)).headers.get("etag") ?? "";
		expect(etag).toMatch(/^"[\w-]{22}"$/);
		for (const tag of [etag, `"other", W/${etag}`, "*"]) {
			const answer = await get(path, { "if-none-match": tag });
			expect({ path, tag, status: answer.status }).toEqual({ path, tag, status: 304 });
			expect(answer.headers.get("etag")).toBe(etag);
			expect(await answer.text()).toBe("");
		}
		expect((await get(path, { "if-none-match": '"other"' })).status).toBe(200);
	}
});

test("the OpenAPI document is served as JSON to anybody", async () => {
	const answer = await get("/openapi.json");
	expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
	expect(await answer.json()).toMatchObject({ openapi: "3.1.0", servers: [{ url: served.url }] });
});

const browserPath = findBrowser();

test.skipIf(browserPath === undefined)(
	"a browser shows the operations and makes no request to other hosts",
	async () => {
		const { context, close } = await openBrowser(browserPath ?? "");
		try {
			const opened = await context.newPage();
			const complaints: string[] = [];
			const strangers: string[] = [];
			opened.on("console", (message) => complaints.push(message.text()));
			opened.on("pageerror", (error) => complaints.push(error.message));
			opened.on("websocket", (socket) => strangers.push(socket.url()));
			opened.on("request", (asked) => {
				// Data URLs cause no request.
				const { origin, protocol } = new URL(asked.url());
				if (origin !== served.url && protocol !== "data:" && protocol !== "blob:") strangers.push(asked.url());
			});
			await opened.goto(`${served.url}/docs/explorer#/Registry/purgeDocument`);
			await opened.locator("#operations-Registry-purgeDocument .opblock-body").waitFor({ timeout: 100_000 });
			// What it still had to ask for.
			await opened.waitForLoadState("networkidle");
			expect({ complaints, strangers }).toEqual({ complaints: [], strangers: [] });
		} finally {
			await close();
		}
	},
	120_000,
);

/** What a browser loads for a page by itself; links that a reader follows are not among it. */
function loadedBy(html: string): string[] {
	const elements = [...html.matchAll(/<(?:script|link|img|iframe|source|video|audio|object|embed)\b[^>]*>/gi)];
	return elements.flatMap(([element]) => /\b(?:src|href|data)="([^"]*)"/i.exec(element)?.[1] ?? []);
}

/** The text alone, for a comparison that does not depend on the markup. */
function plain(html: string): string {
	return html
		.replace(/<[^>]*>|`/g, "")
		.replace(/&#39;/g, "'")
		.replace(/&quot;/g, '"')
		.replace(/\s+/g, " ");
}

/** The status of a path that is sent as it is; `fetch` would straighten it first. */
function rawStatus(path: string): Promise<number | undefined> {
	const { hostname, port } = new URL(served.url);
	return new Promise((resolve, reject) => {
		request({ hostname, port, path, method: "GET" }, (answer) => {
			answer.resume();
			resolve(answer.statusCode);
		})
			.on("error", reject)
			.end();
	});
}
