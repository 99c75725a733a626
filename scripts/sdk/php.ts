/** The contents of the Composer package `sello/sdk`. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SdkBuilder } from "./builder";

const SOURCES = join(import.meta.dir, "../../src/sdk/php");

export const buildPhp: SdkBuilder = async (out, version) => {
	for (const name of ["src", "autoload.php", "README.md"]) {
		cpSync(join(SOURCES, name), join(out, name), { recursive: true });
	}
	const client = join(out, "src/Client.php");
	const source = readFileSync(client, "utf8");
	writeFileSync(client, source.replace("VERSION = '0.0.0'", `VERSION = '${version}'`));
	const manifest = JSON.parse(readFileSync(join(SOURCES, "composer.json"), "utf8")) as Record<string, unknown>;
	const { name, ...others } = manifest;
	// Composer knows no digest after `-dev`.
	const composerVersion = version.replace(/-dev\.\w+$/, "-dev");
	await Bun.write(
		join(out, "composer.json"),
		`${JSON.stringify({ name, version: composerVersion, ...others }, null, 2)}\n`,
	);
};
