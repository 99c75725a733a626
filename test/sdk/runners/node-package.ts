/** Builds the npm package and runs the jobs of the scenario with it in Node.js. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SDK_BUILDERS } from "../../../scripts/sdk";

const folder = mkdtempSync(join(tmpdir(), "sello-package-"));
try {
	await SDK_BUILDERS.typescript(join(folder, "sdk"), "0.0.0");
	const entry = join(import.meta.dir, "typescript.ts");
	const built = await Bun.build({
		entrypoints: [entry],
		target: "node",
		format: "esm",
		outdir: folder,
		naming: "runner.mjs",
	});
	if (!built.success) throw new Error(built.logs.join("\n"));
	const node = Bun.spawn(["node", join(folder, "runner.mjs")], {
		stdin: "inherit",
		stdout: "inherit",
		stderr: "inherit",
		env: { ...process.env, SDK_MODULE: join(folder, "sdk/dist/index.js") },
	});
	process.exitCode = await node.exited;
} finally {
	rmSync(folder, { recursive: true });
}
