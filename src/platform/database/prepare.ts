/**
 * Prepares a database for the service: the owner migrates and grants; everything else runs under a role that may not change written-once
 * rows.
 *
 *     given                              migrates                serves
 *     two addresses                      DATABASE_MIGRATION_URL  DATABASE_URL's login, which gets the rights it needs
 *     one, whose login owns the tables   that login              that login as the role `sello_service_<database>`, created if missing
 *     … and may not create the role      that login              that login, with a warning; refused where rights are strict
 *     one that may not migrate           none                    that login, on a database that is already prepared
 *
 * On Citus, the owner then puts tables and functions in their places; see `citus.ts`.
 *
 * Behind a pooler, `DATABASE_DIRECT_URL` leads past it with the login of `DATABASE_URL`. That login gets its settings then, because those
 * of a session would be lost, and it keeps its own role for the same reason.
 */

import { distribute, type Engine, findEngine } from "./citus";
import { connect, type Sql } from "./connect";
import { throwWithSetting } from "./failure";
import { checkDurability, findApplied, findNewest, migrate, type ReportWait, refuseNewer } from "./migrate";
import { preparePooler } from "./pooler";
import {
	checkRights,
	countAllowed,
	DatabaseRoleError,
	grantRights,
	makeServiceRole,
	type RightsReport,
	readStanding,
	type Standing,
	serviceRoleOf,
	withRole,
} from "./rights";

type DatabaseAddresses = {
	readonly url: string;
	/** The same login past the pooler; absent: there is no pooler. */
	readonly directUrl?: string | undefined;
	/** The owner's login. Absent: `url` is the owner's too, or the database is migrated already. */
	readonly migrationUrl?: string | undefined;
	/** Refuses a role that may change written-once rows; otherwise this is only a remark. */
	readonly isStrict: boolean;
	/** Default: `auto`. */
	readonly engine?: Engine | "auto";
	/** Called with what the migrations wait for. */
	readonly report?: ReportWait;
};

export type PreparedDatabase = {
	/** Where the service connects, including its role. */
	readonly url: string;
	readonly engine: Engine;
	readonly migration: number;
	/** How many connections this login may have, together with all others of the server. */
	readonly connections: number;
	/** What an operator should know about the rights. */
	readonly remarks: readonly string[];
};

type Prepared = Pick<PreparedDatabase, "url" | "engine" | "migration">;

/** Long enough for a migration that rewrites a large table. */
const MIGRATION_TIMEOUT_MS = 900_000;

/**
 * Throws: DatabaseRoleError, DatabaseEngineError, DatabaseBaselineError, DatabaseTooNewError, DatabaseInUseError; an Error for a server that may lose what it has confirmed. When
 * `signal` aborts, the connection is cut and the migration rolled back: it may wait or run for longer than a shutdown may take.
 */
export async function prepareDatabase(
	addresses: DatabaseAddresses,
	signal: AbortSignal = new AbortController().signal,
): Promise<PreparedDatabase> {
	const { directUrl } = addresses;
	const { url, ...prepared } = await prepareAsOwner({ ...addresses, url: directUrl ?? addresses.url }, signal);
	const report = await ask(url, "sello rights", checkRights);
	const connections = await ask(url, "sello rights", countAllowed);
	const remarks = judge(report, addresses);
	if (directUrl === undefined) return { ...prepared, url, connections, remarks };
	const pooled = connect({ url: addresses.url, name: "sello rights", connectionsMax: 1, isPooled: true });
	try {
		remarks.push(...(await ask(directUrl, "sello rights", (direct) => preparePooler(direct, pooled))));
	} finally {
		await pooled.end({ timeout: 2 });
	}
	return { ...prepared, url: addresses.url, connections, remarks };
}

async function prepareAsOwner(addresses: DatabaseAddresses, signal: AbortSignal): Promise<Prepared> {
	const login = addresses.migrationUrl ?? addresses.url;
	const own = addresses.directUrl === undefined ? "DATABASE_URL" : "DATABASE_DIRECT_URL";
	const standing = await ask(login, "sello migrations", async (sql) => {
		await checkDurability(sql);
		return { ...(await readStanding(sql)), engine: await findEngine(sql, addresses.engine ?? "auto") };
	}).catch(throwWithSetting(addresses.migrationUrl === undefined ? own : "DATABASE_MIGRATION_URL"));
	const { engine } = standing;
	if (!standing.mayMigrate) {
		const migration = await ask(login, "sello migrations", (sql) => expectMigrated(sql, addresses, standing));
		return { url: addresses.url, engine, migration };
	}
	const service =
		addresses.migrationUrl === undefined
			? standing
			: await ask(addresses.url, "sello rights", readStanding).catch(throwWithSetting(own));
	if (service.database !== standing.database)
		throw new DatabaseRoleError(
			`DATABASE_URL names the database ${service.database}, DATABASE_MIGRATION_URL ${standing.database}: they must be the same`,
		);
	// Tables of later migrations get the owner of the first ones.
	const { owner, user } = standing;
	const asOwner = owner === null || owner === user ? login : withRole(login, owner);
	const migration = await ask(
		asOwner,
		"sello migrations",
		(sql) => migrateUnless(signal, sql, engine, addresses),
		MIGRATION_TIMEOUT_MS,
	);
	if (engine === "citus") await ask(asOwner, "sello migrations", (sql) => distribute(sql), MIGRATION_TIMEOUT_MS);
	const hasOwnLogin = service.user !== user;
	// A role of the session would be lost behind a pooler.
	if (!hasOwnLogin && addresses.directUrl !== undefined) return { url: addresses.url, engine, migration };
	if (!hasOwnLogin && !(await ask(login, "sello migrations", (sql) => makeServiceRole(sql, standing))))
		return { url: addresses.url, engine, migration };
	const role = hasOwnLogin ? service.user : serviceRoleOf(standing.database);
	await ask(asOwner, "sello migrations", (sql) => grantRights(sql, role));
	return { url: hasOwnLogin ? addresses.url : withRole(addresses.url, role), engine, migration };
}

/** The server rolls back the running statement; one that waits for the lock ends when it would get it. */
async function migrateUnless(
	signal: AbortSignal,
	sql: Sql,
	engine: Engine,
	{ report }: DatabaseAddresses,
): Promise<number> {
	signal.throwIfAborted();
	const givenUp = Promise.withResolvers<never>();
	const cut = () => {
		// The driver may never settle a query whose connection was cut, so it is not awaited.
		givenUp.reject(signal.reason);
		void sql.end({ timeout: 0 });
	};
	signal.addEventListener("abort", cut, { once: true });
	try {
		return await Promise.race([migrate(sql, { engine, ...(report ? { report } : {}) }), givenUp.promise]);
	} finally {
		signal.removeEventListener("abort", cut);
	}
}

/** The address under which the service works, for operator commands. */
export async function findServiceUrl(url: string): Promise<string> {
	const { mayMigrate, mayServe, database } = await ask(url, "sello rights", readStanding);
	return mayMigrate && mayServe ? withRole(url, serviceRoleOf(database)) : url;
}

/** The address under which the tables belong to the connection, for what only their owner may do. */
export async function findOwnerUrl(url: string): Promise<string> {
	const { owner, user } = await ask(url, "sello rights", readStanding);
	return owner === null || owner === user ? url : withRole(url, owner);
}

async function expectMigrated(sql: Sql, { migrationUrl }: DatabaseAddresses, { user }: Standing): Promise<number> {
	const name = migrationUrl === undefined ? "DATABASE_URL" : "DATABASE_MIGRATION_URL";
	if (migrationUrl !== undefined)
		throw new DatabaseRoleError(
			`the role ${user} of ${name} may not make tables, or does not own those that are there`,
		);
	const [row] = await sql<{ isThere: boolean; mayRead: boolean }[]>`
		select t is not null as "isThere", coalesce(has_table_privilege(t, 'SELECT'), true) as "mayRead"
		from to_regclass('schema_migrations') t`;
	if (row?.isThere && !row.mayRead)
		throw new DatabaseRoleError(
			`the role ${user} of ${name} may not read the database's tables: start once with DATABASE_MIGRATION_URL, which grants it`,
		);
	const at = row?.isThere ? await findApplied(sql) : 0;
	const newest = findNewest();
	refuseNewer(newest, at);
	if (at < newest) {
		throw new DatabaseRoleError(
			`the database is at migration ${at}, this code needs ${newest}, and the role ${user} of ${name} may not migrate: set DATABASE_MIGRATION_URL`,
		);
	}
	return newest;
}

function judge({ user, excess, lacking, mayLeave }: RightsReport, { isStrict }: DatabaseAddresses): string[] {
	if (lacking.length > 0) {
		throw new DatabaseRoleError(
			`the role ${user} of DATABASE_URL lacks ${list(lacking)}: start once with DATABASE_MIGRATION_URL, which grants it`,
		);
	}
	if (excess.length > 0) {
		const sentence = `the role ${user} of DATABASE_URL could change what is written once, it has ${list(excess)}`;
		if (!isStrict) return [`${sentence}; triggers alone keep the archive's tables`];
		throw new DatabaseRoleError(
			`${sentence}: give DATABASE_URL a role of its own and set DATABASE_MIGRATION_URL, or set DATABASE_RIGHTS=lenient`,
		);
	}
	if (mayLeave)
		return [`DATABASE_URL's login may leave the role ${user} for the tables' owner: set DATABASE_MIGRATION_URL`];
	return [];
}

function list(things: readonly string[]): string {
	const more = things.length - 5;
	return things.slice(0, 5).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

async function ask<T>(url: string, name: string, use: (sql: Sql) => Promise<T>, timeoutMs = 30_000): Promise<T> {
	const sql = connect({ url, name, connectionsMax: 1, statementTimeoutMs: timeoutMs });
	try {
		return await use(sql);
	} finally {
		await sql.end({ timeout: 2 });
	}
}
