/**
 * Rules for the text of source files that neither the compiler nor the linter checks: log lines with an event, dependencies written out, sizes of
 * files, names of tests.
 *
 * Quirk: the text is read in the form that the formatter leaves it in.
 */

/** A log call in a source text. `event` is undefined when the call names none in the form `noun.verb`; `message` when it is no literal. */
export type LogCall = {
	readonly line: number;
	readonly level: string;
	readonly event: string | undefined;
	readonly message: string | undefined;
};

const EVENT = /^[a-z]+(-[a-z]+)*\.[a-z]+(_[a-z]+)*$/;
const logCall = /\b(?:log|logger|lines)(?:\??\.(trace|debug|info|warn|error|fatal)|\[\w+\])\(/g;
/** A line that is written without the logger, which may be the thing that fails. */
const rawLine = /\blevel: "(\w+)",[^}]*?\bevent: "([^"]+)",\s*msg: "([^"]+)"/g;

/** Every log call of a source text. */
export function readLogCalls(text: string): LogCall[] {
	const lineOf = (match: RegExpExecArray) => text.slice(0, match.index).split("\n").length;
	const raw = [...text.matchAll(rawLine)].map((match) => {
		const [, level = "", event, message] = match;
		return { line: lineOf(match), level, event, message };
	});
	const calls = [...text.matchAll(logCall)].map((match) => {
		const rest = text.slice(match.index + match[0].length, match.index + match[0].length + 600);
		const event = /^\s*\{\s*(?:\.\.\.[^,]+,\s*)?event:\s*"([^"]+)"/.exec(rest)?.[1];
		const isSound = event !== undefined && EVENT.test(event);
		const message = /^\s*\{[\s\S]*?\},?\s*(?:"((?:[^"\\\n]|\\.)*)"|`([^`]*)`)\s*,?\s*\)/.exec(rest);
		return {
			line: lineOf(match),
			level: match[1] ?? "varies",
			event: isSound ? event : undefined,
			message: message?.[1] ?? message?.[2],
		};
	});
	return [...calls, ...raw];
}

/** What a source text says of dependencies that its reader would have to look up elsewhere: one sentence each. */
export function findImpliedDeps(text: string): string[] {
	const derived = [...text.matchAll(/\bParameters<typeof \w+>/g)].map(([found]) => `${found} is not written out`);
	const joined = [...text.matchAll(/^(?:export )?type (\w*Deps) =([^;{]*)[{;]/gm)].flatMap(([, name, start = ""]) =>
		/\w/.test(start) ? [`${name} is put together of ${start.trim()}`] : [],
	);
	const extended = [...text.matchAll(/^\} & [^;]*|\b\w+Deps &|& \w+Deps\b/gm)].map(
		([found]) => `"${found}" joins dependencies`,
	);
	return [...derived, ...joined, ...extended];
}

/** The names of the exported dependency types of a source text. */
export function readDepsTypes(text: string): string[] {
	return [...text.matchAll(/^export type (\w+Deps)\b/gm)].map(([, name = ""]) => name);
}

/** The names of tests that are longer than `limit` characters, without what a table fills in. */
export function findLongTestNames(text: string, limit = 80): string[] {
	const named = [...text.matchAll(/\b(?:test|it)\b[^\n"`]*\(\s*(?:"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g)];
	return named.map(([, plain, template]) => plain ?? template ?? "").filter((name) => name.length > limit);
}

/** How many lines a text has. */
export function countLines(text: string): number {
	return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

/** The middle of a list of numbers. Throws nothing; 0 for an empty list. */
export function median(values: readonly number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
