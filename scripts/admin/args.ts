/** The operator's command line: operands in order and options by name, as declared in the usage lines. */
import { isId } from "../../src/platform/values";
import { UsageError } from "./command";

export class Args {
	/** The operands after the command's words. */
	readonly #operands: readonly string[];
	readonly #options: ReadonlyMap<string, string | true>;

	constructor(operands: readonly string[], options: ReadonlyMap<string, string | true>) {
		this.#operands = operands;
		this.#options = options;
	}

	/** The single operand, if any. */
	get operand(): string | undefined {
		return this.#operands[0];
	}

	/** The operand, which must be an id. Throws: UsageError with the sentence. */
	needId(sentence: string): string {
		const { operand } = this;
		if (!operand || !isId(operand)) throw new UsageError(sentence);
		return operand;
	}

	has(name: string): boolean {
		return this.#options.has(name);
	}

	text(name: string): string | undefined {
		const value = this.#options.get(name);
		return typeof value === "string" ? value : undefined;
	}

	/** Throws: UsageError. */
	need(name: string): string {
		const value = this.text(name);
		if (!value) throw new UsageError(`--${name} is needed`);
		return value;
	}

	/** The comma-separated parts; empty if the option is absent. */
	list(name: string): string[] {
		return (this.text(name) ?? "").split(",").filter(Boolean);
	}

	/** Throws: UsageError. */
	oneOf<T extends string>(name: string, values: readonly T[], otherwise?: T): T {
		const value = this.text(name) ?? otherwise;
		const found = values.find((v) => v === value);
		if (!found) throw new UsageError(`expected --${name} to be one of ${values.join(", ")}, got ${value ?? "nothing"}`);
		return found;
	}
}

/** An option in a usage line, and whether it takes a value: `--label NAME`, `[--scopes a,b]`, `[--force]`. */
const OPTION = /--([a-z-]+)( [^\s[\]|-])?/g;

/**
 * Parses the command line. `usage` is that of the given command, undefined for an unknown command.
 * Throws: UsageError for an option that the usage does not name, or that is repeated but may be given once.
 */
export function readArgs(
	typed: readonly string[],
	usages: readonly string[],
): { readonly name: string; readonly usage?: string; readonly args: Args } {
	// Options may precede the command, so which of them take values cannot depend on it.
	const valued = new Set(
		usages.flatMap((usage) => optionsOf(usage).flatMap(([name, hasValue]) => (hasValue ? name : []))),
	);
	const words: string[] = [];
	const options = new Map<string, string | true>();
	for (let i = 0; i < typed.length; i++) {
		const word = typed[i] ?? "";
		if (!word.startsWith("--")) {
			words.push(word);
			continue;
		}
		const name = word.slice(2);
		if (options.has(name)) throw new UsageError(`${word} is given twice`);
		options.set(name, valued.has(name) ? valueAfter(word, typed[++i]) : true);
	}
	const usage = usages.find((line) => commandOf(line).every((word, i) => words[i] === word));
	const length = usage === undefined ? 2 : commandOf(usage).length;
	const operands = words.slice(length);
	const name = words.slice(0, length).join(" ");
	if (usage !== undefined) checkAgainst(usage, name, operands, options);
	return { name, ...(usage === undefined ? {} : { usage }), args: new Args(operands, options) };
}

/** The words of a command, before its operand and options. */
function commandOf(usage: string): string[] {
	const words = usage.split(" ");
	const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
	return end < 0 ? words : words.slice(0, end);
}

function checkAgainst(
	usage: string,
	name: string,
	operands: readonly string[],
	options: ReadonlyMap<string, unknown>,
): void {
	const known = new Set(["json", ...optionsOf(usage).map(([option]) => option)]);
	const unknown = [...options.keys()].find((option) => !known.has(option));
	if (unknown !== undefined) throw new UsageError(`unknown option of ${name}: --${unknown}`);
	// Words in capitals stand for anything, others for themselves.
	const places =
		usage
			.slice(name.length + 1)
			.split(/ ?\[?--/, 1)[0]
			?.split(" ")
			.filter(Boolean) ?? [];
	const odd = operands.find((operand, i) => !/^\[?[A-Z]/.test(places[i] ?? "") && operand !== places[i]);
	const missing = places.findIndex((place, i) => i > 0 && /^[a-z]/.test(place) && operands[i] === undefined);
	if (missing > 0 && odd === undefined)
		throw new UsageError(`${name} needs ${places[missing]} after ${places[missing - 1]}`);
	if (odd !== undefined) throw new UsageError(`${name} does not know what to do with ${odd}`);
}

function optionsOf(usage: string): [name: string, hasValue: boolean][] {
	return [...usage.matchAll(OPTION)].map(([, name = "", value]) => [name, value !== undefined]);
}

function valueAfter(option: string, value: string | undefined): string {
	if (!value || value.startsWith("--")) throw new UsageError(`${option} needs a value`);
	return value;
}
