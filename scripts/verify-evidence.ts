/**
 * Verifies evidence files of archived documents without a service, a database or a network.
 *
 *   bun run verify FILE.zip …
 *     --key KEY            the archive's verifier key (name+hash+base64), which must match the file's
 *     --ca FILE            PEM bundle of certificate authorities: one of them must have issued the signer's certificate
 *     --checkpoint FILE    another checkpoint of the same archive, which must be consistent with the file's
 *     --consistency FILE   the proof that the larger tree extends the smaller one (JSON, as the service returns it)
 *     --lang en|es         language of the output (default: en)
 *     --json               one JSON document instead of lines
 *
 * Exits with 0 if every file is good, 1 if one is not, 2 if the command cannot run.
 */
import { readFileSync, statSync } from "node:fs";
import { parseArgs } from "node:util";
import {
	CHECK_TITLES,
	type Check,
	EVIDENCE_LIMITS,
	type EvidenceOptions,
	type EvidenceReport,
	verifyEvidence,
} from "../src/archive/verifier";
import { readTrustedAuthorities } from "../src/ecf/verification";

type Language = "en" | "es";
type Result = { readonly file: string } & EvidenceReport;

const USAGE =
	"usage: bun run verify [--key KEY] [--ca FILE] [--checkpoint FILE] [--consistency FILE] [--lang en|es] [--json] FILE.zip …";

const MARKS = {
	en: { passed: "ok", failed: "FAILED", open: "not checked" },
	es: { passed: "bien", failed: "FALLA", open: "no se juzga" },
} as const;

process.exitCode = await main(Bun.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
	const order = readOrder(args);
	if (typeof order === "string") {
		console.error(`${order}\n${USAGE}`);
		return 2;
	}
	const results: Result[] = [];
	for (const file of order.files) {
		// Reads just enough of an oversized file to see that it is too large.
		const bytes = await Bun.file(file)
			.slice(0, EVIDENCE_LIMITS.bytesMax + 1)
			.bytes();
		results.push({ file, ...(await verifyEvidence(bytes, order.options)) });
	}
	if (order.isJson) console.log(JSON.stringify(results, undefined, "\t"));
	else for (const result of results) console.log(toLines(result, order.language).map(toPlain).join("\n"));
	return results.every(({ ok }) => ok) ? 0 : 1;
}

/** Reads the options and files; returns a message if they are wrong or unreadable. */
function readOrder(args: readonly string[]) {
	try {
		const { values, positionals } = parseArgs({
			args: [...args],
			allowPositionals: true,
			options: {
				key: { type: "string" },
				ca: { type: "string" },
				checkpoint: { type: "string" },
				consistency: { type: "string" },
				lang: { type: "string", default: "en" },
				json: { type: "boolean", default: false },
			},
		});
		const language = values.lang;
		if (language !== "en" && language !== "es") return `expected --lang en or es, got ${language}`;
		if (positionals.length === 0) return "expected a file to verify";
		if (values.consistency !== undefined && values.checkpoint === undefined)
			return "expected --checkpoint beside --consistency";
		const { checkpoint, consistency } = values;
		const options: EvidenceOptions = {
			now: new Date(),
			key: values.key,
			authorities: values.ca === undefined ? undefined : readTrustedAuthorities(values.ca),
			checkpoint: checkpoint === undefined ? undefined : readFileSync(checkpoint, "utf8"),
			consistency: consistency === undefined ? undefined : JSON.parse(readFileSync(consistency, "utf8")),
		};
		for (const file of positionals) if (!statSync(file).isFile()) return `${file} is not a file`;
		return { files: positionals, options, language: language as Language, isJson: values.json };
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

function toLines({ file, ok, verdict, checks }: Result, language: Language): string[] {
	const mark = MARKS[language][ok ? "passed" : "failed"];
	return [`${file}: ${mark}: ${verdict[language]}`, ...checks.map((check) => toLine(check, language)), ""];
}

function toLine({ name, ok, detail }: Check, language: Language): string {
	const mark = MARKS[language][ok === null ? "open" : ok ? "passed" : "failed"];
	return `  ${mark.padEnd(11)} ${CHECK_TITLES[name][language]} (${name}): ${detail[language]}`;
}

/** Removes control characters: a file's content must not steer the terminal. */
function toPlain(line: string): string {
	return line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD");
}
