/**
 * A table of commands. It is the only description of a program: parsing, help, completion and the guide are made from it.
 *
 * `takes` reads like a usage line:
 *
 *     RNC   [RUN]   FILE…       an operand; one that may be missing; one or several
 *     ID|--all                  either of the two
 *     bash|zsh|fish   downloads one of these words
 *     --plan PLAN   --force     an option with a value, and without one
 *     -f|--file FILE            its short form
 *     --item TEXT…              may be repeated
 *     [--json]                  may be missing
 */

/** One text in both languages. */
export type Texts = { readonly en: string; readonly es: string };
export type Language = keyof Texts;

export type Command = Texts & {
	readonly takes?: string;
	/** What operands and options mean, by the name that `takes` gives them. */
	readonly means?: Readonly<Record<string, Texts>>;
	readonly examples?: readonly string[];
};

export type Program<Name extends string = string> = Texts & {
	/** What is typed before a command. */
	readonly call: string;
	/** Options that every command takes, written as in `takes`. */
	readonly everywhere: string;
	readonly means: Readonly<Record<string, Texts>>;
	/** By the command's words. A program without commands has one, named by the empty text. */
	readonly commands: Readonly<Record<Name, Command>>;
	/** The last paragraph of the help. */
	readonly after?: Texts;
};

export type Option = {
	readonly name: string;
	readonly short?: string;
	/** What stands for the value; undefined for an option without one. */
	readonly value?: string;
	/** The only values, if they are listed. */
	readonly choices?: readonly string[];
	readonly isRepeated: boolean;
	readonly isOptional: boolean;
};

type Operand = {
	readonly name: string;
	readonly choices?: readonly string[];
	readonly isRepeated: boolean;
	readonly isOptional: boolean;
};

export type Signature = { readonly options: readonly Option[]; readonly operands: readonly Operand[] };

const WORDS = /^[a-z0-9_-]+(\|[a-z0-9_-]+)*$/;

/** Reads a `takes`. */
export function readSignature(takes = ""): Signature {
	const options: Option[] = [];
	const operands: Operand[] = [];
	// Of alternatives none is needed by itself.
	const tokens = takes
		.replaceAll("|--", " |--")
		.replace(/(-[a-z]) \|--/g, "$1|--")
		.split(" ")
		.filter(Boolean);
	let depth = 0;
	for (let i = 0; i < tokens.length; i++) {
		const token = tokens[i] ?? "";
		depth += count(token, "[");
		const word = plain(token);
		const after = tokens[i + (word.startsWith("-") && !/^[[|]*-/.test(tokens[i + 1] ?? "-") ? 2 : 1)];
		const isOptional = depth > 0 || token.startsWith("|") || after?.startsWith("|") === true;
		depth -= count(token, "]");
		if (!word.startsWith("-")) {
			const isRepeated = token.includes("…");
			operands.push({ name: word, isRepeated, isOptional, ...(WORDS.test(word) ? { choices: word.split("|") } : {}) });
			continue;
		}
		const [, short, name = ""] = /^(?:-([a-z])\|)?--([a-z0-9-]+)$/.exec(word) ?? [];
		const next = tokens[i + 1];
		const hasValue = next !== undefined && !token.includes("]") && !/^[[|]*-|^\[/.test(next);
		const value = hasValue ? plain(next) : undefined;
		if (hasValue) {
			depth -= count(next, "]");
			i++;
		}
		options.push({
			...{ name, isOptional, isRepeated: hasValue && next.includes("…") },
			...(short === undefined ? {} : { short }),
			...(value === undefined ? {} : { value }),
			...(value?.includes("|") && WORDS.test(value) ? { choices: value.split("|") } : {}),
		});
	}
	return { options, operands };
}

function plain(token: string): string {
	return token.replace(/[[\]…]|^\|/g, "");
}

function count(text: string, sign: string): number {
	return text.split(sign).length - 1;
}
