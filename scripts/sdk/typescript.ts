/** The contents of the npm package `@sello/sdk`: one module, its declarations, the program `sello`, and what `src/sdk/typescript` has beside its sources. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SdkBuilder } from "./builder";

const ROOT = join(import.meta.dir, "../..");
const SOURCES = join(ROOT, "src/sdk/typescript");
const CLI = join(ROOT, "src/cli/main.ts");

/** The program uses the library that lies beside it. */
const ON_LIBRARY: Bun.BunPlugin = {
	name: "on the library",
	setup: (build) => {
		build.onResolve({ filter: /\/sdk\/typescript$/ }, () => ({ path: "./index.js", external: true }));
	},
};

export const buildTypeScript: SdkBuilder = async (out, version) => {
	mkdirSync(join(out, "dist"), { recursive: true });
	await bundle(join(SOURCES, "index.ts"), join(out, "dist/index.js"), version);
	await bundle(CLI, join(out, "dist/cli.js"), version, {
		...{ target: "node", banner: "#!/usr/bin/env node", minify: true, plugins: [ON_LIBRARY] },
	});
	await declare(join(out, "dist"));
	cpSync(join(SOURCES, "README.md"), join(out, "README.md"));
	const manifest = JSON.parse(readFileSync(join(SOURCES, "package.json"), "utf8")) as Record<string, unknown>;
	const { name, ...others } = manifest;
	writeFileSync(join(out, "package.json"), `${JSON.stringify({ name, version, ...others }, null, 2)}\n`);
};

/** One ES module without imports; the library stays readable in a debugger. Throws an Error with the messages of the bundler. */
async function bundle(
	entry: string,
	out: string,
	version: string,
	options: Partial<Bun.BuildConfig> = {},
): Promise<void> {
	const built = await Bun.build({ entrypoints: [entry], target: "browser", format: "esm", ...options });
	const [module] = built.outputs;
	if (!built.success || !module) throw new Error(built.logs.join("\n"));
	await Bun.write(out, (await module.text()).replaceAll("{{version}}", version));
}

/**
 * Declarations as every way of resolving modules finds them. They are checked against the libraries of browsers alone, so the sources use
 * nothing of Bun or Node. Throws an Error with the compiler's messages.
 */
async function declare(out: string): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "sello-declarations-"));
	try {
		const options = [
			"--target",
			"ES2023",
			"--module",
			"ESNext",
			"--moduleResolution",
			"bundler",
			"--lib",
			"ES2023,DOM,DOM.Iterable",
		];
		const command = [
			...[process.execPath, "x", "--no-install", "tsc", "--ignoreConfig", ...options, "--types", "", "--strict"],
			...["--declaration", "--emitDeclarationOnly", "--outDir", folder, join(SOURCES, "index.ts")],
		];
		const compiler = Bun.spawn(command, { cwd: ROOT, stdout: "pipe", stderr: "pipe" });
		const text = await new Response(compiler.stdout).text();
		if ((await compiler.exited) !== 0) throw new Error(text);
		for (const name of readdirSync(folder)) {
			const declaration = readFileSync(join(folder, name), "utf8");
			// Node's resolution wants the extension that the module has; tabs make the package smaller.
			const resolvable = declaration.replace(/(from |import\()"(\.\/[\w-]+)"/g, '$1"$2.js"');
			const indented = resolvable.replace(/^(?: {4})+/gm, (spaces) => "\t".repeat(spaces.length / 4));
			writeFileSync(join(out, name), indented);
		}
	} finally {
		rmSync(folder, { recursive: true });
	}
}
