/** Which database errors mean that the connection, not the statement, failed. */

// Source: PostgreSQL, Appendix A: class 08, 57P01 admin_shutdown, 57P02 crash_shutdown, 57P03 cannot_connect_now, 53300 too many.
const serverCodes = new Set(["57P01", "57P02", "57P03", "53300"]);
const driverCodes = new Set([
	"CONNECTION_CLOSED",
	"CONNECTION_ENDED",
	"CONNECTION_DESTROYED",
	"CONNECT_TIMEOUT",
	"ECONNREFUSED",
	"ECONNRESET",
	"EPIPE",
	"ERR_SOCKET_CLOSED",
]);

/** The error code of a database or socket error; empty when there is none. */
export function codeOf(error: unknown): string {
	const code = (error as { code?: unknown } | null)?.code;
	return typeof code === "string" ? code : "";
}

const settingsOfErrors = new WeakMap<object, string>();

/** Notes the setting that holds the address of the database that failed, for explanations, and throws the error. */
export function throwWithSetting(setting: string): (error: unknown) => never {
	return (error) => {
		if (typeof error === "object" && error !== null) settingsOfErrors.set(error, setting);
		throw error;
	};
}

/** The setting whose address an error belongs to. */
export function settingOf(error: unknown): string {
	return (typeof error === "object" && error !== null && settingsOfErrors.get(error)) || "DATABASE_URL";
}

export function isConnectionFailure(error: unknown): boolean {
	const code = codeOf(error);
	// A socket file does not exist while its server is away.
	if ((error as { syscall?: unknown } | null)?.syscall === "connect") return true;
	return serverCodes.has(code) || driverCodes.has(code) || code.startsWith("08");
}

/**
 * True when the server is running but cannot do its work: no disk, no memory, a broken file, or read-only as a standby or a locked
 * database. The same statement may succeed after an operator has acted. Source: PostgreSQL, Appendix A: class 53 insufficient resources,
 * class 58 system error, 25006 read_only_sql_transaction.
 */
export function isServerUnable(error: unknown): boolean {
	return /^(?:53...|58...|25006)$/.test(codeOf(error));
}

/** True when the transaction lost a race and was rolled back: serialisation failure or deadlock. */
export function isRolledBackRace(error: unknown): boolean {
	const code = codeOf(error);
	return code === "40001" || code === "40P01";
}

/**
 * True when the statement was cancelled: it timed out, for example on a lock of a migration, or an operator cancelled it. Source:
 * PostgreSQL, Appendix A: 57014 query_canceled, 55P03 lock_not_available.
 */
export function isCutShort(error: unknown): boolean {
	const code = codeOf(error);
	return code === "57014" || code === "55P03";
}

/** True when the statement failed because of the state of the database, not because of its content: it may succeed later. */
export function isPassing(error: unknown): boolean {
	return isConnectionFailure(error) || isServerUnable(error) || isRolledBackRace(error) || isCutShort(error);
}

export function violatedConstraint(error: unknown): string | undefined {
	if (codeOf(error) !== "23505") return undefined;
	const name = (error as { constraint_name?: unknown }).constraint_name;
	return typeof name === "string" ? name : undefined;
}

/**
 * Runs work that is safe to repeat (reads, and writes that are idempotent by a key) and repeats it while connections fail: after a restart
 * of the server, each stale connection of the pool fails once.
 */
export async function retryOnFailure<T>(work: () => Promise<T>, attemptsMax = 4): Promise<T> {
	for (let attempt = 1; ; attempt++) {
		try {
			return await work();
		} catch (error) {
			if (attempt >= attemptsMax || !(isConnectionFailure(error) || isRolledBackRace(error))) throw error;
			await Bun.sleep(attempt * 25);
		}
	}
}
