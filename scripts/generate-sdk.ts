/**
 * Writes the generated files of the client libraries and of the console from the OpenAPI document of the code.
 *
 *     bun scripts/generate-sdk.ts           writes them
 *     bun scripts/generate-sdk.ts --check   fails if one is not current
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createOpenApi, type OpenApiDocument } from "../src/api/openapi";
import type { Operation } from "../src/platform/operation";
import { BASE_URL, declaredOperations, operationsOfSandboxes } from "../test/api/support/declared-operations";
import { generateConsoleTypes } from "./sdk/console-types";
import { generateTypeScript } from "./sdk/typescript-types";
import { writePhp } from "./sdk/write-php";
import { generatePythonMethods, generatePythonTypes } from "./sdk/write-python";

/** By path; each takes the document. */
const GENERATORS = {
	"src/sdk/typescript/generated.ts": generateTypeScript,
	"src/sdk/python/sello_ecf/types.py": generatePythonTypes,
	"src/sdk/python/sello_ecf/resources.py": generatePythonMethods,
	"src/sdk/php/src/Resources.php": writePhp,
} as const;
const CONSOLE_TYPES = "src/console/web/api/generated.ts";

const isCheck = process.argv.includes("--check");
const declared = declaredOperations();
const document = await readDocument(declared);
for (const [path, generate] of Object.entries(GENERATORS)) check(path, generate(document));
// The console of a sandbox also calls what only sandboxes have.
const whole = await readDocument([...declared, ...operationsOfSandboxes()]);
check(CONSOLE_TYPES, generateConsoleTypes(whole, document));

/** The same plain JSON that a reader gets. */
async function readDocument(operations: readonly Operation[]): Promise<OpenApiDocument> {
	return JSON.parse(JSON.stringify(await createOpenApi(operations, { baseUrl: BASE_URL })));
}

function check(path: string, text: string): void {
	const file = join(import.meta.dir, "..", path);
	const isCurrent = existsSync(file) && readFileSync(file, "utf8") === text;
	if (isCheck && !isCurrent) {
		console.log(`${path} is not current: bun scripts/generate-sdk.ts`);
		process.exitCode = 1;
	}
	if (!isCheck && !isCurrent) writeFileSync(file, text);
}
