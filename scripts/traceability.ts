/**
 * Writes `data/traceability.md`, the table from the specification to the tests, from `data/traceability.json`.
 *
 *     bun scripts/traceability.ts            writes the file
 *     bun scripts/traceability.ts --check    fails if the file is out of date or names a test that does not exist
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findGaps, readTraceability, writeTraceability } from "./check/traceability";

const root = join(import.meta.dir, "..");
const target = join(root, "data/traceability.md");
const { values: options } = parseArgs({ options: { check: { type: "boolean" } } });

const traceability = readTraceability(root);
const text = writeTraceability(traceability);
const gaps = findGaps(root, traceability);
if (!options.check) writeFileSync(target, text);
else if (readFileSync(target, "utf8") !== text)
	gaps.push("data/traceability.md is out of date: run bun scripts/traceability.ts");
for (const gap of gaps) console.error(gap);
process.exitCode = gaps.length > 0 ? 1 : 0;
