/** A folder with another build of the service, ready to run: an existing one, or a commit that is unpacked into a temporary one. */
import { existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeFolder, ROOT } from "./child";

/** Files that decide what is installed. */
const LOCKED = ["bun.lock", "package.json"];

/** `of` names a folder or a commit. Throws an Error if it is neither, or its packages cannot be installed. */
export async function openBuild(stack: AsyncDisposableStack, of: string): Promise<string> {
	if (existsSync(of) && statSync(of).isDirectory()) return resolve(of);
	const folder = makeFolder(stack);
	await runTool(ROOT, ["git", "archive", "--output", join(folder, "build.tar"), of]);
	await runTool(folder, ["tar", "-xf", "build.tar"]);
	const installsTheSame = LOCKED.every(
		(name) => readFileSync(join(folder, name), "utf8") === readFileSync(join(ROOT, name), "utf8"),
	);
	if (installsTheSame) symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
	else await runTool(folder, [process.execPath, "install", "--frozen-lockfile"]);
	return folder;
}

async function runTool(cwd: string, command: string[]): Promise<void> {
	const child = Bun.spawn(command, { cwd, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
	const complaint = await new Response(child.stderr).text();
	if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed: ${complaint}`);
}
