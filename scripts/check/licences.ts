/** Checks that every installed package has a licence that we accept. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type LockedPackage, placeOf } from "./lockfile";

/** A locked package together with what its own `package.json` says. */
export type InstalledPackage = LockedPackage & {
	/** SPDX identifier or expression; undefined when the package names none. */
	readonly licence: string | undefined;
	readonly description: string | undefined;
};

/** Licences that require no more than a notice. */
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

/** Tools of the tests under other licences: they are used unchanged and are not shipped. */
const ACCEPTED_TOOLS: ReadonlySet<string> = new Set(["axe-core MPL-2.0"]);

/**
 * Licence texts that were reviewed, by the SHA-256 of the file, for packages whose `package.json` names no licence. A changed text is unknown.
 */
const READ: Readonly<Record<string, string>> = {
	// png-js 2.0.0
	bdb26a2ec815931ed6a38f3416362566204ee85ecdef96702b636402da4c75c3: "MIT",
};

function findRead(folder: string): string | undefined {
	const path = join(folder, "LICENSE");
	return existsSync(path) ? READ[createHash("sha256").update(readFileSync(path)).digest("hex")] : undefined;
}

/** Reads every package under `nodeModules`, and reports those that are missing or differ from the locked version. */
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

/** One sentence for each installed package whose licence is unknown or not accepted. */
export function checkLicences(installed: readonly InstalledPackage[]): string[] {
	return installed.flatMap(({ key, version, licence }) => {
		if (!licence) return [`${key} ${version} names no licence`];
		if (!isAccepted(licence) && !ACCEPTED_TOOLS.has(`${key} ${licence}`))
			return [`${key} ${version}: the licence ${licence} is not on the list of accepted licences`];
		return [];
	});
}

/** Whether an SPDX expression can be accepted: one side of OR, every side of AND. */
export function isAccepted(expression: string): boolean {
	const text = expression.trim();
	const inner = /^\(([^()]*)\)$/.exec(text)?.[1] ?? text;
	// Nested parentheses are refused below: such a licence needs a human review anyway.
	if (inner.includes(" OR ")) return inner.split(" OR ").some(isAccepted);
	if (inner.includes(" AND ")) return inner.split(" AND ").every(isAccepted);
	return ACCEPTED.has(inner);
}
