import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { direction, ROOT, usesEverything } from "../../scripts/check/direction";
import { findUnusedNames } from "../../scripts/check/faces";
import {
	drawGraph,
	findCircles,
	findFaults,
	folderOf,
	makeGraph,
	readImports,
	readSpecifiers,
} from "../../scripts/check/imports";

const root = join(import.meta.dir, "../..");

test("every import of src goes in the direction of the table and through a folder's face", () => {
	const imports = readImports(root);
	const faults = findFaults(imports);
	if (faults.length > 0) throw new Error(`${faults.join("\n")}\n\n${drawGraph(makeGraph(imports))}`);
});

test("the table names exactly the folders of src", () => {
	const folders = readdirSync(join(root, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
	const rows = [...Object.keys(direction), ...usesEverything].filter((row) => row !== ROOT && !row.includes("/"));
	expect(rows.sort()).toEqual(folders.map((entry) => entry.name).sort());
});

test("every row of the table uses only rows above it, so it has no circle", () => {
	const rows = Object.keys(direction);
	for (const [folder, used] of Object.entries(direction))
		for (const one of used) expect(`${folder} ${rows.indexOf(one)}`).not.toBe(`${folder} -1`);
	for (const [folder, used] of Object.entries(direction))
		expect(used.filter((one) => rows.indexOf(one) >= rows.indexOf(folder))).toEqual([]);
});

test("every name that a folder's face gives is taken by somebody", () => {
	expect(findUnusedNames(root)).toEqual([]);
});

test("of a face only what nobody takes is told: names, renamed ones, types; one that is taken as a whole is left alone", async () => {
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

test("imports of types, of many lines, for their effect, in expressions and of threads are all read", () => {
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

test("an arrow against the direction is told", () => {
	const fault = findFaults([{ from: "src/platform/values/id.ts", to: "src/invoicing/invoices/index.ts" }]);
	expect(fault).toEqual([
		"src/platform/values/id.ts imports src/invoicing/invoices/index.ts: values may not use invoices",
	]);
});

test("a way past the face of a folder is told, unless a root file starts a thread or reads settings", () => {
	const inside = { from: "src/api/server/app.ts", to: "src/ecf/signing/xades.ts" };
	expect(findFaults([inside])[0]).toContain("goes past the face of signing, src/ecf/signing/index.ts");
	expect(findFaults([{ from: "src/main.ts", to: "src/ecf/signing/sign.thread.ts" }])).toEqual([]);
	expect(findFaults([{ from: "src/app/config/config.ts", to: "src/ecf/signing/settings.ts" }])).toEqual([]);
	expect(findFaults([{ from: "src/api/server/app.ts", to: "src/ecf/signing/settings.ts" }])).toHaveLength(1);
	expect(findFaults([{ from: "src/app/config/config.ts", to: "src/signing/engine/settings.ts" }])).toHaveLength(1);
	expect(findFaults([{ from: "src/main.ts", to: "src/ecf/signing/xades.ts" }])).toHaveLength(1);
});

test("the simulator is a folder of its own, which the client of the authority may not use", () => {
	expect(folderOf("src/simulator/http/call.ts")).toBe("authority/simulator");
	const both = [
		{ from: "src/authority/client/client.ts", to: "src/simulator/index.ts" },
		{ from: "src/simulator/index.ts", to: "src/authority/client/index.ts" },
	];
	expect(findFaults(both)).toHaveLength(3);
});

test("nobody uses a root file, a folder without a row, or what is not part of the service", () => {
	expect(findFaults([{ from: "src/api/server/app.ts", to: "src/app/config/config.ts" }])).toHaveLength(1);
	expect(findFaults([{ from: "src/main.ts", to: "src/unknown/index.ts" }])).toHaveLength(1);
	expect(findFaults([{ from: "src/main.ts", to: "test/support/until.ts" }])).toHaveLength(1);
	expect(findFaults([{ from: "src/main.ts", to: "package.json" }])).toEqual([]);
});

test("a circle between folders is found and drawn", () => {
	const graph = makeGraph([
		{ from: "src/values/a.ts", to: "src/platform/problem/index.ts" },
		{ from: "src/problem/a.ts", to: "src/platform/secrets/index.ts" },
		{ from: "src/secrets/a.ts", to: "src/platform/values/index.ts" },
		{ from: "src/main.ts", to: "src/platform/values/index.ts" },
	]);
	expect(findCircles(graph)).toHaveLength(1);
	expect(findCircles(graph)[0]).toContain("secrets");
	expect(drawGraph(graph)).toContain("✗ ");
});
