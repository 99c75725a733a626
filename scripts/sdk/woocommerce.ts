/** The contents of the WooCommerce plug-in, with the PHP library that it uses. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SdkBuilder } from "./builder";
import { buildPhp } from "./php";

const SOURCES = join(import.meta.dir, "../../data/examples/woocommerce");
const MAIN = "sello-woocommerce.php";

/** WordPress installs the only folder of an archive under its name. */
export const buildWooCommerce: SdkBuilder = async (out, version) => {
	const folder = join(out, "sello-woocommerce");
	cpSync(SOURCES, folder, { recursive: true });
	const main = readFileSync(join(SOURCES, MAIN), "utf8");
	writeFileSync(join(folder, MAIN), main.replace("Version: 0.0.0", `Version: ${version}`));
	await buildPhp(join(folder, "sdk"), version);
};
