/**
 * Draws which folder of `src` uses which, with the number of imports behind each arrow, and tells what is against the table
 * in `check/direction.ts`. Run it with `bun scripts/import-graph.ts`; the exit code is 1 when something is.
 */
import { join } from "node:path";
import { drawGraph, findFaults, makeGraph, readImports } from "./check/imports";

const imports = readImports(join(import.meta.dir, ".."));
const faults = findFaults(imports);
console.log(drawGraph(makeGraph(imports)));
for (const fault of faults) console.log(`fault: ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
