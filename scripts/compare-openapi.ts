/**
 * Compares the interface declared in code with the last release. Fails on breaking changes unless the area's version has moved to the next
 * major (before 1.0.0: the next minor).
 *
 *     bun scripts/compare-openapi.ts              fails on breaking changes
 *     bun scripts/compare-openapi.ts --release    saves the current interface as the last release
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Contract, compareDocuments } from "./openapi/compare-documents";
import { readContract, writeContract } from "./openapi/contract";
import { findUnpaid, versionOf } from "./openapi/versions";

const RELEASED = join(import.meta.dir, "../data/openapi/last-release.json");
const { values: options } = parseArgs({ options: { release: { type: "boolean" } } });

const now = await readContract();
if (options.release) {
	writeFileSync(RELEASED, writeContract(now));
} else {
	const released: Contract = JSON.parse(readFileSync(RELEASED, "utf8"));
	const breaks = compareDocuments(released, now);
	const unpaid = new Set(findUnpaid(breaks, released, now));
	for (const one of breaks) {
		const { area, operation, sentence } = one;
		console.log(
			`${unpaid.has(one) ? "breaks" : "breaks, and the version says so"}: ${operation}: ${sentence} (${area})`,
		);
	}
	for (const area of ["invoicing", "identity"] as const) {
		console.log(`${area}: ${versionOf(released, area)} was released, the code declares ${versionOf(now, area)}`);
	}
	process.exitCode = unpaid.size > 0 ? 1 : 0;
}
