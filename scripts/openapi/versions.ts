/** Which breaks a version bump allows. */
import type { Area, Break, Contract } from "./compare-documents";

/** Breaks in areas whose version has not moved far enough. */
export function findUnpaid(breaks: readonly Break[], old: Contract, now: Contract): Break[] {
	return breaks.filter(({ area }) => !mayBreak(versionOf(old, area), versionOf(now, area)));
}

export function versionOf(contract: Contract, area: Area): string {
	return area === "identity" ? contract["x-identity-version"] : contract.info.version;
}

/** True if the newer version may break the older one: the next major, or before 1.0.0 the next minor. */
export function mayBreak(old: string, now: string): boolean {
	const [oldMajor = 0, oldMinor = 0] = numbersOf(old);
	const [nowMajor = 0, nowMinor = 0] = numbersOf(now);
	if (nowMajor !== oldMajor) return nowMajor > oldMajor;
	// Source: semver.org 2.0.0, item 4.
	return nowMajor === 0 && nowMinor > oldMinor;
}

function numbersOf(version: string): number[] {
	const [core = ""] = version.split("-");
	return core.split(".").map(Number);
}
