import type { Database } from "bun:sqlite";

/** What is made once and kept with the data, by name. */
export type SettingStore = ReturnType<typeof createSettingStore>;

export function createSettingStore(database: Database) {
	return {
		read(name: string): Uint8Array | undefined {
			const sql = "SELECT value FROM settings WHERE name = ?";
			return database.query<{ value: Uint8Array }, [string]>(sql).get(name)?.value;
		},

		/** Keeps a value under a name that has none, and gives back what is kept there. */
		keep(name: string, made: Uint8Array): Uint8Array {
			database.query("INSERT OR IGNORE INTO settings (name, value) VALUES (?, ?)").run(name, made);
			const kept = this.read(name);
			if (!kept) throw new Error(`the setting ${name} was written but cannot be read`);
			return kept;
		},
	};
}
