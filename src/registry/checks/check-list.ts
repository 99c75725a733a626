/**
 * Checks a list against a snapshot, in steps.
 *
 * A row with a number is looked up; its name, if any, is compared with both names of the entry. A row with a name alone is matched.
 */

import { renameSync, rmSync, statSync, truncateSync } from "node:fs";
import { parseTaxpayerDocument, type TaxpayerDocument } from "../../platform/values";
import { keyOf, slotOf } from "../index/index";
import { ACTIVE_STATUS } from "../known-values";
import { decideMatch, matchName, scoreNameOf } from "../match";
import type { RegistryView } from "../runs";
import type { Vocabulary } from "../search";
import { cellsOf, type Layout, readRows } from "./list-layout";
import {
	type CheckFiles,
	type Counts,
	type Finding,
	filesOf,
	findForms,
	openOutput,
	type ResultLine,
	readLines,
	STEP_ROWS,
	VERDICTS,
	type Verdict,
} from "./result-file";

export type CheckProgress = { readonly done: number; readonly counts: Counts };
/** `unmatched` are the rows with a name alone for which nothing was found. */
export type CheckEnd = CheckProgress & { readonly unmatched: number };

/** A name scores less against both names of an entry: it is probably another taxpayer's. */
const NAME_SCORE_MIN = 0.8;
const CANDIDATE_SCORE_MIN = 0.6;
const SUGGESTIONS_MAX = 3;
/** As long as a name of a request for matches. */
const NAME_MAX = 250;

export const noCounts = (): Record<Verdict, number> => ({
	...{ found: 0, inactive: 0, name_differs: 0, ambiguous: 0, not_found: 0, invalid: 0, duplicate: 0 },
});

type ListData = {
	/** The entry that a verdict is about: that of a day, or today's. */
	readonly lookup: RegistryView["lookup"];
	/**
	 * For rows with a name alone. Gap: with a day they are matched with today's names, because the history cannot be searched; the verdict is
	 * still that of the day.
	 */
	readonly names: { readonly view: RegistryView; readonly vocabulary: Vocabulary } | undefined;
};

/** Writes the result, behind what an earlier try has written. Throws: ListError; system errors. */
export function* checkList(
	files: CheckFiles,
	layout: Layout,
	data: ListData,
	onProgress: (progress: CheckProgress) => void,
): Generator<undefined, CheckEnd> {
	const { done: kept, counts, unmatched: keptUnmatched } = yield* readKept(files.result);
	let unmatched = keptUnmatched;
	const isSeen = createSeen(layout.numberedRows);
	const named = new Map<string, Finding>();
	const output = openOutput(files.result, "a");
	const heads = layout.columns.map((column, i) => `${i === 0 ? "" : ","}${JSON.stringify(column)}:`);
	let done = 0;
	try {
		let isHeader = layout.hasHeader;
		for (const row of readRows(files.list, layout)) {
			if (!row) {
				yield undefined;
				continue;
			}
			if (isHeader) {
				isHeader = false;
				continue;
			}
			const { number, name } = cellsOf(row, layout);
			const document = parseTaxpayerDocument(number);
			const key = document && keyOf(document.digits);
			const isRepeated = key !== undefined && isSeen(key);
			if (++done > kept) {
				let finding: Finding;
				if (isRepeated) finding = nothing("duplicate", document?.digits);
				else if (document) finding = lookUp(data, document, name);
				else if (number === "" && name !== "") {
					finding = named.get(name) ?? (yield* findByName(data, name));
					named.set(name, finding);
				} else finding = nothing("invalid");
				counts[finding.verdict]++;
				if (isUnmatched(finding)) unmatched++;
				let cells = "";
				for (let i = 0; i < heads.length; i++) cells += heads[i] + JSON.stringify(row.cells[i] ?? "");
				output.add(`{"row":${row.row},"cells":{${cells}},${JSON.stringify(finding).slice(1)}\n`);
			}
			if (done % STEP_ROWS === 0) {
				onProgress({ done, counts });
				yield undefined;
			}
		}
		output.flush();
	} finally {
		output.close();
	}
	return { done, counts, unmatched };
}

/** Whether a key was given before; at most `count` keys. A set of a million numbers would take five times the memory. */
function createSeen(count: number): (key: number) => boolean {
	const slots = new Float64Array(2 ** Math.ceil(Math.log2(2 * count + 1)));
	const mask = slots.length - 1;
	return (key) => {
		let slot = slotOf(key, mask);
		// An empty slot is 0, and so is a key.
		for (; slots[slot] !== 0; slot = (slot + 1) & mask) if (slots[slot] === key + 1) return true;
		slots[slot] = key + 1;
		return false;
	};
}

/** A number that is not found stands in the finding. */
function isUnmatched({ verdict, number }: Pick<Finding, "verdict" | "number">): boolean {
	return verdict === "not_found" && number === null;
}

function nothing(verdict: Verdict, number?: string): Finding {
	return { verdict, number: number ?? null, name: null, status: null, score: null, suggestions: [] };
}

function lookUp({ lookup }: ListData, document: TaxpayerDocument, name: string): Finding {
	const entry = lookup(document);
	if (!entry) return nothing("not_found", document.digits);
	const score = name === "" ? null : scoreNameOf(entry, name);
	const isOther = score !== null && score < NAME_SCORE_MIN;
	const verdict = isOther ? "name_differs" : entry.status === ACTIVE_STATUS ? "found" : "inactive";
	return { verdict, number: entry.rnc, name: entry.name, status: entry.status, score, suggestions: [] };
}

function* findByName({ lookup, names }: ListData, name: string): Generator<undefined, Finding> {
	if (!names) throw new Error("a list without names has one");
	const options = { minScore: CANDIDATE_SCORE_MIN, limit: SUGGESTIONS_MAX };
	const steps = matchName(names.view, names.vocabulary, name.slice(0, NAME_MAX), options);
	let step = steps.next();
	for (; !step.done; step = steps.next()) yield undefined;
	const matches = step.value;
	const sure = decideMatch(matches);
	if (sure) {
		const document = parseTaxpayerDocument(sure.entry.rnc);
		const entry = document && lookup(document);
		// Without its number, which the caller has not sent.
		if (!entry) return nothing("not_found");
		const verdict = entry.status === ACTIVE_STATUS ? "found" : "inactive";
		return {
			...{ verdict, number: entry.rnc, name: entry.name, status: entry.status, score: sure.score },
			suggestions: [],
		};
	}
	const suggestions = matches.map(({ entry, score }) => ({ number: entry.rnc, name: entry.name, score }));
	return { ...nothing(matches.length === 0 ? "not_found" : "ambiguous"), suggestions };
}

/** What an earlier try has written; a last line that is cut off is removed. */
function* readKept(
	path: string,
): Generator<undefined, { done: number; counts: Record<Verdict, number>; unmatched: number }> {
	const counts = noCounts();
	let unmatched = 0;
	let done = 0;
	let bytes = 0;
	if (!statSync(path, { throwIfNoEntry: false })) return { done, counts, unmatched };
	for (const { text, end } of readLines(path)) {
		const line = readLine(text);
		if (line === undefined) break;
		counts[line.verdict]++;
		if (isUnmatched(line)) unmatched++;
		bytes = end;
		if (++done % STEP_ROWS === 0) yield undefined;
	}
	truncateSync(path, bytes);
	return { done, counts, unmatched };
}

function readLine(text: string): ResultLine | undefined {
	try {
		const line = JSON.parse(text) as ResultLine;
		return VERDICTS.includes(line.verdict) ? line : undefined;
	} catch {
		return undefined;
	}
}

/**
 * Removes entries that were erased since the result was written, from all its forms: their rows become those of unknown numbers. Runs in
 * steps.
 */
export function* eraseFromResult(
	base: string,
	isErased: (digits: string) => boolean,
): Generator<undefined, { readonly counts: Counts }> {
	const counts = noCounts();
	const { result } = filesOf(base);
	const temporary = `${base}.erasing`;
	rmSync(temporary, { force: true });
	const output = openOutput(temporary, "wx");
	let isChanged = false;
	let lines = 0;
	try {
		for (const { text } of readLines(result)) {
			const line = JSON.parse(text) as ResultLine;
			const left = withoutErased(line, isErased);
			if (left !== line) isChanged = true;
			counts[left.verdict]++;
			output.add(`${left === line ? text : JSON.stringify(left)}\n`);
			if (++lines % STEP_ROWS === 0) yield undefined;
		}
		output.flush();
	} finally {
		output.close();
		if (!isChanged) rmSync(temporary, { force: true });
	}
	if (isChanged) {
		// First, or a crash in between would leave them with the entry.
		for (const { path } of findForms(base)) rmSync(path);
		renameSync(temporary, result);
	}
	return { counts };
}

function withoutErased(line: ResultLine, isErased: (digits: string) => boolean): ResultLine {
	const { number, name, suggestions, row, cells } = line;
	if (number !== null && name !== null && isErased(number)) {
		const isSent = Object.values(cells).some((cell) => parseTaxpayerDocument(cell)?.digits === number);
		return { row, cells, ...nothing("not_found", isSent ? number : undefined) };
	}
	const left = suggestions.filter((one) => !isErased(one.number));
	if (left.length === suggestions.length) return line;
	return { ...line, suggestions: left, verdict: left.length === 0 ? "not_found" : line.verdict };
}
