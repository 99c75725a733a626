/** Lists the project's files, and every text that its git history has added. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A commit's message under the path "", and the lines that it added to each file. */
export type CommitText = { readonly commit: string; readonly path: string; readonly text: string };

/** Folders that are left out when git is not available. */
const GENERATED = ["node_modules/", ".git/", ".data/"];

/** Whether git is available: a source archive has no history, a small machine no git. */
export function hasGit(root: string): boolean {
	return existsSync(join(root, ".git")) && Bun.which("git") !== null;
}

/** The paths of all tracked files and of new ones that are not ignored; all files on disk without git. */
export function listProjectFiles(root: string): string[] {
	if (!hasGit(root)) {
		const paths = [...new Bun.Glob("**/*").scanSync({ cwd: root, dot: true })];
		return paths.filter((path) => !GENERATED.some((folder) => path.startsWith(folder))).sort();
	}
	const listed = git(root, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
	return [...new Set(listed.split("\0"))].filter((path) => path !== "" && existsSync(join(root, path))).sort();
}

/** The text of a file, or undefined when it is not text. */
export function readText(root: string, path: string): string | undefined {
	const bytes = readFileSync(join(root, path));
	return bytes.subarray(0, 8_000).includes(0) ? undefined : bytes.toString("utf8");
}

/** The texts that every commit of every branch added. Empty without git. */
export function readHistory(root: string): CommitText[] {
	if (!hasGit(root)) return [];
	// Compared with the first parent, so that text written during a merge is included.
	const shown = ["-p", "--unified=0", "--diff-merges=first-parent", "--no-renames"];
	const plain = ["--no-color", "--no-ext-diff", "--no-textconv", "--format=%x00%h%n%B"];
	return git(root, ["log", "--all", ...shown, ...plain])
		.split("\0")
		.filter((entry) => entry !== "")
		.flatMap(readCommit);
}

function readCommit(entry: string): CommitText[] {
	const [commit = "", ...lines] = entry.split("\n");
	const added = new Map<string, string[]>([["", []]]);
	let path = "";
	let inMessage = true;
	for (const line of lines) {
		if (line.startsWith("diff --git ")) inMessage = false;
		if (inMessage) added.get("")?.push(line);
		else if (line.startsWith("+++ ")) {
			path = line.slice("+++ b/".length);
			added.set(path, []);
		} else if (line.startsWith("+")) added.get(path)?.push(line.slice(1));
	}
	return [...added].map(([where, text]) => ({ commit, path: where, text: text.join("\n") }));
}

function git(root: string, args: readonly string[]): string {
	const run = Bun.spawnSync(["git", ...args], { cwd: root, stdout: "pipe", stderr: "pipe" });
	if (run.exitCode !== 0) throw new Error(`git ${args[0]} failed: ${run.stderr.toString().trim()}`);
	return run.stdout.toString();
}
