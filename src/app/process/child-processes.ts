/**
 * Child processes that serve HTTP on the same port. The first process starts, replaces and stops them. It also collects their metrics over the
 * IPC channel, because the metrics port has one owner and their requests are counted nowhere else.
 */
import { withTimeout } from "../../platform/concurrency";
import { createKeptShares, type Log, type MetricsShare, writeLine } from "../../platform/telemetry";
import { RETIRE } from "./former-process";
import { CHILD_FLAG } from "./process";

export type ChildProcesses = {
	/** Metrics of all children, including those that were lost. */
	readonly metrics: () => Promise<MetricsShare[]>;
	/** Idempotent: each child gets one signal, since it treats a second one as an order to exit at once. */
	readonly stop: (why?: "stopped" | "retired") => Promise<void>;
};

const RESTART_PAUSE_MS = 1_000;
/**
 * A child that has not exited by then ignores signals (it is suspended or loops) and would keep the port. Its requests have had their time, and this
 * process is still there to kill it.
 */
const EXIT_TIMEOUT_MS = 7_000;
/** What a retired one gets beyond that. */
const RETIRING_MS = 3_000;
const METRICS_TIMEOUT_MS = 1_000;

/**
 * Starts `count` children and resolves when all are ready. `entry` is the path of the program. `settings` are the environment variables that make a
 * child part of this service: role, database, authority, key, port. Stops them and throws when `signal` aborts or a child does not become ready.
 */
export async function startChildProcesses(
	count: number,
	{ entry, settings }: { readonly entry: string; readonly settings: ChildSettings },
	log: Log,
	signal: AbortSignal,
): Promise<ChildProcesses> {
	const children = new Set<Bun.Subprocess>();
	const ready = new Set<Bun.Subprocess>();
	const requests = createMetricsRequests();
	const shares = createKeptShares(requests.send);
	let stopping = false;
	let stopped: Promise<unknown> | undefined;

	async function startOne(): Promise<void> {
		const child = Bun.spawn([process.execPath, entry, CHILD_FLAG], {
			// The metrics listener stays with the first process: a port has one owner.
			env: { ...process.env, ...settings, PROCESSES: "1", REUSE_PORT: "1", METRICS_PORT: "" },
			stdout: "pipe",
			stderr: "inherit",
			serialization: "json",
			ipc: requests.receive,
		});
		children.add(child);
		void child.exited.then((code) => {
			children.delete(child);
			if (ready.delete(child)) shares.leave(child);
			if (stopping) return;
			log.error({ event: "child-process.lost", pid: child.pid, code }, "child process exited; starting another one");
			setTimeout(() => {
				if (stopping) return;
				startOne().catch((err) =>
					log.error({ event: "child-process.restart_failed", err }, "child process not replaced"),
				);
			}, RESTART_PAUSE_MS);
		});
		await forwardOutput(child.stdout);
		ready.add(child);
	}

	async function stop(why: "stopped" | "retired" = "stopped"): Promise<void> {
		const isRetired = why === "retired";
		stopping = true;
		stopped ??= Promise.all(
			[...children].map((child) => {
				// A child that is not ready serves no request, and what keeps it from becoming ready may keep it from exiting.
				child.kill(ready.has(child) ? (isRetired ? RETIRE : "SIGTERM") : "SIGKILL");
				const killAfterMs = EXIT_TIMEOUT_MS + (isRetired ? RETIRING_MS : 0);
				const timer = setTimeout(() => {
					log.warn({ event: "child-process.killed", pid: child.pid }, "child process did not exit in time; killing it");
					child.kill("SIGKILL");
				}, killAfterMs);
				return child.exited.finally(() => clearTimeout(timer));
			}),
		);
		await stopped;
	}

	const onAbort = () => void stop();
	signal.addEventListener("abort", onAbort);
	try {
		for (let i = 0; i < count; i++) {
			signal.throwIfAborted();
			await startOne();
		}
		signal.throwIfAborted();
	} catch (error) {
		// Children that are up serve on the port, and the database below them is about to stop.
		await stop();
		throw error;
	} finally {
		signal.removeEventListener("abort", onAbort);
	}
	return { metrics: () => shares.collect(ready), stop };
}

export type ChildSettings = Readonly<Record<string, string>> & { readonly ROLE: "api" | "registry" | "edge" };

type MetricsRequest = { readonly id: number };
type MetricsResponse = MetricsRequest & { readonly share: MetricsShare };

/** The first process's side of the channel. */
function createMetricsRequests() {
	const pending = new Map<number, (share: MetricsShare) => void>();
	let nextId = 1;
	return {
		receive({ id, share }: MetricsResponse): void {
			pending.get(id)?.(share);
		},
		/** Undefined for a child that is too busy or has exited. */
		async send(child: Pick<Bun.Subprocess, "send">): Promise<MetricsShare | undefined> {
			const id = nextId++;
			const response = Promise.withResolvers<MetricsShare>();
			pending.set(id, response.resolve);
			try {
				child.send({ id } satisfies MetricsRequest);
				return await withTimeout(response.promise, METRICS_TIMEOUT_MS, () => undefined);
			} catch {
				return undefined;
			} finally {
				pending.delete(id);
			}
		},
	};
}

export function answerMetricsRequests(count: () => Promise<MetricsShare>): void {
	process.on("message", ({ id }: MetricsRequest) => {
		void count().then((share) => process.send?.({ id, share } satisfies MetricsResponse));
	});
}

/** Copies a child's lines to our output, except its ready line: only the whole service is ready. Resolves at that line. */
async function forwardOutput(output: ReadableStream<Uint8Array>): Promise<void> {
	const lines = readLines(output);
	for (;;) {
		const { value: line, done } = await lines.next();
		if (done) throw new Error("a child process exited before it was ready");
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
