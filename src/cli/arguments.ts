/** The words that were typed, judged by a table of commands. */
import { type Language, type Option, type Program, readSignature, type Signature, type Texts } from "./command-table";

/** What was typed is no order that can be carried out. The message is one line. Exit code 2. */
export class UsageError extends Error {}

/** The operands and options of a command. */
export class Args {
	/** The operands after the command's words. */
	readonly operands: readonly string[];
	readonly #options: ReadonlyMap<string, readonly string[]>;

	constructor(operands: readonly string[], options: ReadonlyMap<string, readonly string[]>) {
		this.operands = operands;
		this.#options = options;
	}

	/** The first operand, if any. */
	get operand(): string | undefined {
		return this.operands[0];
	}

	has(name: string): boolean {
		return this.#options.has(name);
	}

	/** The option's value; undefined if it is absent. */
	text(name: string): string | undefined {
		return this.#options.get(name)?.[0];
	}

	/** All values of an option that may be repeated. */
	texts(name: string): readonly string[] {
		return this.#options.get(name) ?? [];
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

	/** A whole number. Throws: UsageError. */
	integer(name: string, otherwise: number, [least, most]: readonly [number, number]): number {
		const text = this.text(name) ?? String(otherwise);
		const value = Number(text);
		if (!/^[0-9]+$/.test(text) || value < least || value > most)
			throw new UsageError(`expected --${name} to be a number from ${least} to ${most}, got ${text}`);
		return value;
	}
}

/** What was typed: an order, or the wish for help. `name` is undefined for help on the program as a whole. */
export type Typed<Name extends string> =
	| { readonly kind: "run"; readonly name: Name; readonly args: Args }
	| { readonly kind: "help"; readonly name: Name | undefined; readonly group: string; readonly args: Args }
	| { readonly kind: "version" };

/** Sentences about what was typed; `{0}` and `{1}` are its words. */
const SENTENCES = {
	none: { en: "a command is needed; see {0} --help", es: "falta un comando; vea {0} --help" },
	unknown: { en: "unknown command: {0}", es: "comando desconocido: {0}" },
	meant: { en: "unknown command: {0}; did you mean {1}?", es: "comando desconocido: {0}; ¿quiso decir {1}?" },
	group: { en: "{0} needs one of {1}", es: "{0} necesita uno de {1}" },
	option: { en: "unknown option of {0}: {1}", es: "opción desconocida de {0}: {1}" },
	twice: { en: "{0} is given twice", es: "{0} se indica dos veces" },
	value: { en: "{0} needs a value", es: "{0} necesita un valor" },
	bare: { en: "{0} takes no value", es: "{0} no lleva valor" },
	choice: { en: "expected {0}, got {1}", es: "se esperaba {0}, se recibió {1}" },
	odd: { en: "{0} does not know what to do with {1}", es: "{0} no sabe qué hacer con {1}" },
	word: { en: "{0} needs {1}", es: "{0} necesita {1}" },
	needed: { en: "{0} is needed", es: "falta {0}" },
} satisfies Record<string, Texts>;

/**
 * Parses the command line of a program. Options may stand anywhere, `--name=value` is allowed, and `--` ends them.
 * Throws: UsageError for anything that the table does not name, and for what it demands and is missing.
 */
export function readArguments<Name extends string>(
	typed: readonly string[],
	program: Program<Name>,
	language: Language = "en",
): Typed<Name> {
	const mistake: Mistake = (sentence, ...values) =>
		new UsageError(SENTENCES[sentence][language].replace(/\{(\d)\}/g, (_, n: string) => values[Number(n)] ?? ""));
	const names = Object.keys(program.commands) as Name[];
	const everywhere = readSignature(program.everywhere).options;
	const allOptions = [...everywhere, ...names.flatMap((name) => readSignature(program.commands[name].takes).options)];
	const { words, given } = split(typed, allOptions, mistake);
	const name = names
		.filter((one) => one.split(" ").every((word, i) => word === "" || words[i] === word))
		.sort((a, b) => b.length - a.length)[0];
	const length = name ? name.split(" ").length : 0;
	const operands = words.slice(length);
	const options = new Map(
		given.map(({ name: option }) => [option, given.filter((g) => g.name === option).map((g) => g.value)]),
	);
	const args = new Args(operands, options);
	if (options.has("help")) return { kind: "help", name, group: words.join(" "), args };
	if (options.has("version") && everywhere.some((option) => option.name === "version")) return { kind: "version" };
	if (name === undefined) throw judgeWords(words, names, program.call, mistake);
	const own = readSignature(program.commands[name].takes);
	checkOptions(name || program.call, [...everywhere, ...own.options], given, mistake);
	checkOperands(name || program.call, own, args, mistake);
	return { kind: "run", name, args };
}

type Mistake = (sentence: keyof typeof SENTENCES, ...values: string[]) => UsageError;
type Given = { readonly name: string; readonly typed: string; readonly value: string };

/** Options may precede the command, so which of them take values cannot depend on it. */
function split(typed: readonly string[], known: readonly Option[], mistake: Mistake) {
	const words: string[] = [];
	const given: Given[] = [];
	for (let i = 0; i < typed.length; i++) {
		const word = typed[i] ?? "";
		if (word === "--") {
			words.push(...typed.slice(i + 1));
			break;
		}
		if (!/^-[a-z]$|^--/.test(word)) {
			words.push(word);
			continue;
		}
		const [option = "", ...rest] = word.split("=");
		const found = known.find(({ name, short }) => option === `--${name}` || option === `-${short}`);
		const name = found?.name ?? (option === "-h" ? "help" : option.replace(/^--?/, ""));
		const takesValue = known.some((one) => one.name === name && one.value !== undefined);
		if (!takesValue) {
			if (rest.length > 0 && found) throw mistake("bare", option);
			given.push({ name, typed: option, value: "" });
			continue;
		}
		const value = rest.length > 0 ? rest.join("=") : typed[++i];
		if (value === undefined || value === "" || value.startsWith("--")) throw mistake("value", option);
		given.push({ name, typed: option, value: value ?? "" });
	}
	return { words, given };
}

function judgeWords(words: readonly string[], names: readonly string[], call: string, mistake: Mistake): UsageError {
	const [first] = words;
	if (first === undefined) return mistake("none", call);
	const ofGroup = names.filter((name) => name.startsWith(`${first} `));
	if (ofGroup.length > 0 && words.length === 1)
		return mistake("group", first, ofGroup.map((name) => name.slice(first.length).trim()).join(", "));
	const asked = words.slice(0, ofGroup.length > 0 ? 2 : 1).join(" ");
	const near = names
		.flatMap((name) => [name, name.split(" ")[0] ?? ""])
		.find((name) => countEdits(asked, name) <= (asked.length > 3 ? 2 : 1));
	return near === undefined ? mistake("unknown", asked) : mistake("meant", asked, near);
}

function checkOptions(command: string, known: readonly Option[], given: readonly Given[], mistake: Mistake): void {
	for (const [i, { name, typed, value }] of given.entries()) {
		const option = known.find((one) => one.name === name);
		if (!option) throw mistake("option", command, typed);
		if (!option.isRepeated && given.findIndex((one) => one.name === name) < i) throw mistake("twice", typed);
		if (option.choices && !option.choices.includes(value)) throw mistake("choice", `${typed} ${option.value}`, value);
	}
	const missing = known.find((option) => !option.isOptional && !given.some(({ name }) => name === option.name));
	if (missing) throw mistake("needed", `--${missing.name}`);
}

function checkOperands(command: string, { operands }: Signature, args: Args, mistake: Mistake): void {
	const given = args.operands;
	const isOpen = operands.at(-1)?.isRepeated === true;
	for (const [i, word] of given.entries()) {
		const operand = operands[i] ?? (isOpen ? operands.at(-1) : undefined);
		if (!operand) throw mistake("odd", command, word);
		if (operand.choices && !operand.choices.includes(word))
			throw operand.choices.length === 1
				? mistake("odd", command, word)
				: mistake("choice", operand.choices.join("|"), word);
	}
	const missing = operands.find((operand, i) => !operand.isOptional && given[i] === undefined);
	if (missing) throw mistake("word", command, missing.name);
}

/** The number of letters to add, drop or replace. Source: Levenshtein, 1965. */
function countEdits(a: string, b: string): number {
	let row = Array.from({ length: b.length + 1 }, (_, n) => n);
	for (let i = 1; i <= a.length; i++) {
		const next = [i];
		for (let j = 1; j <= b.length; j++) {
			const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
			next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
		}
		row = next;
	}
	return row[b.length] ?? 0;
}
