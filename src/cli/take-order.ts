/** The beginning of every program: help, version and misuse end it, an order is returned. */
import { type Args, readArguments, UsageError } from "./arguments";
import type { Language, Program } from "./command-table";
import { writeHelp } from "./help";

export const EXIT = {
	done: 0,
	/** By the service, or because something is not as it should be. */
	refused: 1,
	misuse: 2,
	credentials: 3,
	network: 4,
	/** By the authority. */
	rejected: 5,
	interrupted: 130,
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** The language of a command line: `--lang`, else that of the system; English unless it is Spanish. Source: POSIX.1-2017, 8.2. */
export function chooseLanguage(typed: readonly string[], env: Environment): Language {
	const at = typed.findIndex((word) => word === "--lang" || word.startsWith("--lang="));
	const asked = typed[at]?.split("=")[1] ?? typed[at + 1];
	const wanted = (at < 0 ? undefined : asked) ?? (env.LC_ALL || env.LC_MESSAGES || env.LANG || "");
	return wanted.startsWith("es") ? "es" : "en";
}

/** Reads the command line of a program. Prints help and exits with 0; prints one line for a misuse and exits with 2. */
export function takeOrder<Name extends string>(
	program: Program<Name>,
	typed: readonly string[] = process.argv.slice(2),
	version?: string,
): { readonly name: Name; readonly args: Args; readonly language: Language } {
	const language = chooseLanguage(typed, process.env);
	try {
		const read = readArguments(typed, program, language);
		if (read.kind === "run") return { name: read.name, args: read.args, language };
		process.stdout.write(read.kind === "help" ? writeHelp(program, read, language) : `${version ?? ""}\n`);
		process.exit(EXIT.done);
	} catch (error) {
		if (!(error instanceof UsageError)) throw error;
		console.error(error.message);
		process.exit(EXIT.misuse);
	}
}
