import type { Database } from "bun:sqlite";

/** The key that signs tokens: made once and kept with the data, so that tokens outlive a restart. */
export function readTokenSecret(database: Database): Uint8Array {
	const made = crypto.getRandomValues(new Uint8Array(32));
	database.query("INSERT OR IGNORE INTO settings (name, value) VALUES ('token-secret', ?)").run(made);
	const kept = database
		.query<{ value: Uint8Array }, []>("SELECT value FROM settings WHERE name = 'token-secret'")
		.get();
	if (!kept) throw new Error("the token secret was written but cannot be read");
	return kept.value;
}
