/** Compares the locked versions with a list of bad ones. The list is part of the project; no advisory service is queried. */
import type { LockedPackage } from "./lockfile";

/** One line of `scripts/deny-versions.json`. */
export type DeniedVersions = {
	readonly package: string;
	/** `*`, or comparisons: a space means and, `||` means or, such as `<0.8.15 || >=0.9.0-0 <0.9.12`. */
	readonly versions: string;
	/** The advisory and its effect. */
	readonly reason: string;
};

/** One sentence for each locked package whose version is on the list. */
export function findDenied(packages: readonly LockedPackage[], denied: readonly DeniedVersions[]): string[] {
	return packages.flatMap((locked) =>
		denied
			.filter((line) => line.package === locked.name && matchesVersions(locked.version, line.versions))
			.map((line) => `${locked.name} ${locked.version} (${locked.key}) is on the deny-list: ${line.reason}`),
	);
}

/**
 * Whether a version lies in the ranges. A pre-release counts as older than its release. npm's usual rule, by which `<1.4.26` does not match
 * `1.4.26-beta.1`, would let bad pre-releases through. Throws an Error on any other form.
 */
export function matchesVersions(version: string, ranges: string): boolean {
	return ranges.split("||").some((range) => {
		const comparisons = range.trim().split(/\s+/);
		return comparisons.every((comparison) => holds(version, comparison));
	});
}

function holds(version: string, comparison: string): boolean {
	if (comparison === "*") return true;
	const match = /^(<=|<|>=|>|=)?(\d+\.\d+\.\d+(?:-[\w.-]+)?)$/.exec(comparison);
	if (!match) throw new Error(`expected a comparison such as <1.2.3, got ${JSON.stringify(comparison)}`);
	const order = Bun.semver.order(version, match[2] ?? "");
	switch (match[1]) {
		case "<":
			return order < 0;
		case "<=":
			return order <= 0;
		case ">":
			return order > 0;
		case ">=":
			return order >= 0;
		default:
			return order === 0;
	}
}
