/**
 * Opens the simulator's database file. What it has acknowledged must survive a kill, so every commit reaches the disk.
 *
 * Tables: `settings` (the token secret, the simulator's own certificate), `seeds`, `certificates` (trusted on first use), `delegations`,
 * `receptions`, `voids`, `approvals`, `directory`, `exchanges`, `taxpayers`, `number_ranges`. A partial unique index ensures that a number belongs to
 * at most one reception per environment and issuer.
 */
import { Database } from "bun:sqlite";
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

const LAYOUT_VERSION = 1;

/** Opens or creates the file. Throws if a later layout wrote it. */
export function openDatabase(path: string): Database {
	if (path !== IN_MEMORY) keepPrivate(path);
	const database = new Database(path, { create: true, strict: true });
	database.run("PRAGMA journal_mode = WAL");
	database.run("PRAGMA synchronous = FULL");
	database.run("PRAGMA busy_timeout = 5000");
	const found = database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
	if (found > LAYOUT_VERSION) {
		database.close();
		throw new Error(
			`${path} has layout ${found}, this program knows ${LAYOUT_VERSION}: delete the file or use a newer one`,
		);
	}
	if (found === 0) database.transaction(() => createTables(database)).immediate();
	addTables(database);
	return database;
}

const IN_MEMORY = ":memory:";

/** Creates the file for its owner alone: it holds keys. SQLite gives its further files the same mode. */
function keepPrivate(path: string): void {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	closeSync(openSync(path, "a", 0o600));
	for (const file of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(file)) chmodSync(file, 0o600);
}

function createTables(database: Database): void {
	database.run("CREATE TABLE settings (name TEXT PRIMARY KEY, value BLOB NOT NULL)");
	database.run(`CREATE TABLE seeds (
		value TEXT PRIMARY KEY,
		environment TEXT NOT NULL,
		date TEXT NOT NULL,
		issued_at INTEGER NOT NULL,
		used_at INTEGER
	)`);
	database.run(`CREATE TABLE certificates (
		thumbprint TEXT PRIMARY KEY,
		der BLOB NOT NULL,
		subject TEXT NOT NULL,
		first_seen_at INTEGER NOT NULL
	)`);
	// An empty thumbprint means every certificate, an empty RNC every issuer.
	database.run(`CREATE TABLE delegations (
		thumbprint TEXT NOT NULL,
		rnc TEXT NOT NULL,
		delegated INTEGER NOT NULL,
		PRIMARY KEY (thumbprint, rnc)
	)`);
	database.run(`CREATE TABLE receptions (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		received_at INTEGER NOT NULL,
		environment TEXT NOT NULL,
		host TEXT NOT NULL,
		rnc TEXT,
		encf TEXT,
		type TEXT,
		sha256 TEXT NOT NULL,
		size_bytes INTEGER NOT NULL,
		track_id TEXT UNIQUE,
		refusal TEXT,
		verdict INTEGER,
		messages TEXT NOT NULL,
		sequence_consumed INTEGER,
		holds_number INTEGER NOT NULL,
		repeats_id INTEGER REFERENCES receptions (id),
		security_code TEXT,
		total TEXT,
		total_itbis TEXT,
		issuer_name TEXT,
		buyer_rnc TEXT,
		buyer_name TEXT,
		foreign_buyer TEXT,
		issue_date TEXT,
		signed_at TEXT,
		reference_encf TEXT,
		visible_at INTEGER
	)`);
	database.run("CREATE UNIQUE INDEX receptions_holder ON receptions (environment, rnc, encf) WHERE holds_number = 1");
	database.run("CREATE INDEX receptions_number ON receptions (environment, rnc, encf)");
	database.run("CREATE INDEX receptions_reference ON receptions (environment, rnc, reference_encf)");
	database.run(`PRAGMA user_version = ${LAYOUT_VERSION}`);
}

/** Tables added after the first layout; programs of that layout ignore them. */
function addTables(database: Database): void {
	database.run(`CREATE TABLE IF NOT EXISTS voids (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		received_at INTEGER NOT NULL,
		environment TEXT NOT NULL,
		rnc TEXT NOT NULL,
		sha256 TEXT NOT NULL,
		-- What was voided, JSON: [[from, to], …].
		ranges TEXT NOT NULL,
		messages TEXT NOT NULL
	)`);
	database.run(`CREATE TABLE IF NOT EXISTS approvals (
		environment TEXT NOT NULL,
		rnc TEXT NOT NULL,
		encf TEXT NOT NULL,
		buyer_rnc TEXT NOT NULL,
		received_at INTEGER NOT NULL,
		state INTEGER NOT NULL,
		reason TEXT,
		sha256 TEXT NOT NULL,
		PRIMARY KEY (environment, rnc, encf)
	)`);
	database.run(`CREATE TABLE IF NOT EXISTS directory (
		environment TEXT NOT NULL,
		rnc TEXT NOT NULL,
		name TEXT NOT NULL,
		reception_url TEXT NOT NULL,
		approval_url TEXT NOT NULL,
		authentication_url TEXT,
		PRIMARY KEY (environment, rnc)
	)`);
	database.run(`CREATE TABLE IF NOT EXISTS exchanges (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		at INTEGER NOT NULL,
		kind TEXT NOT NULL,
		issuer_rnc TEXT NOT NULL,
		buyer_rnc TEXT NOT NULL,
		encf TEXT NOT NULL,
		state INTEGER,
		messages TEXT NOT NULL
	)`);
	database.run("CREATE TABLE IF NOT EXISTS taxpayers (rnc TEXT PRIMARY KEY, standing TEXT NOT NULL)");
	database.run(`CREATE TABLE IF NOT EXISTS number_ranges (
		environment TEXT NOT NULL,
		rnc TEXT NOT NULL,
		type TEXT NOT NULL,
		first INTEGER NOT NULL,
		last INTEGER NOT NULL,
		expires_on TEXT
	)`);
	database.run("CREATE INDEX IF NOT EXISTS number_ranges_of ON number_ranges (environment, rnc, type)");
	const columns = database.query<{ name: string }, []>("SELECT name FROM pragma_table_info('receptions')").all();
	if (!columns.some(({ name }) => name === "reference_code")) {
		database.run("ALTER TABLE receptions ADD COLUMN reference_code TEXT");
	}
	if (!columns.some(({ name }) => name === "readable_at")) {
		database.run("ALTER TABLE receptions ADD COLUMN readable_at INTEGER NOT NULL DEFAULT 0");
	}
}

export type GroupCommit = <T>(work: () => T) => Promise<T>;

export function createGroupCommit(database: Database): GroupCommit {
	let waiting: { readonly run: () => void; readonly settle: () => void; readonly fail: (error: unknown) => void }[] =
		[];

	function commit(): void {
		const all = waiting;
		waiting = [];
		try {
			database
				.transaction(() => {
					for (const { run } of all) run();
				})
				.immediate();
		} catch (error) {
			for (const { fail } of all) fail(error);
			return;
		}
		for (const { settle } of all) settle();
	}

	return <T>(work: () => T) =>
		new Promise<T>((resolve, reject) => {
			let settle = (): void => undefined;
			const run = () => {
				try {
					// Inside a transaction this is a savepoint.
					const result = database.transaction(work)();
					settle = () => resolve(result);
				} catch (error) {
					settle = () => reject(error);
				}
			};
			waiting.push({ run, settle: () => settle(), fail: reject });
			if (waiting.length === 1) setImmediate(commit);
		});
}

export type SettingStore = ReturnType<typeof createSettingStore>;

export function createSettingStore(database: Database) {
	return {
		read(name: string): Uint8Array | undefined {
			const sql = "SELECT value FROM settings WHERE name = ?";
			return database.query<{ value: Uint8Array }, [string]>(sql).get(name)?.value;
		},

		/** Stores a value under a new name, and returns what is stored there. */
		keep(name: string, made: Uint8Array): Uint8Array {
			database.query("INSERT OR IGNORE INTO settings (name, value) VALUES (?, ?)").run(name, made);
			const kept = this.read(name);
			if (!kept) throw new Error(`the setting ${name} was written but cannot be read`);
			return kept;
		},
	};
}
