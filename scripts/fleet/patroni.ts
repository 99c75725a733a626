/**
 * PostgreSQL under Patroni with one etcd: what a fleet's database is in production, on loopback.
 *
 *   member-1: patroni ── postgres (primary)  ─┐
 *   member-2: patroni ── postgres (standby) ◀─┴─ streams          etcd holds who leads
 *
 * Model: a member is a machine. Killing it kills its Patroni and every process of its PostgreSQL at once, and the leader's key runs out in etcd.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { connect, type Sql } from "../../src/platform/database";
import { findFreePort } from "../../test/support/processes";
import { until } from "../../test/support/until";
import {
	killAll,
	listWithin,
	makeOpenFolder,
	type Package,
	POSTGRES_15,
	type Started,
	startUnprivileged,
} from "./programs";

export const PATRONI_PACKAGES: readonly Package[] = ["patroni", "etcd-server", "postgresql-15"];

export type Cluster = {
	/** One address with all members, of the service's own login. */
	readonly url: string;
	/** The same, of the superuser. */
	readonly ownerUrl: string;
	/** The member that leads. */
	readonly leader: () => Promise<Member>;
	readonly standbys: () => Promise<readonly Member[]>;
	/** Kills the leader's machine. Returns the milliseconds until another member accepts writes. */
	readonly killLeader: () => Promise<number>;
	/** Starts the members that were killed; resolves when each standby streams, and one is synchronous if the cluster is. */
	readonly mend: () => Promise<void>;
	readonly stop: () => Promise<void>;
};

export type Member = {
	readonly name: string;
	readonly url: string;
	/** Process ids of its PostgreSQL. */
	readonly listProcesses: () => readonly number[];
};

type OwnMember = Member & {
	readonly rest: string;
	readonly start: () => void;
	readonly kill: () => Promise<void>;
	readonly isRunning: () => boolean;
};

export type ClusterOptions = { readonly isSynchronous: boolean; readonly members?: number };

/** Units: seconds. The shortest with which a busy machine does not lose its leader for no reason. */
const LEADER_TTL = 5;
const LOGIN = "sello_app";
const WITHIN_MS = 90_000;
const LOOK_EVERY_MS = 100;

export async function startCluster(
	folder: string,
	{ isSynchronous, members: size = 2 }: ClusterOptions,
): Promise<Cluster> {
	const [client, peer] = [await findFreePort(), await findFreePort()];
	const etcdFolder = makeOpenFolder(join(folder, "etcd"));
	const etcdUrl = `http://127.0.0.1:${client}`;
	const etcd = startUnprivileged(etcdFolder, "etcd", [
		...["etcd", "--name", "one", "--data-dir", join(etcdFolder, "data"), "--unsafe-no-fsync"],
		...["--listen-client-urls", etcdUrl, "--advertise-client-urls", etcdUrl],
		...["--listen-peer-urls", `http://127.0.0.1:${peer}`, "--initial-advertise-peer-urls", `http://127.0.0.1:${peer}`],
		...["--initial-cluster", `one=http://127.0.0.1:${peer}`],
	]);
	const members: OwnMember[] = [];
	for (let n = 1; n <= size; n++) members.push(await createMember(folder, `member${n}`, client, isSynchronous));
	const hosts = members.map(({ url }) => new URL(url).host).join(",");
	const toUrl = (login: string) => `postgres://${login}@${hosts}/postgres`;

	const findLeader = async (): Promise<OwnMember | undefined> => {
		for (const member of members) if (member.isRunning() && (await askRole(member)) === "primary") return member;
		return undefined;
	};
	const leader = async () => {
		for (const deadline = performance.now() + WITHIN_MS; ; await Bun.sleep(LOOK_EVERY_MS)) {
			const found = await findLeader();
			if (found) return found;
			if (performance.now() > deadline) throw new Error("no member leads");
		}
	};
	const untilWhole = () =>
		until(
			async () => {
				const found = await findLeader();
				if (!found) return false;
				const states = await ask(
					found.url,
					(sql) => sql<{ state: string }[]>`
				select sync_state as state from pg_stat_replication where state = 'streaming' and application_name like 'member%'`,
				);
				if (states?.length !== size - 1) return false;
				if (!isSynchronous) return true;
				// Patroni promotes only a member that etcd names as synchronous.
				return states.some(({ state }) => state === "sync") && (await namesSynchronous(found));
			},
			WITHIN_MS,
			LOOK_EVERY_MS,
		);
	members[0]?.start();
	await ask((await leader()).url, (sql) =>
		sql.unsafe(`create role ${LOGIN} login; grant pg_read_all_stats to ${LOGIN}`),
	);
	for (const member of members.slice(1)) member.start();
	await untilWhole();
	return {
		...{ url: toUrl(LOGIN), ownerUrl: toUrl("postgres"), leader },
		standbys: async () => {
			const current = await leader();
			return members.filter((member) => member !== current);
		},
		async killLeader() {
			const former = await leader();
			const from = performance.now();
			await former.kill();
			await until(
				async () => {
					for (const member of members.filter((one) => one !== former))
						if ((await ask(member.url, (sql) => sql`select where not pg_is_in_recovery()`))?.length === 1) return true;
					return false;
				},
				WITHIN_MS,
				LOOK_EVERY_MS,
			);
			return Math.round(performance.now() - from);
		},
		async mend() {
			for (const member of members) if (!member.isRunning()) member.start();
			await untilWhole();
		},
		async stop() {
			await Promise.all(members.map((member) => member.kill()));
			etcd.kill();
			await etcd.ended;
		},
	};
}

async function createMember(
	folder: string,
	name: string,
	etcdPort: number,
	isSynchronous: boolean,
): Promise<OwnMember> {
	const [port, restPort] = [await findFreePort(), await findFreePort()];
	const own = makeOpenFolder(join(folder, name));
	const data = join(own, "data");
	const login = (username: string) => ({ username, password: "drill" });
	const settings = {
		...{ scope: "sello", name },
		restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
		etcd3: { host: `127.0.0.1:${etcdPort}` },
		bootstrap: {
			dcs: {
				...{ ttl: LEADER_TTL, loop_wait: 1, retry_timeout: 2, maximum_lag_on_failover: 1_073_741_824 },
				synchronous_mode: isSynchronous,
				postgresql: {
					use_pg_rewind: true,
					parameters: { max_connections: 300, wal_log_hints: "on", shared_buffers: "32MB", wal_keep_size: "512MB" },
				},
			},
			initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }, { auth: "trust" }],
		},
		postgresql: {
			...{ listen: `127.0.0.1:${port}`, connect_address: `127.0.0.1:${port}`, data_dir: data, bin_dir: POSTGRES_15 },
			pgpass: join(own, "pgpass"),
			authentication: { superuser: login("postgres"), replication: login("replicator") },
			parameters: { unix_socket_directories: own },
			pg_hba: ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
		},
	};
	// JSON is YAML, if it is indented with spaces.
	writeFileSync(join(own, "patroni.yml"), JSON.stringify(settings, null, 2));
	let program: Started | undefined;
	const listProcesses = () => listWithin(data);
	return {
		...{
			name,
			url: `postgres://postgres@127.0.0.1:${port}/postgres`,
			rest: `http://127.0.0.1:${restPort}`,
			listProcesses,
		},
		isRunning: () => program !== undefined,
		start() {
			program = startUnprivileged(own, "patroni", ["patroni", join(own, "patroni.yml")]);
		},
		async kill() {
			program?.kill();
			await program?.ended;
			program = undefined;
			while (killAll(listProcesses()) > 0) await Bun.sleep(5);
		},
	};
}

async function askRole({ rest }: OwnMember): Promise<string | undefined> {
	try {
		const answer = await fetch(`${rest}/patroni`, { signal: AbortSignal.timeout(2_000) });
		const { role, state } = (await answer.json()) as { role: string; state: string };
		return state === "running" ? role.replace("master", "primary") : undefined;
	} catch {
		return undefined;
	}
}

async function namesSynchronous({ rest }: OwnMember): Promise<boolean> {
	try {
		const answer = await fetch(`${rest}/cluster`, { signal: AbortSignal.timeout(2_000) });
		const { members } = (await answer.json()) as { members: readonly { role: string }[] };
		return members.some(({ role }) => role === "sync_standby");
	} catch {
		return false;
	}
}

/** The answer of one server; undefined while it does not answer. Throws: what is wrong with the statement itself (SQLSTATE class 42). */
export async function ask<T>(url: string, question: (sql: Sql) => PromiseLike<T>): Promise<T | undefined> {
	const sql = connect({ url, name: "fleet drill", connectionsMax: 1, statementTimeoutMs: 5_000 });
	try {
		return await Promise.race([question(sql), Bun.sleep(3_000).then(() => undefined)]);
	} catch (error) {
		if (error instanceof postgres.PostgresError && error.code.startsWith("42")) throw error;
		return undefined;
	} finally {
		await sql.end({ timeout: 0 });
	}
}

/** Stops what sends to the standbys, so that they lack all that follows. */
export async function stallStandbys(cluster: Cluster): Promise<void> {
	const { url } = await cluster.leader();
	const senders = await ask(
		url,
		(sql) => sql<{ pid: number }[]>`
		select pid from pg_stat_replication where application_name like 'member%'`,
	);
	if (!senders?.length) throw new Error("no standby follows the primary");
	for (const { pid } of senders) process.kill(pid, "SIGSTOP");
}
