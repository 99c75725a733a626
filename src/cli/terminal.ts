/** What a command prints, and what it asks. Colour, progress and questions are for terminals alone. */
import { createInterface } from "node:readline/promises";
import type { Language } from "./command-table";

const STYLES = { bold: 1, red: 31, green: 32, yellow: 33, dim: 2 } as const;
export type Style = keyof typeof STYLES;

export type Terminal = {
	readonly language: Language;
	readonly isJson: boolean;
	readonly isInteractive: boolean;
	/** The text of the chosen language. */
	readonly t: (en: string, es: string) => string;
	readonly paint: (style: Style, text: string) => string;
	/** A line of the result. */
	readonly print: (line: string) => void;
	/** A line beside the result, to the error stream. */
	readonly note: (line: string) => void;
	/** A line that the next one replaces; nothing without a terminal. */
	readonly progress: (line: string) => void;
	/** Columns of equal width. */
	readonly table: (rows: readonly (readonly string[])[]) => string[];
	readonly ask: (question: string, isSecret?: boolean) => Promise<string>;
};

/** The terminal of this process. Source for NO_COLOR: no-color.org. */
export function openTerminal(language: Language, isJson: boolean): Terminal {
	const { env, stdin, stdout, stderr } = process;
	const isColoured = stdout.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb" && !isJson;
	let isProgressShown = false;
	const clear = () => {
		if (isProgressShown) stderr.write("\r\u001b[2K");
		isProgressShown = false;
	};
	return {
		...{ language, isJson, isInteractive: stdin.isTTY === true && stderr.isTTY === true },
		t: (en, es) => (language === "es" ? es : en),
		paint: (style, text) => (isColoured ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text),
		print: (line) => {
			clear();
			stdout.write(`${isJson ? line : toPlain(line, isColoured)}\n`);
		},
		note: (line) => {
			clear();
			stderr.write(`${toPlain(line, false)}\n`);
		},
		progress: (line) => {
			if (stderr.isTTY !== true || isJson) return;
			clear();
			stderr.write(toPlain(line, false));
			isProgressShown = true;
		},
		table: (rows) => {
			const widths = rows.reduce<number[]>((all, row) => {
				row.forEach((cell, i) => {
					all[i] = Math.max(all[i] ?? 0, [...cell].length);
				});
				return all;
			}, []);
			const pad = (cell: string, i: number) => cell + " ".repeat((widths[i] ?? 0) - [...cell].length);
			return rows.map((row) => row.map(pad).join("  ").trimEnd());
		},
		ask: (question, isSecret = false) => askOn(question, isSecret),
	};
}

/** Texts of third parties must not steer the terminal; colours stay. */
function toPlain(line: string, keepsColour: boolean): string {
	const colour = keepsColour ? /\p{Cc}\[\d{1,2}m|([\p{Cc}\p{Cf}\p{Zl}\p{Zp}])/gu : /([\p{Cc}\p{Cf}\p{Zl}\p{Zp}])/gu;
	return line
		.split("\n")
		.map((part) =>
			part.replace(colour, (found: string, odd: string | undefined) => (odd === undefined ? found : "\uFFFD")),
		)
		.join("\n");
}

async function askOn(question: string, isSecret: boolean): Promise<string> {
	const prompt = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
	if (isSecret) {
		// What is typed is not shown.
		const write = process.stderr.write.bind(process.stderr);
		process.stderr.write(question);
		process.stderr.write = ((text: string | Uint8Array) =>
			/^[\r\n]+$/.test(String(text)) ? write(text) : true) as typeof process.stderr.write;
		try {
			return (await prompt.question("")).trim();
		} finally {
			process.stderr.write = write;
			prompt.close();
			process.stderr.write("\n");
		}
	}
	try {
		return (await prompt.question(question)).trim();
	} finally {
		prompt.close();
	}
}
