import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json";

/** The software's version, from its manifest. */
export const VERSION: string = manifest.version;

/** The commit of a checkout; null where the source stands without its history. */
export function findCommit(root = join(import.meta.dir, "../..")): string | null {
	const read = (name: string) => {
		const path = join(root, ".git", name);
		return existsSync(path) ? readFileSync(path, "utf8").trim() : "";
	};
	// In a work tree of another checkout `.git` is a file, and what it names is somebody else's.
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
