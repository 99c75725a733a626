/** How the service gives the console out: its page at every address, its files, and what callers get before it is built. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MANIFEST_FILE, type Manifest } from "../../src/console";
import { get, openServiceIn } from "../support/service";
import { until } from "../support/until";

const KIB = 1_024;

let service: Awaited<ReturnType<typeof openServiceIn>>;
let atName: string;
beforeAll(async () => {
	service = await openServiceIn("sandbox");
	atName = service.url.replace("127.0.0.1", "localhost");
}, 60_000);
afterAll(() => service.stop());

test("before it is built, a page that reloads itself says so, in the reader's language", async () => {
	const answer = await fetch(`${atName}/console`, { headers: { "accept-language": "en" } });
	// A checkout that has built it before has it at once.
	if (answer.status === 200) return;
	expect([answer.status, answer.headers.get("refresh"), answer.headers.get("cache-control")]).toEqual([
		503,
		"1",
		"no-store",
	]);
	expect(await answer.text()).toContain("is being prepared");
	expect(await (await fetch(`${atName}/console/c/x`)).text()).toContain("se está preparando");
});

test("the same page answers at every address below it, under a strict policy", async () => {
	await until(async () => (await fetch(`${atName}/console`)).status === 200);
	const answers = await Promise.all(
		["", "/", "/enter", "/c/0192f0a1/invoices/1?q=a"].map((path) => fetch(`${atName}/console${path}`)),
	);
	const [first] = answers;
	expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
	expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
	expect(Object.fromEntries(first?.headers ?? [])).toMatchObject({
		"cache-control": "no-cache",
		"cross-origin-opener-policy": "same-origin",
		"referrer-policy": "no-referrer",
		"x-content-type-options": "nosniff",
	});
	const policy = first?.headers.get("content-security-policy") ?? "";
	expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self'");
	expect(policy).toEndWith("require-trusted-types-for 'script'; trusted-types 'none'");
	expect(policy).not.toContain("unsafe");
	const known = await fetch(`${atName}/console`, { headers: { "if-none-match": first?.headers.get("etag") ?? "" } });
	expect([known.status, await known.text()]).toEqual([304, ""]);
	expect((await fetch(`${atName}/console/x`, { method: "POST" })).status).toBe(405);
	expect((await fetch(`${atName}/consolex`)).status).toBe(404);
});

test("an address with an IP number leads to the name that passkeys need", async () => {
	const answer = await fetch(`${service.url}/console/c/1?q=2`, { redirect: "manual" });
	expect([answer.status, answer.headers.get("location")]).toEqual([302, `${atName}/console/c/1?q=2`]);
});

test("files never change, come compressed, and are small enough", async () => {
	const page = await (await fetch(`${atName}/console`)).text();
	const named = [...page.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
	expect(named).toHaveLength(2);
	for (const path of named) {
		const answer = await fetch(`${atName}${path}`, { headers: { "accept-encoding": "zstd" } });
		expect([answer.status, answer.headers.get("content-encoding")]).toEqual([200, "zstd"]);
		expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
		const plain = await fetch(`${atName}${path}`, { headers: { "accept-encoding": "identity" } });
		expect(plain.headers.get("content-encoding")).toBeNull();
		expect(await plain.text()).toBe(await answer.text());
		const known = { "if-none-match": plain.headers.get("etag") ?? "", "accept-encoding": "identity" };
		expect((await fetch(`${atName}${path}`, { headers: known })).status).toBe(304);
	}
	const sizes = await Promise.all(readAssets().map(async (name) => ({ name, bytes: await sizeOf(name) })));
	const first = sizes.filter(({ name }) => named.some((path) => path.endsWith(`/${name}`)));
	const sum = (all: typeof sizes) => all.reduce((total, { bytes }) => total + bytes, 0);
	expect(sum(first)).toBeLessThan(200 * KIB);
	expect(sum(sizes)).toBeLessThan(450 * KIB);
	expect(sizes.filter((one) => !first.includes(one) && one.bytes > 30 * KIB)).toEqual([]);
});

test("a name that is no file of the console is not found", async () => {
	for (const name of ["main.js", "manifest.json", "index.html", "..%2Findex.html", "constructor", "%ZZ"])
		expect({ name, status: (await get(service, `/console/assets/${name}`)).status }).toEqual({ name, status: 404 });
});

async function sizeOf(name: string): Promise<number> {
	const answer = await fetch(`${atName}/console/assets/${name}`, { headers: { "accept-encoding": "gzip" } });
	return Bun.gzipSync(new Uint8Array(await answer.arrayBuffer()), { level: 9 }).length;
}

/** Of the bundle in the data folder, else in the checkout. */
function readAssets(): string[] {
	const [own] = [...new Bun.Glob(`console/*/${MANIFEST_FILE}`).scanSync({ cwd: service.dataDir })];
	const folder = join(import.meta.dir, "../../data/built/console");
	const path = own === undefined ? join(folder, MANIFEST_FILE) : join(service.dataDir, own);
	return Object.keys((JSON.parse(readFileSync(path, "utf8")) as Manifest).assets);
}
