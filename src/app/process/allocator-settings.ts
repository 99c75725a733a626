/**
 * Makes the runtime's allocator keep freed memory for 20 seconds instead of a tenth of a second.
 *
 * By default it returns memory to the system and asks for it again when the next statement is built: some twenty page faults an invoice, 3 to 5 %
 * of its processor time. With 20 seconds a quarter of them is left, and the memory of a burst or a registry ingest still goes back. The second
 * setting covers pages that are only partly free. Keeping those for ever saves no measurable time, and hostile input then leaves half as much
 * memory again behind.
 *
 * The allocator reads its settings before any of our code runs. So the process replaces itself once, with the same process id, arguments,
 * environment and standard streams, which takes some milliseconds. It does not do so:
 *
 *   if one of the settings is in the environment      the operator has chosen
 *   if a file is named by its descriptor              `KEK_FILE=/dev/fd/63` of a shell's `<(…)`: other open files end with the old program
 *   if a parent uses an IPC channel                   the channel ends with the old program
 *   on other systems than Linux                       not measured there
 */
import { readFileSync } from "node:fs";

type Settings = Readonly<Record<string, string>>;

const SETTINGS: Settings = { MIMALLOC_PURGE_DELAY: "20000", MIMALLOC_PURGE_HOLES_MIN_INTERVAL: "20000" };
const names = Object.keys(SETTINGS);

/** Replaces the process if needed. Call it before anything is opened or started. */
export function applyAllocatorSettings(): void {
	if (process.platform !== "linux" || process.connected) return;
	try {
		const environment = readEnvironment();
		const isOpenFile = (value: string) => /^\/(dev|proc\/self)\/fd\//.test(value);
		if (names.some((name) => name in environment) || Object.values(environment).some(isOpenFile)) return;
		const command = [process.execPath, ...withoutFolder(process.execArgv), ...process.argv.slice(1)];
		process.execve?.(process.execPath, command, { ...environment, ...chooseSettings() });
	} catch (error) {
		console.error(JSON.stringify({ msg: "allocator settings could not be applied", reason: String(error) }));
	}
}

/** The environment that the process was started with. The runtime adds `.env` later, which the allocator cannot see. Source: proc(5). */
function readEnvironment(): Settings {
	const entries = readFileSync("/proc/self/environ", "utf8").split("\0").filter(Boolean);
	return Object.fromEntries(
		entries.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
	);
}

/** The settings of `.env` if it has any, else ours. */
function chooseSettings(): Settings {
	const own = names.flatMap((name) =>
		process.env[name] === undefined ? [] : [[name, process.env[name] ?? ""] as const],
	);
	return own.length > 0 ? Object.fromEntries(own) : SETTINGS;
}

/** Drops `--cwd`: the process is in that folder already, and a relative one would be resolved again. */
function withoutFolder(args: readonly string[]): string[] {
	return args.filter((arg, i) => !/^--cwd(=|$)/.test(arg) && args[i - 1] !== "--cwd");
}
