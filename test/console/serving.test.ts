/** How the service gives the console out: its page at every address, its files, and what callers get before it is built. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
	cpSync,
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createBundle, MANIFEST_FILE, type Manifest } from "../../src/console";
import { createLog } from "../../src/platform/telemetry";
import { serveDeclared } from "../api/support/declared-operations";
import { openTestDatabase } from "../support/database";
import { ROOT, startProgram } from "../support/processes";
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
	const folder = mkdtempSync(join(tmpdir(), "sello-console-"));
	const bundle = createBundle({ dataDir: folder, builtFolder: folder, log: createLog("silent", "test") });
	const served = serveDeclared(bundle);
	const open = (language: string) => fetch(`${served.url}/console/c/x`, { headers: { "accept-language": language } });
	try {
		const answer = await open("en");
		expect([answer.status, answer.headers.get("refresh"), answer.headers.get("cache-control")]).toEqual([
			503,
			"1",
			"no-store",
		]);
		expect(await answer.text()).toContain("is being prepared");
		expect(await (await open("es")).text()).toContain("se está preparando");
		await until(async () => (await open("en")).status === 200);
	} finally {
		await served.stop();
		rmSync(folder, { recursive: true });
	}
});

test("an image gives it out at once, without development packages and without a write", async () => {
	const folder = mkdtempSync(join(tmpdir(), "sello-image-"));
	const root = join(folder, "root");
	await copyImage(root);
	const before = listFiles(root);
	const database = await openTestDatabase();
	const settings = { PORT: "0", ENVIRONMENT: "sandbox", DATA_DIR: join(folder, "data"), DATABASE_URL: database.url };
	const program = startProgram(join(root, "src/main.ts"), settings, join(folder, "service.log"));
	try {
		const url = (await program.ready).replace("127.0.0.1", "localhost");
		const page = await fetch(`${url}/console`);
		const [script = ""] = /\/console\/assets\/[^"]+\.js/.exec(await page.text()) ?? [];
		expect([page.status, (await fetch(`${url}${script}`)).status]).toEqual([200, 200]);
		expect(existsSync(join(folder, "data/console"))).toBe(false);
		expect(listFiles(root)).toEqual(before);
	} finally {
		program.kill("SIGTERM");
		await program.ended;
		await database.close();
		rmSync(folder, { recursive: true });
	}
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
	// Style, script, and what it shares with the portal.
	expect(named).toHaveLength(3);
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
	for (const name of ["main.js", "manifest.json", "index.html", "portal.html", "..%2Findex.html", "constructor", "%ZZ"])
		expect({ name, status: (await get(service, `/console/assets/${name}`)).status }).toEqual({ name, status: 404 });
});

/** What the Dockerfile copies, with the built console, and of the packages only those that are no development packages. */
async function copyImage(to: string): Promise<void> {
	for (const line of readFileSync(join(ROOT, "Dockerfile"), "utf8").split("\n")) {
		const paths = /^COPY (?!--)(.+) \S+$/.exec(line)?.[1]?.split(" ") ?? [];
		for (const path of paths) {
			const filter = (from: string) => !from.startsWith(join(ROOT, "data/built"));
			cpSync(join(ROOT, path), join(to, path), { recursive: true, filter });
		}
	}
	const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
		readonly devDependencies: Readonly<Record<string, string>>;
	};
	const packages = readdirSync(join(ROOT, "node_modules")).flatMap((name) =>
		name.startsWith("@") ? readdirSync(join(ROOT, "node_modules", name)).map((one) => `${name}/${one}`) : [name],
	);
	for (const name of packages.filter((one) => !(one in devDependencies))) {
		mkdirSync(dirname(join(to, "node_modules", name)), { recursive: true });
		symlinkSync(join(ROOT, "node_modules", name), join(to, "node_modules", name));
	}
	const command = [process.execPath, join(ROOT, "scripts/build-console.ts"), "--out", join(to, "data/built/console")];
	expect(await Bun.spawn(command).exited).toBe(0);
}

/** With the time of their last change. */
function listFiles(folder: string): string[] {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.map((name) => `${name} ${lstatSync(join(folder, name)).mtimeMs}`)
		.sort();
}

async function sizeOf(name: string): Promise<number> {
	const answer = await fetch(`${atName}/console/assets/${name}`, { headers: { "accept-encoding": "gzip" } });
	return Bun.gzipSync(new Uint8Array(await answer.arrayBuffer()), { level: 9 }).length;
}

/** Of the bundle in the data folder, else in the checkout. */
function readAssets(): string[] {
	const [own] = [...new Bun.Glob(`console/*/${MANIFEST_FILE}`).scanSync({ cwd: service.dataDir })];
	const folder = join(ROOT, "data/built/console");
	const path = own === undefined ? join(folder, MANIFEST_FILE) : join(service.dataDir, own);
	return Object.keys((JSON.parse(readFileSync(path, "utf8")) as Manifest).assets);
}
