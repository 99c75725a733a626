/** Further HTTP processes on the same port: children of the first one, which starts, replaces and stops them. */
import type { Log } from "./telemetry";

/** `stop` may be called again: each is told once, since a second signal means that somebody will not wait. */
type HttpProcesses = { readonly stop: () => Promise<void> };

const RESTART_PAUSE_MS = 1_000;

/**
 * Starts `count` children; resolves when each is ready. `settings` are the environment variables that make a child part of
 * this service: role, database, authority, key, port.
 */
export async function startHttpProcesses(
	count: number,
	settings: Readonly<Record<string, string>> & { readonly ROLE: "api" | "registry" },
	log: Log,
): Promise<HttpProcesses> {
	const children = new Set<Bun.Subprocess>();
	let stopping = false;
	let ended: Promise<unknown> | undefined;

	async function startOne(): Promise<void> {
		const child = Bun.spawn([process.execPath, new URL("./main.ts", import.meta.url).pathname, "--further"], {
			// The metrics listener stays the first process's: a port has one owner.
			env: { ...process.env, ...settings, PROCESSES: "1", REUSE_PORT: "1", METRICS_PORT: "" },
			stdout: "pipe",
			stderr: "inherit",
		});
		children.add(child);
		void child.exited.then((code) => {
			children.delete(child);
			if (stopping) return;
			log.error({ pid: child.pid, code }, "an HTTP process was lost and is replaced");
			setTimeout(() => {
				if (!stopping) startOne().catch((error) => log.error({ err: error }, "an HTTP process could not be replaced"));
			}, RESTART_PAUSE_MS);
		});
		await passOutputOn(child.stdout);
	}

	async function stop(): Promise<void> {
		stopping = true;
		ended ??= Promise.all(
			[...children].map((child) => {
				child.kill("SIGTERM");
				return child.exited;
			}),
		);
		await ended;
	}

	try {
		for (let i = 0; i < count; i++) await startOne();
	} catch (error) {
		// Those that are up serve on the port, and what they stand on is about to be stopped.
		await stop();
		throw error;
	}
	return { stop };
}

/** Copies a child's lines to our own output, all but its ready line: only the whole service is ready. Resolves at that line. */
async function passOutputOn(output: ReadableStream<Uint8Array>): Promise<void> {
	const lines = readLines(output);
	for (;;) {
		const { value: line, done } = await lines.next();
		if (done) throw new Error("an HTTP process ended before it was ready");
		if (line.includes('"msg":"ready"')) break;
		process.stdout.write(`${line}\n`);
	}
	void (async () => {
		for await (const line of lines) process.stdout.write(`${line}\n`);
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
