/**
 * Pools of connections to PostgreSQL.
 *
 * Quirk: the driver is installed with `scripts/patches/postgres@3.4.9.patch`. As it comes, a connection that ends in a transaction, as some do
 * at every restart of the server, has faults; the last of them strikes outside of transactions too:
 *
 *   what happened                                              what follows in the driver as it comes
 *   a statement, or the ROLLBACK, comes after the end          written to a socket that is null, outside any promise: the process dies
 *   … and the pool has connected again meanwhile               it runs on the new connection: outside its transaction, or inside
 *                                                              somebody else's, which a ROLLBACK then undoes
 *   bytes waited to be written when the end came               they go out before the next greeting: that connection never works again
 *   a statement came between the error and the end             it waits for ever, and takes the next connection's first answer for its own
 *   a new connection was asking for the types of arrays        the failure of that question is nobody's: the process dies; or the question
 *                                                              is not asked again, and arrays are read and written wrongly
 *
 * And some that need no such end: while all connections are busy the driver sends on ahead, and where a BEGIN is the last that fits (a hundred statements, or what
 * the socket takes), it forgets to keep the connection for that transaction. The caller is told UNSAFE_TRANSACTION, the transaction is open all the same,
 * and whatever statements come next are answered inside it and undone with it. The others:
 *
 *   a statement fails in the middle of its rows                the rows of the next answer begin at that place: its first ones are undefined
 *   a migration has made a prepared plan invalid               the statement is asked again behind what was sent ahead: each gets another's
 *                                                              answer, or it runs in somebody else's transaction; and its values are written
 *                                                              a second time over: true as false, JSON as a string
 *   a value cannot be written, as an invalid date              the statement that is being answered fails in its place, and those behind it get the
 *                                                              answers of the next ones
 *   a new connection ends without a word, as behind a          it is tried again at once, some hundred times in a second, and who asks waits for ever
 *   proxy whose server is away
 *
 * With it, a transaction whose connection has ended fails, with all that it still asks for, and what waited to be written is dropped.
 *
 * The patch also ends a connection that owes an answer and has said nothing for longer than any answer takes (`answer_timeout`). As it comes, the driver
 * waits as long as TCP does: after a network has dropped connections without a word, as when a firewall is replaced, for about a quarter of an hour,
 * with every connection of the pool while the database is well.
 * Source: github.com/porsager/postgres, issues 1066, 1154 and 1208; open in 3.4.9.
 */
import postgres, { type Sql as DriverSql, type TransactionSql } from "postgres";

/** A pool of connections; also what a transaction's queries run on. */
export type Sql = DriverSql;
export type Tx = TransactionSql;

export type ConnectOptions = {
	url: string;
	/** Told to the database, so that an operator sees which part holds a connection. */
	name: string;
	connectionsMax: number;
	/** 0 is none; absent: 30 s. */
	statementTimeoutMs?: number;
	/**
	 * Ends a session that holds a transaction open without using it, as one does whose process was paused; one that was paused in a statement is
	 * ended by hung-sessions.ts. Absent: never.
	 */
	idleInTransactionTimeoutMs?: number;
	/** Any statement may be answered as late as it likes, as an operator's may. */
	isPatient?: boolean;
	/** Works as who logged in, whatever role the address takes. */
	asLogin?: boolean;
};

const STATEMENT_TIMEOUT_MS = 30_000;
/** What an answer may take beyond its statement: the server ends that in time, and says so. */
const ANSWER_MS = 5_000;

/** Between two tries of a connection that failed. */
const RECONNECT_SECONDS = 0.25;

/** Opens a pool; connections are made when they are first needed. */
export function connect(options: ConnectOptions): Sql {
	const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
	const connection = {
		application_name: options.name,
		statement_timeout: statementTimeoutMs,
		idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 0,
		TimeZone: "UTC",
		// Statements here are short. The planner takes some for long, as those that walk ranges of numbers, and compiling one takes a server that does so half a second and more.
		jit: "off",
		// Taken after the address's own options.
		...(options.asLogin === true ? { role: "none" } : {}),
	};
	const { url, ...socket } = toDriverAddress(options.url, Object.keys(connection));
	return postgres(url, {
		...socket,
		max: options.connectionsMax,
		connect_timeout: 10,
		idle_timeout: 0,
		// The driver's own pauses grow to 20 seconds, in which a server that is back would be called away.
		backoff: () => RECONNECT_SECONDS * (0.5 + Math.random() / 2),
		max_lifetime: 3600,
		// A notice is the server's chatter, such as "relation already exists, skipping".
		onnotice: () => undefined,
		connection,
		...answerTimeout(options.isPatient === true || statementTimeoutMs === 0 ? 0 : statementTimeoutMs + ANSWER_MS),
		types: {
			// Counts and sequence numbers stay far below 2^53.
			bigint: { to: 20, from: [20], parse: Number, serialize: String },
		},
	});
}

/** An option of the patch: seconds, 0 for never. */
function answerTimeout(limitMs: number): object {
	return { answer_timeout: limitMs / 1000 };
}

/** For a single statement that may be answered as late as it likes, having no time-out at the server either. */
export function withoutTimeout<Query extends object>(query: Query): Query {
	// An option of the patch, which the driver's types do not know.
	(query as { options?: object }).options = { ...(query as { options?: object }).options, patient: true };
	return query;
}

/**
 * What an operator's address says besides where the database is, as the driver shall take it.
 *
 * Quirk: in the driver a setting in the address comes before the program's own of the same name. Who writes `?application_name=…` there would hide the
 * service's sessions from those that look for them by their names, and `?TimeZone=…` would move its days. What the service sets, it sets.
 *
 * Quirk: the driver knows a socket's folder by its slash and does not decode it, so it is told apart here. The folder stands where the host does,
 * as in `postgres://app:…@%2Frun%2Fpostgresql/sello`, or in `?host=/run/postgresql`.
 */
export type DriverAddress = {
	readonly url: string;
	/** Of the folder that has the server's socket. */
	readonly host?: string;
};

export function toDriverAddress(url: string, ownSettings: readonly string[]): DriverAddress {
	const address = new URL(url);
	const own = new Set(ownSettings.map((name) => name.toLowerCase()));
	for (const name of [...address.searchParams.keys()])
		if (own.has(name.toLowerCase())) address.searchParams.delete(name);
	const folder = [address.searchParams.get("host") ?? "", decodeURIComponent(address.hostname)].find(isFolder);
	if (folder === undefined) return { url: address.href };
	address.searchParams.delete("host");
	return { url: address.href, host: folder };
}

const isFolder = (host: string): boolean => host.startsWith("/");

/**
 * A value as JSON text from which PostgreSQL can make `text`: a NUL character and half a surrogate pair, which it cannot store,
 * become U+FFFD. Pass it as `${toJsonText(rows)}::text::json`; the driver would otherwise write it as JSON a second time.
 */
export function toJsonText(value: unknown): string {
	return JSON.stringify(value, (_, member) => (typeof member === "string" ? toStorable(member) : member));
}

function toStorable(text: string): string {
	return text.replaceAll("\0", "\uFFFD").toWellFormed();
}

/**
 * How long a transaction may do nothing while it waits for something besides the database, or has a turn: far longer than any such work, and
 * an end to one whose process was paused.
 */
export const WAIT_OUTSIDE = "2h";

/** For a transaction that waits for something besides the database: it may do nothing for as long as that takes. */
export async function mayWaitOutside(tx: Tx): Promise<void> {
	await tx`select set_config('idle_in_transaction_session_timeout', ${WAIT_OUTSIDE}, true)`;
}
