/**
 * Outside judges: programs that know what a valid document or signature is and that we have not written.
 * A test that needs one skips with a sentence where it is missing; in CI a missing judge is a failure.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { reportSkip } from "./skips";

export type Verdict = { readonly exitCode: number; readonly output: string };
export type Judge = (...args: string[]) => Promise<Verdict>;
/** `validate-ecf` checks files against the authority's schemas, `verify-signature` and `jdk` their signatures; poppler's programs draw and read PDFs, `promtool` plays alert rules. */
export type JudgeName =
	| "validate-ecf"
	| "verify-signature"
	| "jdk"
	| "xmlsec1"
	| "xmllint"
	| "openssl"
	| "pdftoppm"
	| "pdftotext"
	| "pdfinfo"
	| "promtool";

/** `tools/` with the two scripts and `authority-xsd/` with the authority's published schemas; not part of the project. */
const OUTSIDE = process.env.JUDGES_DIR ?? join(import.meta.dir, "../../../shared");
const TOOLS = join(OUTSIDE, "tools");
export const AUTHORITY_SCHEMAS = join(OUTSIDE, "authority-xsd");
const JDK = join(import.meta.dir, "../../scripts/random/VerifyWithJdk.java");
/** Not asked for in CI: a whole platform, or a monitoring system, is much to install for one opinion more. */
const OPTIONAL: ReadonlySet<JudgeName> = new Set(["jdk", "promtool"]);
/** What the judges call themselves. */
const NEEDS: Readonly<Record<JudgeName, readonly string[]>> = {
	"validate-ecf": ["bash", "xmllint"],
	"verify-signature": ["bash", "xmllint", "xmlsec1", "openssl"],
	jdk: ["java"],
	xmlsec1: ["xmlsec1"],
	xmllint: ["xmllint"],
	openssl: ["openssl"],
	pdftoppm: ["pdftoppm"],
	pdftotext: ["pdftotext"],
	pdfinfo: ["pdfinfo"],
	promtool: ["promtool"],
};

/** Whether the authority's published schemas are here. */
export function hasSchemas(): boolean {
	if (existsSync(AUTHORITY_SCHEMAS)) return true;
	reportSkip("the authority's schemas are not here (JUDGES_DIR names the folder that holds authority-xsd/)");
	return false;
}

/** The judge as a function of its arguments; undefined, with a sentence on the console, where it cannot run. */
export function findJudge(name: JudgeName): Judge | undefined {
	const isScript = name === "validate-ecf" || name === "verify-signature";
	const command = isScript ? [join(TOOLS, name)] : name === "jdk" ? ["java", JDK] : [name];
	const missing = NEEDS[name].filter((program) => Bun.which(program) === null);
	if (isScript && !existsSync(join(TOOLS, name)))
		missing.push("its script (JUDGES_DIR names the folder that holds tools/ and authority-xsd/)");
	if (missing.length === 0) return (...args) => run([...command, ...args]);
	reportSkip(`${name} needs ${missing.join(", ")}`, { requiredInCi: !OPTIONAL.has(name) });
	return undefined;
}

async function run(command: string[]): Promise<Verdict> {
	const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe", stdin: "ignore" });
	const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { exitCode: await child.exited, output: stdout + stderr };
}
