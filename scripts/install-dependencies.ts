/** Installs the locked dependencies, for commands that work on a fresh clone. Imports only modules of the runtime. */
import { existsSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");

/** `open` shows the installer's output; `quiet` prints a line if there is much to do. Exits with the installer's code if it fails. */
export function installDependencies(output: "open" | "quiet"): void {
	if (output === "quiet" && !existsSync(join(ROOT, "node_modules")))
		console.error("installing the locked dependencies …");
	const { exitCode, stderr } = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile"], {
		cwd: ROOT,
		stdin: "ignore",
		stdout: output === "open" ? "inherit" : "ignore",
		stderr: output === "open" ? "inherit" : "pipe",
	});
	if (exitCode === 0) return;
	if (output === "quiet") console.error(`the dependencies could not be installed:\n${stderr}`);
	process.exit(exitCode);
}
