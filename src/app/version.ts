import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json";

export const VERSION: string = manifest.version;

/** Commit of the checkout; null without a Git history. */
export function findCommit(root = join(import.meta.dir, "../..")): string | null {
	const read = (name: string) => {
		const path = join(root, ".git", name);
		return existsSync(path) ? readFileSync(path, "utf8").trim() : "";
	};
	// In a linked work tree `.git` is a file; its commit is not looked up.
	if (!existsSync(join(root, ".git", "HEAD"))) return null;
	const [, ref] = /^ref: (\S+)$/.exec(read("HEAD")) ?? [];
	const packed = () =>
		read("packed-refs")
			.split("\n")
			.find((line) => line.endsWith(` ${ref}`))
			?.slice(0, 40);
	const commit = ref === undefined ? read("HEAD") : read(ref) || packed();
	return /^[0-9a-f]{40}$/.test(commit ?? "") ? (commit ?? null) : null;
}
