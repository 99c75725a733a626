/** A database client that hangs in the middle of a statement and keeps the locks of its transaction. */

import { connect } from "../../src/platform/database";
import type { TestDatabase } from "./database";
import type { TcpProxy } from "./tcp-proxy";
import { until } from "./until";

export type HungClient = {
	/** The error of its transaction, if any. */
	readonly ended: Promise<unknown>;
	/** Lets it receive again and continue. */
	readonly heal: () => void;
	readonly close: () => Promise<void>;
};

/** Rows that a client may lock: ids 1 and 2, value 0. */
export async function placeWitness({ owner }: TestDatabase): Promise<void> {
	await owner`create table if not exists witness (id int primary key, value int not null)`;
	await owner`grant all on witness to public`;
	await owner`truncate witness`;
	await owner`insert into witness values (1, 0), (2, 0)`;
}

/** Connects by `url` through the proxy and changes a row to 1. Its next statement, which would change it to 2, gets no answer. */
export async function hangClient(
	database: TestDatabase,
	proxy: TcpProxy,
	{ url, name, id }: { url: string; name: string; id: number },
): Promise<HungClient> {
	const address = new URL(url);
	address.port = String(proxy.port);
	const sql = connect({ url: address.href, name, connectionsMax: 1 });
	const [locked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const ended = sql
		.begin(async (tx) => {
			await tx`update witness set value = 1 where id = ${id}`;
			locked.resolve();
			await goOn.promise;
			await tx`update witness set value = 2 where id = ${id}`;
		})
		.then(
			() => undefined,
			(error: unknown) => error,
		);
	await locked.promise;
	const heal = proxy.links().at(-1)?.add("downstream", { type: "latency", latencyMs: 3_600_000 });
	if (!heal) throw new Error("the pool has a connection");
	goOn.resolve();
	await until(async () => (await isWaiting(database, name, "ClientRead")) && (await valueAt(database, id)) === 0);
	return { ended, heal, close: () => sql.end({ timeout: 0 }) };
}

/** Whether a session waits in a statement for an event or a type of events. */
export async function isWaiting({ owner }: TestDatabase, name: string, event: string): Promise<boolean> {
	const rows = await owner`
		select 1 from pg_stat_activity
		where datname = current_database() and application_name = ${name} and state = 'active'
			and (wait_event = ${event} or wait_event_type = ${event})`;
	return rows.length === 1;
}

export async function valueAt({ owner }: TestDatabase, id: number): Promise<number | undefined> {
	const [row] = await owner<{ value: number }[]>`select value from witness where id = ${id}`;
	return row?.value;
}
