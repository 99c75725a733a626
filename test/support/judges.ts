/**
 * Independent programs that know what a valid document or signature is. A test that needs one is skipped without it; in CI a missing
 * program is a failure.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { reportSkip } from "./skips";

export type Verdict = { readonly exitCode: number; readonly output: string };
export type Judge = (...args: string[]) => Promise<Verdict>;
/** `validate-ecf` checks files against the authority's schemas, `verify-signature` and `jdk` their signatures. Poppler's programs read PDFs; `python3` and `mypy` run and read the Python library; `promtool` runs alert rules, and the last three read samples of their own files. */
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
	| "python3"
	| "mypy"
	| "promtool"
	| "haproxy"
	| "nginx"
	| "systemd-analyze";

/** `tools/` with the two scripts and `authority-xsd/` with the authority's published schemas; not part of the project. */
const OUTSIDE = process.env.JUDGES_DIR ?? join(import.meta.dir, "../../../shared");
const TOOLS = join(OUTSIDE, "tools");
export const AUTHORITY_SCHEMAS = join(OUTSIDE, "authority-xsd");
const JDK = join(import.meta.dir, "../../scripts/random/VerifyWithJdk.java");
/** Optional in CI: a JDK, a monitoring system and proxies are large to install for one more check. */
const OPTIONAL: ReadonlySet<JudgeName> = new Set(["jdk", "promtool", "haproxy", "nginx", "systemd-analyze"]);
/** The programs that each one runs. */
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
	python3: ["python3"],
	mypy: ["mypy"],
	promtool: ["promtool"],
	haproxy: ["haproxy"],
	nginx: ["nginx"],
	"systemd-analyze": ["systemd-analyze"],
};

/** Whether the authority's published schemas are here. */
export function hasSchemas(): boolean {
	if (existsSync(AUTHORITY_SCHEMAS)) return true;
	reportSkip("the authority's schemas are not here (JUDGES_DIR names the folder that holds authority-xsd/)");
	return false;
}

/** The program as a function of its arguments; undefined, with a line on the console, when it cannot run. */
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
