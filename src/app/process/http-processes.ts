/** Further HTTP processes on the same port: children of the first one, which starts, replaces and stops them. */

import { createKeptShares, type Log, type MetricsShare, writeLine } from "../../platform/telemetry";
import { createShareQuestions } from "../metrics/cross-process";

export type HttpProcesses = {
	/** What they have counted, those too that were lost. */
	readonly metrics: () => Promise<MetricsShare[]>;
	/** May be called again: each is told once, since a second signal means that somebody will not wait. */
	readonly stop: () => Promise<void>;
};

const RESTART_PAUSE_MS = 1_000;
/**
 * One that has not ended by then hears nothing (it was stopped, or turns in a circle) and would keep the port from whoever starts next. Its requests
 * have had their time, and this process is still there to end it.
 */
const END_MS = 7_000;

/**
 * Starts `count` children; resolves when each is ready. `settings` are the environment variables that make a child part of
 * this service: role, database, authority, key, port. Once it is `unwanted`, nobody waits for those that are not ready, and it throws.
 */
export async function startHttpProcesses(
	count: number,
	settings: Readonly<Record<string, string>> & { readonly ROLE: "api" | "registry" },
	log: Log,
	unwanted: AbortSignal,
): Promise<HttpProcesses> {
	const children = new Set<Bun.Subprocess>();
	const ready = new Set<Bun.Subprocess>();
	const questions = createShareQuestions();
	const shares = createKeptShares(questions.ask);
	let stopping = false;
	let ended: Promise<unknown> | undefined;

	async function startOne(): Promise<void> {
		const child = Bun.spawn([process.execPath, new URL("../../main.ts", import.meta.url).pathname, "--further"], {
			// The metrics listener stays the first process's: a port has one owner.
			env: { ...process.env, ...settings, PROCESSES: "1", REUSE_PORT: "1", METRICS_PORT: "" },
			stdout: "pipe",
			stderr: "inherit",
			serialization: "json",
			ipc: questions.hear,
		});
		children.add(child);
		void child.exited.then((code) => {
			children.delete(child);
			if (ready.delete(child)) shares.leave(child);
			if (stopping) return;
			log.error({ pid: child.pid, code }, "an HTTP process was lost and is replaced");
			setTimeout(() => {
				if (!stopping) startOne().catch((error) => log.error({ err: error }, "an HTTP process could not be replaced"));
			}, RESTART_PAUSE_MS);
		});
		await passOutputOn(child.stdout);
		ready.add(child);
	}

	async function stop(): Promise<void> {
		stopping = true;
		ended ??= Promise.all(
			[...children].map((child) => {
				// One that is not ready has nobody's request, and what keeps it from that may keep it from ending as well.
				child.kill(ready.has(child) ? "SIGTERM" : "SIGKILL");
				const timer = setTimeout(() => {
					log.warn({ pid: child.pid }, "an HTTP process did not end in time and is killed");
					child.kill("SIGKILL");
				}, END_MS);
				return child.exited.finally(() => clearTimeout(timer));
			}),
		);
		await ended;
	}

	const giveUp = () => void stop();
	unwanted.addEventListener("abort", giveUp);
	try {
		for (let i = 0; i < count; i++) {
			unwanted.throwIfAborted();
			await startOne();
		}
		unwanted.throwIfAborted();
	} catch (error) {
		// Those that are up serve on the port, and what they stand on is about to be stopped.
		await stop();
		throw error;
	} finally {
		unwanted.removeEventListener("abort", giveUp);
	}
	return { metrics: () => shares.collect(ready), stop };
}

/** Copies a child's lines to our own output, all but its ready line: only the whole service is ready. Resolves at that line. */
async function passOutputOn(output: ReadableStream<Uint8Array>): Promise<void> {
	const lines = readLines(output);
	for (;;) {
		const { value: line, done } = await lines.next();
		if (done) throw new Error("an HTTP process ended before it was ready");
		if (line.includes('"msg":"ready"')) break;
		writeLine(`${line}\n`);
	}
	void (async () => {
		for await (const line of lines) writeLine(`${line}\n`);
	})();
}

async function* readLines(output: ReadableStream<Uint8Array>): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	let rest = "";
	for await (const chunk of output) {
		const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
		rest = lines.pop() ?? "";
		yield* lines;
	}
	if (rest) yield rest;
}
