/** A separate PostgreSQL for a run that can be restarted in two modes and changes its port each time. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/platform/database";

/** `fast` writes everything to disk first; `immediate` makes the server recover from its log, as after a power failure. */
export type RestartMode = "fast" | "immediate";

export type RestartablePostgres = {
	/** Its current address. */
	readonly url: () => string;
	readonly port: () => number;
	/** Stops it and starts it again on its files. Returns the milliseconds without a server. */
	readonly restart: (mode: RestartMode) => Promise<number>;
	readonly stop: () => Promise<void>;
};

/** Killed services leave their connections open for a while. */
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
			// The server's own `stop` waits for the exit; the second signal does not shorten it.
			await server.stop();
			server = await startEmbeddedPostgres(dataDir, { connections: CONNECTIONS });
			return Math.round(performance.now() - from);
		},
		stop: () => server.stop(),
	};
}
