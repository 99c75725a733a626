/** The contents of the wheel `sello_ecf`, which needs no build: `pip` unpacks it. Source: the binary distribution format (PEP 427). */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SdkBuilder } from "./builder";

const SOURCES = join(import.meta.dir, "../../src/sdk/python");

export const buildPython: SdkBuilder = async (out, version) => {
	const own = toPythonVersion(version);
	const metadata = `sello_ecf-${own}.dist-info`;
	const files = new Map<string, string>();
	for (const name of [...new Bun.Glob("sello_ecf/*.{py,typed}").scanSync({ cwd: SOURCES })].sort()) {
		files.set(name, readFileSync(join(SOURCES, name), "utf8"));
	}
	const versioned = `"""The version of this package."""\n\n__version__ = "${own}"\n`;
	files.set("sello_ecf/version.py", versioned);
	files.set(`${metadata}/METADATA`, toMetadata(own));
	files.set(`${metadata}/WHEEL`, "Wheel-Version: 1.0\nGenerator: sello\nRoot-Is-Purelib: true\nTag: py3-none-any\n");
	const record = [...files].map(([name, text]) => `${name},sha256=${digestOf(text)},${Buffer.byteLength(text)}`);
	files.set(`${metadata}/RECORD`, [...record, `${metadata}/RECORD,,`, ""].join("\n"));
	for (const [name, text] of files) await Bun.write(join(out, name), text);
};

/** `1.2.0-dev.h0a1b2c3d` is `1.2.0.dev0+h0a1b2c3d`. Source: PEP 440. Throws: Error, for other pre-releases. */
function toPythonVersion(version: string): string {
	const [, release, isDevelopment, local] = /^(\d+\.\d+\.\d+)(-dev)?(?:\.([a-z0-9]+))?$/.exec(version) ?? [];
	if (!release) throw new Error(`${version} has no form in Python`);
	return `${release}${isDevelopment ? ".dev0" : ""}${local ? `+${local}` : ""}`;
}

function toMetadata(version: string): string {
	return `Metadata-Version: 2.1
Name: sello-ecf
Version: ${version}
Summary: Electronic tax invoices (e-CF) of the Dominican Republic and its taxpayer registry.
Requires-Python: >=3.9
Classifier: Programming Language :: Python :: 3 :: Only
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

${readFileSync(join(SOURCES, "README.md"), "utf8")}`;
}

/** Source: PEP 376. */
function digestOf(text: string): string {
	return createHash("sha256").update(text).digest("base64url");
}
