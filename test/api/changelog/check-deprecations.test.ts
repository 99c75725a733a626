import { expect, test } from "bun:test";
import { checkDeprecations } from "../../../src/api/changelog";
import { deprecatedEntry, deprecatedOperation, olderRelease, sampleChangelog, sampleRelease } from "./support/sample";

const withDays = (days: { deprecatedAt?: string; sunsetAt?: string; change?: string }) => ({
	...deprecatedOperation,
	deprecation: { change: "old-runs", deprecatedAt: "2026-12-01", sunsetAt: "2027-03-31", ...days },
});

test("a deprecation that the changelog announces in the same words passes", () => {
	expect(() => checkDeprecations([deprecatedOperation], sampleChangelog)).not.toThrow();
});

test("a deprecation without a changelog entry keeps the service from starting", () => {
	expect(() => checkDeprecations([deprecatedOperation], [olderRelease])).toThrow("no changelog entry old-runs");
});

test("every difference between operation and changelog is reported", () => {
	const other = withDays({ deprecatedAt: "2026-12-02", sunsetAt: "2027-04-01" });
	expect(() => checkDeprecations([other], sampleChangelog)).toThrow(/deprecatedAt[\s\S]*sunsetAt[\s\S]*replacement/);
});

test("a sunset less than 30 days after the deprecation keeps the service from starting", () => {
	const entry = { ...deprecatedEntry, sunsetAt: "2026-12-20" };
	const changelog = [{ ...sampleRelease, entries: [entry] }];
	expect(() => checkDeprecations([withDays({ sunsetAt: "2026-12-20" })], changelog)).toThrow("less than 30 days");
});

test("a deprecation that the operation does not declare stops the start", () => {
	const { deprecation: _, ...silent } = deprecatedOperation;
	expect(() => checkDeprecations([silent], sampleChangelog)).toThrow("the operation does not declare");
	expect(() => checkDeprecations([], sampleChangelog)).not.toThrow();
});
