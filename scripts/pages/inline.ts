/** Single-file pages: inline script and style, and a policy that allows only these two. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** Escapes a bundle for an inline script. Throws an Error if it would end the element. */
export function toInlineScript(code: string): string {
	// This escape is equivalent in strings and patterns, and avoids an HTML comment.
	const script = code
		.replace(/\n\/\/# [^\n]*\s*$/, "")
		.replaceAll("<!--", "\\x3C!--")
		.trim();
	if (/<\/?script/i.test(script)) throw new Error("the bundle holds a text that would end its element");
	return script;
}

/** Allows only these two inline texts, even if another one got into the page, and loads only what `further` rules allow. */
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

/** Writes a built page, or with `--check` sets the exit code to 1 if the file is out of date. `file` is relative to the project root. */
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
