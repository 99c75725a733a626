/** Pages that are one file: the script and the style that stand in them, the policy that allows these two texts and no other, the file. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** A bundle as it may stand in a page. Throws an Error for one that would end its element. */
export function toInlineScript(code: string): string {
	// Spelt so, the beginning of a comment is one in strings and patterns alone, and no HTML.
	const script = code
		.replace(/\n\/\/# [^\n]*\s*$/, "")
		.replaceAll("<!--", "\\x3C!--")
		.trim();
	if (/<\/?script/i.test(script)) throw new Error("the bundle holds a text that would end its element");
	return script;
}

/** Nothing is loaded from anywhere but by `further` rules; these two texts run and style, and no other, not even if one got into the page. */
export function toPolicy(script: string, style: string, further: readonly string[] = []): string {
	const rules = [
		"default-src 'none'",
		`script-src '${hashOf(script)}'`,
		`style-src '${hashOf(style)}'`,
		...further,
		...["base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'"],
	];
	return `<meta http-equiv="Content-Security-Policy" content="${rules.join("; ")}">`;
}

function hashOf(text: string): string {
	return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** Writes a built page, or with `--check` tells by the exit code whether it is what stands there. `file` is of the project's root. */
export function keepPage(file: string, text: string): void {
	const path = join(ROOT, file);
	const isSame = existsSync(path) && readFileSync(path, "utf8") === text;
	const isCheck = Bun.argv.includes("--check");
	if (!isCheck) {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, text);
	}
	console.log(`${file}: ${Buffer.byteLength(text)} bytes, ${isSame ? "as it was" : "changed"}`);
	process.exitCode = isCheck && !isSame ? 1 : 0;
}
