/** The SDKs, one builder a language, and the plug-in for WooCommerce. */
import { buildPhp } from "./php";
import { buildPython } from "./python";
import { buildTypeScript } from "./typescript";
import { buildWooCommerce } from "./woocommerce";

export type { SdkBuilder } from "./builder";

export const SDK_BUILDERS = {
	typescript: buildTypeScript,
	python: buildPython,
	php: buildPhp,
	woocommerce: buildWooCommerce,
} as const;
export type SdkLanguage = keyof typeof SDK_BUILDERS;
