/**
 * The runtime's allocator gives memory back to the system a tenth of a second after it has become free, and asks for it anew when
 * the next statement is put together: some twenty page faults an invoice, 3 to 5 % of its processor time (`bench/tried.md`). Told
 * to wait for 20 seconds it has a quarter of them, and what a burst or a registry ingest needed still goes back.
 *
 * The second setting is for pages of which only a part is free. Never to give such parts back has fewer faults still and gains no time that could
 * be told; but hostile input then leaves half as much again behind.
 *
 * It reads its settings when the process begins, before any code of ours. So the process replaces itself once, with the same number,
 * arguments, environment and standard streams; that takes some milliseconds. It does not:
 *
 *   where one of them is in the environment already      whoever set it is left alone
 *   where a file is named that is open by number only    as `KEK_FILE=/dev/fd/63` is by a shell's `<(…)`: other open files end with the old program
 *   where a parent talks over a channel of its own       so does that
 *   elsewhere than on Linux                              never measured there
 */
import { readFileSync } from "node:fs";

type Settings = Readonly<Record<string, string>>;

const SETTINGS: Settings = { MIMALLOC_PURGE_DELAY: "20000", MIMALLOC_PURGE_HOLES_MIN_INTERVAL: "20000" };
const names = Object.keys(SETTINGS);

/** Call it before anything is opened or started. */
export function holdFreedMemory(): void {
	if (process.platform !== "linux" || process.connected) return;
	try {
		const environment = readEnvironment();
		const isOpenFile = (value: string) => /^\/(dev|proc\/self)\/fd\//.test(value);
		if (names.some((name) => name in environment) || Object.values(environment).some(isOpenFile)) return;
		const command = [process.execPath, ...withoutFolder(process.execArgv), ...process.argv.slice(1)];
		process.execve?.(process.execPath, command, { ...environment, ...choose() });
	} catch (error) {
		console.error(JSON.stringify({ msg: "freed memory is not held", reason: String(error) }));
	}
}

/** What the process was given: the runtime has since added what stands in `.env`, of which its allocator knows nothing. Source: proc(5). */
function readEnvironment(): Settings {
	const entries = readFileSync("/proc/self/environ", "utf8").split("\0").filter(Boolean);
	return Object.fromEntries(
		entries.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
	);
}

/** Ours, unless `.env` has its own. */
function choose(): Settings {
	const own = names.flatMap((name) =>
		process.env[name] === undefined ? [] : [[name, process.env[name] ?? ""] as const],
	);
	return own.length > 0 ? Object.fromEntries(own) : SETTINGS;
}

/** The process is in that folder already, and a relative one would be looked for in itself. */
function withoutFolder(words: readonly string[]): string[] {
	return words.filter((word, at) => !/^--cwd(=|$)/.test(word) && words[at - 1] !== "--cwd");
}
