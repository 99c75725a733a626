/**
 * Pools of connections to PostgreSQL.
 *
 * Quirk: the driver is installed with `scripts/patches/postgres@3.4.9.patch`. Without the patch, a connection that ends in a transaction,
 * as some do at every restart of the server, causes faults; the last one happens outside transactions too:
 *
 *   event                                                      result in the unpatched driver
 *   a statement or the ROLLBACK comes after the end            it is written to a null socket, outside any promise: the process dies
 *   … and the pool has reconnected meanwhile                   it runs on the new connection: outside its transaction, or inside another
 *                                                              one, which a ROLLBACK then undoes
 *   bytes waited to be written when the end came               they are sent before the next greeting: the connection never works again
 *   a statement came between the error and the end             it waits for ever and takes the next connection's first answer
 *   a new connection was reading the array types               the failure is unhandled and the process dies; or the types are not read
 *                                                              again and arrays are encoded and decoded wrongly
 *
 * Other faults need no broken connection. While all connections are busy, the driver pipelines. When a BEGIN is the last statement that
 * fits (a hundred, or a full socket), it forgets to reserve the connection: the caller gets UNSAFE_TRANSACTION, but the transaction is
 * open, and later statements run inside it and are undone with it. Also:
 *
 *   a statement fails in the middle of its rows                the next answer's rows begin at that index: the first are undefined
 *   a migration has invalidated a prepared plan                the statement is sent again behind the pipeline: answers are swapped, or it
 *                                                              runs in another transaction; and its values are encoded twice
 *   a value cannot be encoded, such as an invalid date         the running statement fails instead, and those behind it get the wrong answers
 *   a new connection ends silently, as behind a proxy          it retries hundreds of times a second, and callers wait for ever
 *   whose server is away
 *   none of several servers is the primary                     it tries them without a pause, and callers wait until one is
 *
 * With the patch, a transaction whose connection has ended fails, including all its later statements, and what waited to be written is
 * dropped. The array types are built in, so no connection reads them (`fetch_types`); behind a busy pooler, first statements came before them.
 *
 * The patch also ends a connection that owes an answer for longer than any answer takes (`answer_timeout`). Otherwise the driver waits for
 * TCP, about a quarter of an hour after a network has dropped connections silently. Source: github.com/porsager/postgres, issues 1066, 1154
 * and 1208; open in 3.4.9.
 */

import postgres, { type Sql as DriverSql, type TransactionSql } from "postgres";
import { isTracing } from "../telemetry";
import { readDatabaseAddress } from "./settings";
import { traceStatements } from "./trace-statements";

/** A pool of connections; also what a transaction's queries run on. */
export type Sql = DriverSql;
export type Tx = TransactionSql;

export type ConnectOptions = {
	url: string;
	/** Shown by the database, so that an operator sees which part holds a connection. */
	name: string;
	connectionsMax: number;
	/** 0 means none. Default: 30 s. */
	statementTimeoutMs?: number;
	/**
	 * Ends a session that holds a transaction open without using it, such as one of a paused process. hung-sessions.ts ends one that was
	 * paused within a statement. Default: never.
	 */
	idleInTransactionTimeoutMs?: number;
	/** Statements may take any time, as an operator's may. */
	isPatient?: boolean;
	/**
	 * Each prepared statement is planned once, for any values: for few statements that are repeated all the time. Left to itself, the server
	 * plans one that reads partitions anew each time, which costs more than running it.
	 */
	plansOnce?: boolean;
	/** Of several servers any is used, not the primary alone. */
	mayBeStandby?: boolean;
	/** Keep the login's own role, whatever role the address sets. */
	asLogin?: boolean;
	/**
	 * A pooler is between, which gives a connection of the server to one transaction at a time. Nothing may belong to a session then: no
	 * prepared statement, no LISTEN and no setting. The login's own settings replace those of the connection (`POOLED_SETTINGS`).
	 */
	isPooled?: boolean | undefined;
};

const STATEMENT_TIMEOUT_MS = 30_000;
/** What an answer may take beyond its statement's time-out, which the server enforces. */
const ANSWER_MS = 5_000;

/** Settings of every connection, by their names in PostgreSQL. */
const SETTINGS = {
	TimeZone: "UTC",
	// Statements are short. The planner takes some for long, and JIT compilation costs half a second and more.
	jit: "off",
} as const;

/** Those of a login behind a pooler, for all of its connections. */
export const POOLED_SETTINGS = {
	...SETTINGS,
	statement_timeout: "30s",
	idle_in_transaction_session_timeout: "10s",
} as const;

/** One name for all, because the pooler changes the server's whenever another one follows. */
const POOLED_NAME = "sello pooled";

/** Pause between two attempts to connect. */
const RECONNECT_SECONDS = 0.25;

/**
 * A plan is often made while today's partitions are empty, where reading all of them looks cheapest, and serves when they are full. So only
 * plans that look rows up by key are allowed.
 */
const PLANNED_ONCE = {
	plan_cache_mode: "force_generic_plan",
	...{ enable_seqscan: "off", enable_hashjoin: "off", enable_mergejoin: "off" },
};

/** Opens a pool; connections are made when they are first needed. */
export function connect(options: ConnectOptions): Sql {
	const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
	const ofSession = {
		application_name: options.name,
		statement_timeout: statementTimeoutMs,
		idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 0,
		...SETTINGS,
		...(options.plansOnce === true ? PLANNED_ONCE : {}),
		// Taken after the address's own options.
		...(options.asLogin === true ? { role: "none" } : {}),
	};
	const connection = options.isPooled === true ? { application_name: POOLED_NAME } : ofSession;
	const { url, ...socket } = toDriverAddress(options.url, Object.keys(ofSession), options.mayBeStandby === true);
	const sql = postgres(url, {
		...socket,
		max: options.connectionsMax,
		prepare: options.isPooled !== true,
		connect_timeout: 10,
		idle_timeout: 0,
		// The driver's own pauses grow to 20 seconds, during which a server that is back would seem away.
		backoff: () => RECONNECT_SECONDS * (0.5 + Math.random() / 2),
		max_lifetime: 3600,
		fetch_types: false,
		// Notices such as "relation already exists, skipping" are noise.
		onnotice: () => undefined,
		connection,
		...answerTimeout(options.isPatient === true || statementTimeoutMs === 0 ? 0 : statementTimeoutMs + ANSWER_MS),
		types: {
			// Counts and sequence numbers stay far below 2^53.
			bigint: { to: 20, from: [20], parse: Number, serialize: String },
		},
	});
	if (isTracing()) traceStatements(sql);
	return sql;
}

/** An option of the patch, in seconds; 0 means never. */
function answerTimeout(limitMs: number): object {
	return { answer_timeout: limitMs / 1000 };
}

/** Lets a single statement take any time; the server has no time-out for it either. An option of the patch. */
export function withoutTimeout<Query extends object>(query: Query): Query {
	return withOption(query, { patient: true });
}

/** Plans a statement for its values each time. A prepared one gets a plan for unknown values in the end, whatever its values are. */
export function plannedForValues<Query extends object>(query: Query): Query {
	return withOption(query, { prepare: false });
}

/** Options that the driver's types do not declare. */
function withOption<Query extends object>(query: Query, option: object): Query {
	(query as { options?: object }).options = { ...(query as { options?: object }).options, ...option };
	return query;
}

/**
 * The settings of an operator's address besides the database's location.
 *
 * Quirk: in the driver, settings of the address override the program's. `?application_name=…` would hide the service's sessions from
 * monitoring, and `?TimeZone=…` would shift its days. So the service's settings are applied last.
 *
 * Quirk: the driver recognises a socket directory by its slash and does not decode it, so it is split off here. It stands where the host
 * does, as in `postgres://app:…@%2Frun%2Fpostgresql/sello`, or in `?host=/run/postgresql`.
 */
type DriverAddress = {
	readonly url: string;
	/** Directory of the server's socket, or the servers to try in turn. */
	readonly host?: string;
	readonly target_session_attrs?: "primary";
};

function toDriverAddress(url: string, ownSettings: readonly string[], mayBeStandby: boolean): DriverAddress {
	const { url: address, servers } = readDatabaseAddress(url);
	const own = new Set(ownSettings.map((name) => name.toLowerCase()));
	for (const name of [...address.searchParams.keys()])
		if (own.has(name.toLowerCase())) address.searchParams.delete(name);
	if (servers.length > 0) {
		// The driver's `read-write` takes a standby too, because it looks at a setting that standbys do not change.
		address.searchParams.delete("target_session_attrs");
		return { url: address.href, host: servers.join(","), ...(mayBeStandby ? {} : { target_session_attrs: "primary" }) };
	}
	const folder = [address.searchParams.get("host") ?? "", decodeURIComponent(address.hostname)].find(isFolder);
	if (folder === undefined) return { url: address.href };
	address.searchParams.delete("host");
	return { url: address.href, host: folder };
}

const isFolder = (host: string): boolean => host.startsWith("/");

/**
 * A value as JSON that PostgreSQL can store as `text`: NUL and lone surrogates, which it cannot store, become U+FFFD. Pass it as
 * `${toJsonText(rows)}::text::json`, or the driver encodes it twice.
 */
export function toJsonText(value: unknown): string {
	return JSON.stringify(value, (_, member) => (typeof member === "string" ? toStorable(member) : member));
}

function toStorable(text: string): string {
	return text.replaceAll("\0", "\uFFFD").toWellFormed();
}

/**
 * How long a transaction may be idle while it waits for something outside the database or holds a lock: far longer than such work takes,
 * and an end for one whose process was paused.
 */
export const WAIT_OUTSIDE = "2h";

/** For a transaction that waits for something outside the database. */
export async function mayWaitOutside(tx: Tx): Promise<void> {
	await tx`select set_config('idle_in_transaction_session_timeout', ${WAIT_OUTSIDE}, true)`;
}
