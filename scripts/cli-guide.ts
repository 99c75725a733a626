/**
 * Writes the tables of commands into the guide `cli`, from the tables that the programs parse by.
 *
 *     bun scripts/cli-guide.ts           writes both languages
 *     bun scripts/cli-guide.ts --check   fails if one is not current
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Language, OPERATOR_PROGRAMS, SELLO, writeMarkdownRows } from "../src/cli";

/** The sections whose content is generated, up to the next heading. */
const HEADINGS = {
	en: { commands: "All commands", operator: "In a clone of the service", head: "| command | does |" },
	es: { commands: "Todos los comandos", operator: "En un clon del servicio", head: "| comando | hace |" },
} as const satisfies Record<Language, object>;

/** The guide with current tables. Throws: Error if a heading is missing. */
export function updateGuide(markdown: string, language: Language): string {
	const { commands, operator, head } = HEADINGS[language];
	const table = (rows: readonly string[]) => [head, "|---|---|", ...rows].join("\n");
	const operatorRows = OPERATOR_PROGRAMS.flatMap((program) => {
		const prefix = "" in program.commands ? "" : `${program.call} `;
		return writeMarkdownRows(program, language).map((row) => row.replace("| `", `| \`${prefix}`));
	});
	const updated = fill(markdown, commands, table(writeMarkdownRows(SELLO, language)));
	return fill(updated, operator, table(operatorRows));
}

function fill(markdown: string, heading: string, content: string): string {
	const start = markdown.indexOf(`## ${heading}\n`);
	if (start < 0) throw new Error(`the guide has no heading ${heading}`);
	const from = start + heading.length + 4;
	const next = markdown.indexOf("\n## ", from);
	return `${markdown.slice(0, from)}\n${content}\n${next < 0 ? "" : markdown.slice(next)}`;
}

if (import.meta.main) {
	for (const language of ["en", "es"] as const) {
		const file = join(import.meta.dir, `../data/docs/${language}/cli.md`);
		const [text, updated] = [readFileSync(file, "utf8"), updateGuide(readFileSync(file, "utf8"), language)];
		if (text === updated) continue;
		if (process.argv.includes("--check")) {
			console.log(`${file} is not current: bun scripts/cli-guide.ts`);
			process.exitCode = 1;
		} else writeFileSync(file, updated);
	}
}
