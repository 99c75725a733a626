/** Prints the imports between wings of `src`, every violation and every circle. Exits with 1 if there is one: `bun scripts/import-graph.ts`. */
import { join } from "node:path";
import { drawWings, findCircles, findViolations, readFaces, readImports } from "./check/imports";

const root = join(import.meta.dir, "..");
const imports = readImports(root);
const violations = [
	...findViolations(imports, readFaces(root)),
	...findCircles(imports).map((circle) => `circle: ${circle.join(", ")}`),
];
console.log(drawWings(imports));
for (const violation of violations) console.log(violation);
process.exitCode = violations.length === 0 ? 0 : 1;
