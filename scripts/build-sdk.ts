/**
 * Writes the contents of an SDK's package into a folder, for a look at it or to install it from there.
 *
 *   bun scripts/build-sdk.ts php --out FOLDER
 *
 * The folder must not exist yet. `scripts/build-assets.ts` makes the archives that the service offers at `/sdk`.
 */
import { existsSync, mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../package.json";
import { SDK_BUILDERS, type SdkLanguage } from "./sdk";

const { positionals, values } = parseArgs({ allowPositionals: true, options: { out: { type: "string" } } });
const [language = ""] = positionals;
const languages = Object.keys(SDK_BUILDERS);
const { out } = values;
if (positionals.length !== 1 || !languages.includes(language) || out === undefined || existsSync(out)) {
	console.error(`usage: bun scripts/build-sdk.ts ${languages.join("|")} --out FOLDER, where FOLDER does not exist`);
	process.exit(2);
}
mkdirSync(out, { recursive: true });
await SDK_BUILDERS[language as SdkLanguage](resolve(out), manifest.version);
