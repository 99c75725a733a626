import type { Database } from "bun:sqlite";

/** An electronic receiver as the directory lists it: base addresses, to which callers append the services' paths. */
export type Receiver = {
	readonly environment: string;
	readonly rnc: string;
	readonly name: string;
	readonly receptionUrl: string;
	readonly approvalUrl: string;
	/** Null for a receiver that asks nobody who he is. */
	readonly authenticationUrl: string | null;
};

const COLUMNS = `environment, rnc, name, reception_url AS receptionUrl, approval_url AS approvalUrl,
	authentication_url AS authenticationUrl`;

/** Who receives electronically, by environment. */
export type DirectoryStore = ReturnType<typeof createDirectoryStore>;

export function createDirectoryStore(database: Database) {
	return {
		/** Enters a receiver, or changes the one of the same RNC. */
		put(receiver: Receiver): void {
			database
				.query(
					`INSERT OR REPLACE INTO directory (environment, rnc, name, reception_url, approval_url, authentication_url)
					VALUES ($environment, $rnc, $name, $receptionUrl, $approvalUrl, $authenticationUrl)`,
				)
				.run(receiver);
		},

		clear(): void {
			database.query("DELETE FROM directory").run();
		},

		list(environment: string): Receiver[] {
			return database
				.query<Receiver, [string]>(`SELECT ${COLUMNS} FROM directory WHERE environment = ? ORDER BY rnc`)
				.all(environment);
		},
	};
}
