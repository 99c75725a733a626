import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findUnusedNames } from "../../scripts/check/faces";
import {
	drawWings,
	findCircles,
	findOutsideViolations,
	findViolations,
	readFaces,
	readImports,
	readSpecifiers,
} from "../../scripts/check/imports";
import { WINGS } from "../../scripts/check/wings";

const root = join(import.meta.dir, "../..");

test("every import of src goes downward and through a face", () => {
	const found = findViolations(readImports(root), readFaces(root));
	expect(found).toEqual([]);
});

test("tests, scripts and benches import downward and through faces", () => {
	const imports = readImports(root, ["src", "test", "scripts", "bench"]);
	expect(findOutsideViolations(imports, readFaces(root))).toEqual([]);
});

test("an upward import of a test and one past every face are violations", () => {
	const faces = new Set(["src/registry/index.ts", "src/invoicing/invoices/index.ts"]);
	const check = (from: string, to: string) => findOutsideViolations([{ from, to }], faces);
	expect(check("test/registry/view.test.ts", "src/invoicing/invoices/index.ts")[0]).toContain("may not use invoicing");
	expect(check("test/flows/view.test.ts", "src/registry/search/view.ts")[0]).toContain("goes past every face");
	expect(check("test/registry/view.test.ts", "src/registry/search/view.ts")).toHaveLength(1);
	expect(check("test/registry/view.unit.test.ts", "src/registry/search/view.ts")).toEqual([]);
	expect(check("scripts/admin.ts", "src/registry/search/view.ts")).toHaveLength(1);
	expect(check("test/flows/view.test.ts", "src/registry/index.ts")).toEqual([]);
});

test("no files of src import each other in a circle", () => {
	const found = findCircles(readImports(root)).map((circle) => circle.join(" "));
	expect(found).toEqual([]);
});

test("the list of wings names exactly the folders of src", () => {
	const folders = readdirSync(join(root, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
	expect<string[]>([...WINGS].sort()).toEqual(folders.map((entry) => entry.name).sort());
});

test("one file lies at the root of src, beside at most 18 folders", () => {
	const entries = readdirSync(join(root, "src"), { withFileTypes: true });
	expect(entries.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual(["main.ts"]);
	expect(entries.length - 1).toBeLessThanOrEqual(18);
});

test("every name that a face exports is imported", () => {
	expect(findUnusedNames(root)).toEqual([]);
});

test("unused names of a face are found, also renamed ones and types", async () => {
	const folder = mkdtempSync(join(tmpdir(), "sello-faces-"));
	try {
		const write = (path: string, text: string) => Bun.write(join(folder, path), text);
		await write(
			"src/a/index.ts",
			'export { one, two as second } from "./a";\nexport type { Three, Four } from "./a";\n',
		);
		await write("src/b/index.ts", 'export { five } from "./b";\n');
		await write("src/c/c.ts", 'import { one as first, type Four } from "../a";\nimport * as b from "../b";\n');
		expect(findUnusedNames(folder).map(({ face, name }) => `${face} ${name}`)).toEqual([
			"src/a/index.ts second",
			"src/a/index.ts Three",
		]);
	} finally {
		rmSync(folder, { recursive: true });
	}
});

test("no import that bun sees is overlooked", () => {
	const scanner = new Bun.Transpiler({ loader: "ts" });
	for (const path of new Bun.Glob("src/**/*.ts").scanSync({ cwd: root })) {
		const text = readFileSync(join(root, path), "utf8");
		const read = readSpecifiers(text);
		const overlooked = scanner.scanImports(text).filter((one) => !read.includes(one.path));
		expect({ path, overlooked }).toEqual({ path, overlooked: [] });
	}
});

test("imports of every form are read, also of types and threads", () => {
	const text = [
		'import type { A } from "./a";',
		"import {",
		"\tb,",
		"\ttype C,",
		'} from "../b";',
		'import D, { e } from "d";',
		'import * as f from "node:f";',
		'export { g } from "./g";',
		'export * from "./h";',
		'import "./i";',
		'const late = await import("./j");',
		'const worker = new Worker(new URL("./k.thread.ts", import.meta.url));',
		'type L = import("./l").L;',
		'/** Says import { x } from "./comment". */',
		'const text = "import { y } from ";',
	].join("\n");
	const expected = ["./a", "../b", "d", "node:f", "./g", "./h", "./i", "./j", "./l", "./k.thread.ts"];
	expect(readSpecifiers(text).sort()).toEqual(expected.sort());
});

const noFaces: ReadonlySet<string> = new Set();

test("an import that goes upward is a violation", () => {
	const upward = { from: "src/platform/values/id.ts", to: "src/invoicing/invoices/index.ts" };
	expect(findViolations([upward], new Set([upward.to]))).toEqual([
		"src/platform/values/id.ts imports src/invoicing/invoices/index.ts: platform may not use invoicing",
	]);
});

test("an import past a face is a violation, except threads and settings", () => {
	const faces = new Set(["src/ecf/signing/index.ts"]);
	const check = (from: string, to: string) => findViolations([{ from, to }], faces);
	expect(check("src/api/server/app.ts", "src/ecf/signing/xades.ts")[0]).toContain("face src/ecf/signing/index.ts");
	expect(check("src/ecf/printing/printer.ts", "src/ecf/signing/xades.ts")).toHaveLength(1);
	expect(check("src/ecf/signing/sign-ecf.ts", "src/ecf/signing/xades.ts")).toEqual([]);
	expect(check("src/main.ts", "src/ecf/signing/sign.thread.ts")).toEqual([]);
	expect(check("src/app/config/config.ts", "src/ecf/signing/settings.ts")).toEqual([]);
	expect(check("src/api/server/app.ts", "src/ecf/signing/settings.ts")).toHaveLength(1);
	expect(check("src/main.ts", "src/ecf/signing/xades.ts")).toHaveLength(1);
});

test("an import of another wing's folder without a face is a violation", () => {
	const past = { from: "src/api/server/app.ts", to: "src/ecf/format/forms.ts" };
	expect(findViolations([past], noFaces)[0]).toContain("ecf has no face for it");
});

test("the simulator imports platform/values alone", () => {
	const faces = new Set(["src/platform/values/index.ts", "src/platform/xml/index.ts"]);
	const check = (to: string) => findViolations([{ from: "src/simulator/simulator.ts", to }], faces);
	expect(check("src/platform/values/index.ts")).toEqual([]);
	expect(check("src/platform/xml/index.ts")).toHaveLength(1);
	const back = [{ from: "src/authority/client/client.ts", to: "src/simulator/index.ts" }];
	expect(findViolations(back, new Set(["src/simulator/index.ts"]))).toHaveLength(1);
});

test("no wing imports main.ts, an unknown folder or what is not part of the service", () => {
	const check = (from: string, to: string) => findViolations([{ from, to }], noFaces);
	expect(check("src/api/server/app.ts", "src/main.ts")).toHaveLength(1);
	expect(check("src/platform/values/id.ts", "src/unknown/index.ts")).toHaveLength(1);
	expect(check("src/main.ts", "test/support/until.ts")).toHaveLength(1);
	expect(check("src/main.ts", "package.json")).toEqual([]);
});

test("a circle between files is found whatever leads into it", () => {
	const imports = [
		{ from: "src/main.ts", to: "src/a.ts" },
		{ from: "src/a.ts", to: "src/b.ts" },
		{ from: "src/b.ts", to: "src/c.ts" },
		{ from: "src/c.ts", to: "src/a.ts" },
		{ from: "src/c.ts", to: "src/d.ts" },
	];
	expect(findCircles(imports)).toEqual([["src/a.ts", "src/b.ts", "src/c.ts"]]);
	expect(drawWings(imports)).toContain("main");
});
