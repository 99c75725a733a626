/** A PostgreSQL of the run's own that can be restarted the gentle way and the hard way, and moves to another port each time. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/platform/database";

/** `fast` lets the server write everything down; `immediate` lets it recover from its log, as after a power failure. */
export type RestartMode = "fast" | "immediate";

export type RestartablePostgres = {
	/** Its address now. */
	readonly url: () => string;
	readonly port: () => number;
	/** Stops it, then starts it again on its files. Units of the answer: milliseconds without a server. */
	readonly restart: (mode: RestartMode) => Promise<number>;
	readonly stop: () => Promise<void>;
};

/** Services that are killed and started leave theirs for a while. */
const CONNECTIONS = 400;

const SIGNALS = { fast: "SIGINT", immediate: "SIGQUIT" } as const;

export async function startPostgres(folder: string): Promise<RestartablePostgres> {
	const dataDir = join(folder, "database");
	mkdirSync(dataDir);
	let server: EmbeddedPostgres = await startEmbeddedPostgres(dataDir, { connections: CONNECTIONS });
	return {
		url: () => server.url,
		port: () => Number(new URL(server.url).port),
		async restart(mode) {
			const from = performance.now();
			process.kill(server.pid, SIGNALS[mode]);
			// Its own `stop` waits for the end, which the second signal cannot hasten.
			await server.stop();
			server = await startEmbeddedPostgres(dataDir, { connections: CONNECTIONS });
			return Math.round(performance.now() - from);
		},
		stop: () => server.stop(),
	};
}
