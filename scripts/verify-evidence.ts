/**
 * Verifies evidence files of archived documents without a service, a database or a network.
 *
 *   bun run verify --help
 *
 * Exits with 0 if every file is good, 1 if one is not, 2 if the command cannot run.
 */
import { readFileSync, statSync } from "node:fs";
import {
	CHECK_TITLES,
	type Check,
	EVIDENCE_LIMITS,
	type EvidenceOptions,
	type EvidenceReport,
	verifyEvidence,
} from "../src/archive/verifier";
import { type Args, PROGRAMS, takeOrder } from "../src/cli";
import { readTrustedAuthorities } from "../src/ecf/verification";

type Language = "en" | "es";
type Result = { readonly file: string } & EvidenceReport;

const MARKS = {
	en: { passed: "ok", failed: "FAILED", open: "not checked" },
	es: { passed: "bien", failed: "FALLA", open: "no se juzga" },
} as const;

process.exitCode = await main(takeOrder(PROGRAMS.verify).args);

async function main(args: Args): Promise<number> {
	const order = readOrder(args);
	if (typeof order === "string") {
		console.error(order);
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

/** Reads the files that options name; returns a message if one is wrong or unreadable. */
function readOrder(args: Args) {
	const [checkpoint, consistency, ca] = [args.text("checkpoint"), args.text("consistency"), args.text("ca")];
	if (consistency !== undefined && checkpoint === undefined) return "expected --checkpoint beside --consistency";
	try {
		const options: EvidenceOptions = {
			now: new Date(),
			key: args.text("key"),
			authorities: ca === undefined ? undefined : readTrustedAuthorities(ca),
			checkpoint: checkpoint === undefined ? undefined : readFileSync(checkpoint, "utf8"),
			consistency: consistency === undefined ? undefined : JSON.parse(readFileSync(consistency, "utf8")),
		};
		for (const file of args.operands) if (!statSync(file).isFile()) return `${file} is not a file`;
		const language: Language = args.text("lang") === "es" ? "es" : "en";
		return { files: args.operands, options, language, isJson: args.has("json") };
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
