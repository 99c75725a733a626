/** PgBouncer, if it is installed, in transaction mode before a server of the tests. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectSocket } from "node:net";
import { join } from "node:path";
import { until } from "./until";

export type Pooler = {
	/** The given address, through the pooler. */
	readonly url: string;
	readonly stop: () => Promise<void>;
};

export const POOLER_MISSING = "PgBouncer is not installed, so the service is not tried behind a pooler";

export function findPooler(): string | undefined {
	return Bun.which("pgbouncer") ?? Bun.which("/usr/sbin/pgbouncer") ?? undefined;
}

/** Throws an Error when the program is missing or does not listen. */
export async function startPooler(direct: string, serverConnections: number): Promise<Pooler> {
	const program = findPooler();
	if (program === undefined) throw new Error(POOLER_MISSING);
	const { hostname, port, username, password } = new URL(direct);
	const folder = mkdtempSync("/tmp/sello-pooler-");
	const own = await findFreePort();
	writeFileSync(join(folder, "users"), `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`);
	const settings = {
		...{ listen_addr: "127.0.0.1", listen_port: own, unix_socket_dir: "", auth_type: "trust" },
		...{ auth_file: join(folder, "users"), pool_mode: "transaction", default_pool_size: serverConnections },
		...{ max_client_conn: 1_000, server_lifetime: 3_600, log_connections: 0, log_disconnections: 0 },
		// It does not run as root.
		...(process.getuid?.() === 0 ? { user: "daemon" } : {}),
	};
	const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
	const database = `* = host=${hostname} port=${port}`;
	writeFileSync(join(folder, "ini"), ["[databases]", database, "[pgbouncer]", ...lines, ""].join("\n"));
	await Bun.$`chmod -R a+rX ${folder}`.quiet();
	const child = Bun.spawn([program, "-q", join(folder, "ini")], { stdio: ["ignore", "ignore", "ignore"] });
	await until(() => isListening(own), 10_000);
	const url = new URL(direct);
	url.hostname = "127.0.0.1";
	url.port = String(own);
	return {
		url: url.href,
		stop: async () => {
			child.kill("SIGKILL");
			await child.exited;
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

async function findFreePort(): Promise<number> {
	const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
	const { port } = listener;
	listener.stop(true);
	return port;
}

function isListening(port: number): Promise<boolean> {
	return new Promise((answer) => {
		const socket = connectSocket(port, "127.0.0.1", () => {
			socket.destroy();
			answer(true);
		});
		socket.on("error", () => answer(false));
	});
}
