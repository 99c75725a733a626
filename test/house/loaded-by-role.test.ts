import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dir, "../..");
const scanner = new Bun.Transpiler({ loader: "ts" });

/** What a file loads as soon as it is loaded itself, all the way down: files of `src`, and packages. Imports of types load nothing. */
function readLoaded(...entries: readonly string[]): {
	readonly files: ReadonlySet<string>;
	readonly packages: ReadonlySet<string>;
} {
	const files = new Set<string>();
	const packages = new Set<string>();
	const visit = (path: string) => {
		if (files.has(path)) return;
		files.add(path);
		const text = readFileSync(join(root, path), "utf8");
		for (const { kind, path: specifier } of scanner.scanImports(text)) {
			if (kind !== "import-statement") continue;
			if (!specifier.startsWith(".")) packages.add(specifier);
			else {
				const base = relative(root, join(root, dirname(path), specifier));
				const found = [`${base}.ts`, `${base}/index.ts`].find((one) => existsSync(join(root, one)));
				if (found) visit(found);
			}
		}
	};
	for (const entry of entries) visit(entry);
	return { files, packages };
}

const START = ["src/main.ts", "src/app/config/read-config.ts", "src/app/service.ts"];
const RARE = ["node-forge", "nodemailer", "tar-stream", "@elysiajs/swagger", "@peculiar/x509", "@aws-sdk/client-s3"];

test("a process that serves the registry alone loads no wing of invoicing", () => {
	const { files } = readLoaded(...START);
	// Settings and what they validate are read by the configuration in every role.
	const isSetting = /\/settings\.ts$|^src\/invoicing\/certification\/provider\//;
	const loaded = [...files].filter((path) => !isSetting.test(path));
	const wings = ["invoicing", "exchange", "companies", "authority", "events", "ecf"];
	expect(loaded.filter((path) => wings.some((wing) => path.startsWith(`src/${wing}/`)))).toEqual([]);
	expect(loaded.some((path) => path.startsWith("src/registry/"))).toBe(true);
});

test("a process that starts loads no library that few requests need", () => {
	const { packages } = readLoaded(...START);
	expect(RARE.filter((name) => packages.has(name))).toEqual([]);
	expect(packages.has("elysia")).toBe(true);
});

test("a process that issues and submits loads what reads certificates with the first that it has to read", () => {
	const parts = [
		"src/app/invoicing-components.ts",
		"src/app/invoicing-operations.ts",
		"src/app/maintenance/background.ts",
	];
	for (const entries of [[...START, ...parts], ["src/app/worker/worker.thread.ts"]]) {
		const { packages, files } = readLoaded(...entries);
		expect([...packages].filter((name) => name === "@peculiar/x509" || name === "reflect-metadata")).toEqual([]);
		expect([...files].some((path) => path.startsWith("src/invoicing/invoices/"))).toBe(true);
	}
});

test("a thread that signs keeps no log and counts nothing", () => {
	const { packages } = readLoaded("src/ecf/signing/sign.thread.ts");
	expect(["pino", "prom-client"].filter((name) => packages.has(name))).toEqual([]);
});

test("a thread that signs reads no certificates and no containers until it is asked to", () => {
	const { packages } = readLoaded("src/ecf/signing/sign.thread.ts");
	expect(RARE.filter((name) => packages.has(name))).toEqual([]);
});

test("reading the configuration loads of other folders little more than their settings", () => {
	expect(readLoaded("src/app/config/read-config.ts").files.size).toBeLessThan(60);
});
