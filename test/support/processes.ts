/**
 * The programs under test as real processes: the service and the authority's simulator, each started from its own entry file. Their
 * environment inherits only what is needed to find programs, so that a developer's settings do not affect a run.
 */
import { randomInt } from "node:crypto";
import { appendFileSync, closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

export const ROOT = join(import.meta.dir, "../..");
const START_TIMEOUT_MS = 120_000;
const LINES_SHOWN = 10;
/** Below the ports that Linux assigns by itself, from 32,768 on. */
const [PORTS_FROM, PORTS_TO] = [10_000, 32_768];
const PORT_TRIES = 50;

export type Program = {
	readonly pid: number;
	/** Its address, from its ready line. Throws a StartError when it ends before that. */
	readonly ready: Promise<string>;
	/** Sends a signal; no effect on a program that has ended. */
	readonly kill: (signal: "SIGKILL" | "SIGTERM" | "SIGSTOP" | "SIGCONT") => void;
	/** Exit code, or the signal's name when one ended it. */
	readonly ended: Promise<number | string>;
	readonly hasEnded: () => boolean;
};

/** The program ended before it was ready. */
class StartError extends Error {
	constructor(
		readonly entry: string,
		readonly ending: number | string,
		logPath: string,
	) {
		super(`${entry} ended with ${ending} before it was ready; the last that it said, in ${logPath}:\n${tail(logPath)}`);
		this.name = "StartError";
	}
}

/** Starts a program and kills it when it is not ready in time. All its output goes to `logPath`. */
export function startProgram(
	entry: string,
	settings: Readonly<Record<string, string>>,
	logPath: string,
	args: readonly string[] = [],
): Program {
	const child = Bun.spawn([process.execPath, entry, ...args], {
		cwd: ROOT,
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...settings },
	});
	const timer = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
	const ended = child.exited.then(() => child.signalCode ?? child.exitCode ?? "unknown");
	const ready = Promise.withResolvers<string>();
	// Callers that await `ready` get the error; the others must not fail on it.
	ready.promise.catch(() => undefined);
	void keepLines(child.stderr, logPath, () => undefined);
	void keepLines(child.stdout, logPath, (line) => {
		if (!line.includes('"msg":"ready"')) return;
		clearTimeout(timer);
		ready.resolve((JSON.parse(line) as { url: string }).url);
	});
	void ended.then((ending) => {
		clearTimeout(timer);
		ready.reject(new StartError(entry, ending, logPath));
	});
	return {
		pid: child.pid,
		ready: ready.promise,
		kill: (signal) => child.kill(signal),
		ended,
		hasEnded: () => child.exitCode !== null || child.signalCode !== null,
	};
}

export function startService(
	settings: Readonly<Record<string, string>>,
	logPath: string,
	args: readonly string[] = [],
): Program {
	return startProgram("src/main.ts", settings, logPath, args);
}

/** The authority's simulator with its own file, so that it keeps what the service may lose. */
export function startSimulator(folder: string, delayMs: number): Program {
	return startProgram(
		"src/simulator/main.ts",
		{ PORT: "0", SIMULATOR_DATA: join(folder, "simulator.sqlite"), SIMULATOR_DELAY_MS: String(delayMs) },
		join(folder, "simulator.log"),
	);
}

/** Runs an operator's command against a data directory or database and reads its one JSON document. */
export async function runAdmin(args: readonly string[], settings: Readonly<Record<string, string>>): Promise<unknown> {
	const child = Bun.spawn([process.execPath, "scripts/admin.ts", ...args, "--json"], {
		cwd: ROOT,
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...settings },
	});
	const [output, complaint] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	if ((await child.exited) !== 0) throw new Error(`admin ${args.join(" ")} failed: ${output}${complaint}`);
	return JSON.parse(output);
}

/**
 * A port that was free a moment ago. A restarted service must come back at the address that its tokens name, so the port lies outside the
 * range that Linux assigns by itself, and is unlikely to be taken while the service is down.
 */
export async function findFreePort(): Promise<number> {
	let refused: unknown;
	for (let tries = 0; tries < PORT_TRIES; tries++) {
		const port = randomInt(PORTS_FROM, PORTS_TO);
		refused = await tryToListen(port);
		if (refused === undefined) return port;
	}
	throw new Error(`no port between ${PORTS_FROM} and ${PORTS_TO} can be listened on`, { cause: refused });
}

/** Why a listener cannot use the port; undefined when it can. */
async function tryToListen(port: number): Promise<unknown> {
	const server = createServer();
	const refused = await new Promise<unknown>((resolve) => {
		server.once("error", resolve);
		server.listen(port, "127.0.0.1", () => resolve(undefined));
	});
	if (refused === undefined) await new Promise((closed) => server.close(closed));
	return refused;
}

function tail(path: string): string {
	return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").slice(-LINES_SHOWN).join("\n") : "nothing";
}

async function keepLines(
	output: ReadableStream<Uint8Array>,
	logPath: string,
	heard: (line: string) => void,
): Promise<void> {
	const decoder = new TextDecoder();
	// Kept open: children of a program that has ended may still write when the folder is gone.
	const file = openSync(logPath, "a");
	let rest = "";
	for await (const chunk of output) {
		const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) {
			appendFileSync(file, `${line}\n`);
			heard(line);
		}
	}
	if (rest) appendFileSync(file, `${rest}\n`);
	closeSync(file);
}
