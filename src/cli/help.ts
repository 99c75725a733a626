/** What is made from a table of commands beside its parser: help, completion, and rows of a guide. */
import { type Command, type Language, type Option, type Program, readSignature, type Texts } from "./command-table";

const HEADINGS = {
	commands: { en: "Commands", es: "Comandos" },
	options: { en: "Options", es: "Opciones" },
	everywhere: { en: "Every command", es: "Todo comando" },
	examples: { en: "Examples", es: "Ejemplos" },
} satisfies Record<string, Texts>;

/** From this width on a usage line stands above its text. */
const COLUMN_MAX = 34;

/** The help on one command, or on the program: its commands, or those that begin with the words of `group`. */
export function writeHelp<Name extends string>(
	program: Program<Name>,
	{ name, group = "" }: { readonly name: Name | undefined; readonly group?: string },
	language: Language,
): string {
	const single = name ?? ("" in program.commands ? ("" as Name) : undefined);
	const parts = single === undefined ? describeProgram(program, group, language) : describe(program, single, language);
	return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function describe<Name extends string>(program: Program<Name>, name: Name, language: Language): string[] {
	const command: Command = program.commands[name];
	const { options, operands } = readSignature(command.takes);
	const named = operands
		.filter((operand) => command.means?.[operand.name])
		.map((operand): Row => [operand.name, command.means?.[operand.name]?.[language] ?? ""]);
	const rows = [...named, ...toRows(options, command.means, language)];
	const examples = command.examples ?? [];
	return [
		[program.call, name, command.takes].filter(Boolean).join(" "),
		name === "" ? program[language] : `${command[language]}.`,
		rows.length > 0 ? section("options", rows, language) : "",
		section("everywhere", toRows(readSignature(program.everywhere).options, program.means, language), language),
		examples.length > 0 ? `${HEADINGS.examples[language]}:\n${examples.map((line) => `  ${line}`).join("\n")}` : "",
		name === "" ? (program.after?.[language] ?? "") : "",
	];
}

function describeProgram(program: Program, group: string, language: Language): string[] {
	const names = Object.keys(program.commands);
	const ofGroup = names.filter((name) => group !== "" && `${name} `.startsWith(`${group} `));
	const shown = ofGroup.length > 0 ? ofGroup : names;
	const rows = shown.map((name): Row => {
		const command = program.commands[name];
		return [[name, command?.takes].filter(Boolean).join(" "), command?.[language] ?? ""];
	});
	return [
		program[language],
		section("commands", rows, language),
		section("everywhere", toRows(readSignature(program.everywhere).options, program.means, language), language),
		program.after?.[language] ?? "",
	];
}

type Row = readonly [left: string, right: string];

function toRows(options: readonly Option[], means: Command["means"], language: Language): Row[] {
	return options.map((option) => [writeOption(option), means?.[option.name]?.[language] ?? ""]);
}

function writeOption({ name, short, value }: Option): string {
	return `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;
}

function section(heading: keyof typeof HEADINGS, rows: readonly Row[], language: Language): string {
	const width = Math.max(...rows.map(([left]) => left.length).filter((length) => length <= COLUMN_MAX), 0) + 2;
	const lines = rows.map(([left, right]) =>
		left.length <= COLUMN_MAX || right === ""
			? `  ${left.padEnd(width)}${right}`.trimEnd()
			: `  ${left}\n  ${" ".repeat(width)}${right}`,
	);
	return `${HEADINGS[heading][language]}:\n${lines.join("\n")}`;
}

/** Rows of a Markdown table: what is typed, and what it does. */
export function writeMarkdownRows(program: Program, language: Language): string[] {
	const cell = (text: string) => text.replaceAll("|", "\\|");
	return Object.entries(program.commands).map(([name, command]) => {
		const typed = [name === "" ? program.call : name, command.takes].filter(Boolean).join(" ");
		const text = name === "" ? program[language].replace(/\.$/, "") : command[language];
		return `| \`${cell(typed)}\` | ${cell(text)} |`;
	});
}

/** The shells that completion is written for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** A script that completes commands and their options in a shell. */
export function writeCompletion(program: Program, shell: Shell): string {
	const everywhere = readSignature(program.everywhere).options.map(({ name }) => `--${name}`);
	const firsts = [...new Set(Object.keys(program.commands).map((name) => name.split(" ")[0] ?? ""))];
	const after = new Map<string, string[]>();
	for (const [name, command] of Object.entries(program.commands)) {
		const words = name.split(" ");
		if (words.length > 1) after.set(words[0] ?? "", [...(after.get(words[0] ?? "") ?? []), words[1] ?? ""]);
		const { options, operands } = readSignature(command.takes);
		after.set(name, [
			...(after.get(name) ?? []),
			...(operands[0]?.choices ?? []),
			...options.map((option) => `--${option.name}`),
		]);
	}
	const { call } = program;
	if (shell === "fish") {
		const lines = [...after].flatMap(([name, words]) =>
			words.map(
				(word) => `complete -c ${call} -f -n "__fish_seen_subcommand_from ${name.split(" ").at(-1)}" -a "${word}"`,
			),
		);
		return [`complete -c ${call} -f -n __fish_use_subcommand -a "${firsts.join(" ")}"`, ...lines, ""].join("\n");
	}
	const cases = [...after].map(([name, words]) => `    "${name}") echo "${[...words, ...everywhere].join(" ")}" ;;`);
	const body = [
		`_${call}_words() {`,
		'  case "$1" in',
		`    "") echo "${firsts.join(" ")}" ;;`,
		...cases,
		"  esac",
		"}",
		`_${call}() {`,
		`  local before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}") words`,
		`  words=$(_${call}_words "\${before[*]:0:2}")`,
		`  [ -n "$words" ] || words=$(_${call}_words "\${before[0]}")`,
		`  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
		"}",
		`complete -o default -F _${call} ${call}`,
		"",
	];
	return [...(shell === "zsh" ? ["autoload -U +X bashcompinit && bashcompinit"] : []), ...body].join("\n");
}
