import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dir, "../..");
const scanner = new Bun.Transpiler({ loader: "ts" });

/** Files of `src` and packages that loading a file loads statically. Type imports load nothing. */
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

const BEGIN = ["src/main.ts", "src/app/config/read-config.ts", "src/app/service.ts"];
const START = [...BEGIN, "src/app/full-node.ts"];
const RARE = ["node-forge", "nodemailer", "tar-stream", "@elysiajs/swagger", "@peculiar/x509", "@aws-sdk/client-s3"];
const OF_TRACES = ["api", "exporter-trace-otlp-http", "resources", "sdk-trace"].map((name) => `@opentelemetry/${name}`);

test.each(["registry", "edge"])("a process with the role %s loads no wing of invoicing", (role) => {
	const { files } = readLoaded(...BEGIN, role === "edge" ? "src/app/edge-node.ts" : "src/app/full-node.ts");
	// The configuration reads settings in every role.
	const isSetting = /\/settings\.ts$|^src\/invoicing\/certification\/provider\//;
	const loaded = [...files].filter((path) => !isSetting.test(path));
	const wings = ["invoicing", "exchange", "companies", "authority", "events", "ecf"];
	expect(loaded.filter((path) => wings.some((wing) => path.startsWith(`src/${wing}/`)))).toEqual([]);
	expect(loaded.some((path) => path.startsWith("src/registry/"))).toBe(true);
});

test("a start loads no library that few requests need", () => {
	const { packages } = readLoaded(...START);
	expect([...RARE, ...OF_TRACES].filter((name) => packages.has(name))).toEqual([]);
	expect(packages.has("elysia")).toBe(true);
});

test("a process that issues loads the certificate parser on demand", () => {
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

test("a signing thread has no log and no metrics", () => {
	const { packages } = readLoaded("src/ecf/signing/sign.thread.ts");
	expect(["pino", "prom-client"].filter((name) => packages.has(name))).toEqual([]);
});

test("a signing thread loads parsers of certificates and containers on demand", () => {
	const { packages } = readLoaded("src/ecf/signing/sign.thread.ts");
	expect(RARE.filter((name) => packages.has(name))).toEqual([]);
});

test("reading the configuration loads little more than settings files", () => {
	expect(readLoaded("src/app/config/read-config.ts").files.size).toBeLessThan(62);
});
