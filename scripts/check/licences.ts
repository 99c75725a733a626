/** Under which terms the installed packages may be used, and whether all of them are among those that we accept. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type LockedPackage, placeOf } from "./lockfile";

/** A locked package together with what its own `package.json` says. */
export type InstalledPackage = LockedPackage & {
	/** SPDX identifier or expression; undefined when the package does not tell. */
	readonly licence: string | undefined;
	readonly description: string | undefined;
};

/** Terms that ask for no more than a notice. */
const ACCEPTED = new Set([
	"0BSD",
	"Apache-2.0",
	"BSD-2-Clause",
	"BSD-3-Clause",
	"CC0-1.0",
	"ISC",
	"MIT",
	"MIT-0",
	"PostgreSQL",
	"Unlicense",
]);

/**
 * Texts that somebody has read, by the SHA-256 of the file, for packages whose `package.json` forgets to tell: another text is unknown again.
 */
const READ: Readonly<Record<string, string>> = {
	// png-js 2.0.0
	bdb26a2ec815931ed6a38f3416362566204ee85ecdef96702b636402da4c75c3: "MIT",
};

function findRead(folder: string): string | undefined {
	const path = join(folder, "LICENSE");
	return existsSync(path) ? READ[createHash("sha256").update(readFileSync(path)).digest("hex")] : undefined;
}

/** Reads every package that lies under `nodeModules`, and tells which are missing or are another version than locked. */
export function readInstalled(
	nodeModules: string,
	packages: readonly LockedPackage[],
): { installed: InstalledPackage[]; faults: string[] } {
	const installed: InstalledPackage[] = [];
	const faults: string[] = [];
	for (const locked of packages) {
		const path = join(nodeModules, placeOf(locked.key), "package.json");
		if (!existsSync(path)) {
			if (!locked.forSomePlatforms) faults.push(`${locked.key} ${locked.version} is locked but not installed`);
			continue;
		}
		const own = JSON.parse(readFileSync(path, "utf8")) as {
			version?: string;
			license?: string | { type?: string };
			description?: string;
		};
		if (own.version !== locked.version)
			faults.push(`${locked.key}: expected version ${locked.version} as locked, got ${own.version}`);
		const licence = (typeof own.license === "string" ? own.license : own.license?.type) ?? findRead(dirname(path));
		installed.push({ ...locked, licence, description: own.description });
	}
	return { installed, faults };
}

/** One sentence for every installed package whose licence is unknown or not accepted. */
export function checkLicences(installed: readonly InstalledPackage[]): string[] {
	return installed.flatMap(({ key, version, licence }) => {
		if (!licence) return [`${key} ${version} does not tell its licence`];
		if (!isAccepted(licence)) return [`${key} ${version}: the licence ${licence} is not among those that we accept`];
		return [];
	});
}

/** Whether an SPDX expression leaves us a way: one side of OR, every side of AND. */
export function isAccepted(expression: string): boolean {
	const text = expression.trim();
	const inner = /^\(([^()]*)\)$/.exec(text)?.[1] ?? text;
	// Nested parentheses stay unresolved and are refused below: a human has to look at such a licence anyway.
	if (inner.includes(" OR ")) return inner.split(" OR ").some(isAccepted);
	if (inner.includes(" AND ")) return inner.split(" AND ").every(isAccepted);
	return ACCEPTED.has(inner);
}
