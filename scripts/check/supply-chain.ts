/**
 * Checks the dependencies and everything that is published. Works without a network:
 *
 *   package.json, bunfig.toml   exact versions, few of them, no install scripts, nothing younger than a week
 *   bun.lock                    in step with package.json, public registry only, checksums, nothing on the deny-list
 *   node_modules                as locked; every licence known and accepted; written down in a bill of materials
 *   files and history           no secret, no path of a developer's machine
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type DeniedVersions, findDenied } from "./deny-list";
import { findMachinePaths, findSecrets, fingerprint, type Leak } from "./leaks";
import { checkLicences, readInstalled } from "./licences";
import { parseLockfile } from "./lockfile";
import { checkBunfig, checkLockfile, checkManifest, type Manifest } from "./manifest";
import { hasGit, listProjectFiles, readHistory, readText } from "./project-files";
import { makeBill } from "./sbom";

export type SupplyChainReport = {
	/** One sentence each; empty when there are none. */
	readonly faults: readonly string[];
	/** What was checked, for the reader. */
	readonly notes: readonly string[];
};

/** Checks the project in `root` and writes the bill of materials to `billPath`. */
export function checkSupplyChain(root: string, billPath: string): SupplyChainReport {
	const packages = checkPackages(root, billPath);
	const files = checkFiles(root);
	return { faults: [...packages.faults, ...files.faults], notes: [...packages.notes, ...files.notes] };
}

function checkPackages(root: string, billPath: string): SupplyChainReport {
	const lockPath = join(root, "bun.lock");
	if (!existsSync(lockPath)) return { faults: ["bun.lock is missing: run bun install and commit it"], notes: [] };
	const manifest = readJson(root, "package.json") as Manifest;
	const lock = parseLockfile(readFileSync(lockPath, "utf8"));
	const denied = readJson(root, "scripts/deny-versions.json") as DeniedVersions[];
	const { installed, faults } = readInstalled(join(root, "node_modules"), lock.packages);

	mkdirSync(dirname(billPath), { recursive: true });
	writeFileSync(billPath, `${JSON.stringify(makeBill(manifest, installed), null, "\t")}\n`);
	return {
		faults: [
			...checkManifest(manifest),
			...checkBunfig(readFileSync(join(root, "bunfig.toml"), "utf8")),
			...checkLockfile(lock, manifest),
			...findDenied(lock.packages, denied),
			...faults,
			...checkLicences(installed),
		],
		notes: [
			`${Object.keys(manifest.dependencies ?? {}).length} direct runtime dependencies, ${lock.packages.length} packages locked, ${installed.length} installed on this platform`,
			`bill of materials: ${billPath}`,
		],
	};
}

function checkFiles(root: string): SupplyChainReport {
	const faults = new Set<string>();
	const paths = listProjectFiles(root);
	for (const path of paths) {
		const text = readText(root, path);
		if (text === undefined) continue;
		for (const leak of findSecrets(text)) faults.add(`${path}:${leak.line}: ${describe(leak)}`);
		for (const leak of findMachinePaths(text)) faults.add(`${path}:${leak.line}: ${leak.kind}: ${leak.value}`);
	}
	const history = readHistory(root);
	for (const { commit, path, text } of history)
		for (const leak of findSecrets(text)) faults.add(`commit ${commit}, ${path || "message"}: ${describe(leak)}`);
	const commits = new Set(history.map((entry) => entry.commit)).size;
	const seen = hasGit(root) ? `${commits} commits` : "no history, since there is no git repository or no git here";
	return { faults: [...faults], notes: [`searched for secrets: ${paths.length} files, ${seen}`] };
}

/** The value itself stays out of the log. */
function describe(leak: Leak): string {
	return `looks like a ${leak.kind} (SHA-256 of it: ${fingerprint(leak.value)})`;
}

function readJson(root: string, path: string): unknown {
	return JSON.parse(readFileSync(join(root, path), "utf8"));
}
