/** Taxpayers: their receivers in the directory, and their standing as issuers. */
import type { Database } from "bun:sqlite";

/** An electronic receiver in the directory: base addresses, to which callers append the services' paths. */
export type Receiver = {
	readonly environment: string;
	readonly rnc: string;
	readonly name: string;
	readonly receptionUrl: string;
	readonly approvalUrl: string;
	/** Null for a receiver without authentication. */
	readonly authenticationUrl: string | null;
};

const COLUMNS = `environment, rnc, name, reception_url AS receptionUrl, approval_url AS approvalUrl,
	authentication_url AS authenticationUrl`;

export type DirectoryStore = ReturnType<typeof createDirectoryStore>;

export function createDirectoryStore(database: Database) {
	return {
		/** Adds a receiver, or replaces the one of the same RNC. */
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

/**
 * The standing of a taxpayer; one without an entry is in good standing. `not-in-certification`: its application is closed, so the certification
 * environment accepts nothing from it.
 */
export type TaxpayerStanding = "electronic" | "not-electronic" | "inactive" | "unknown" | "not-in-certification";

export type NumberRange = {
	readonly environment: string;
	readonly rnc: string;
	readonly type: string;
	readonly first: number;
	readonly last: number;
	/** `dd-MM-yyyy`; null for types whose numbers do not expire. */
	readonly expiresOn: string | null;
};

/** Issuers, and the numbers that they may use. */
export type IssuerStore = ReturnType<typeof createIssuerStore>;

export function createIssuerStore(database: Database) {
	return {
		setStanding(rnc: string, standing: TaxpayerStanding): void {
			database.query("INSERT OR REPLACE INTO taxpayers (rnc, standing) VALUES (?, ?)").run(rnc, standing);
		},

		standingOf(rnc: string): TaxpayerStanding {
			const sql = "SELECT standing FROM taxpayers WHERE rnc = ?";
			return database.query<{ standing: TaxpayerStanding }, [string]>(sql).get(rnc)?.standing ?? "electronic";
		},

		addRange(range: NumberRange): void {
			database
				.query(
					`INSERT INTO number_ranges (environment, rnc, type, first, last, expires_on)
					VALUES ($environment, $rnc, $type, $first, $last, $expiresOn)`,
				)
				.run(range);
		},

		/** The ranges of an issuer's type; empty if none were set. */
		listRanges(environment: string, rnc: string, type: string): NumberRange[] {
			return database
				.query<NumberRange, [string, string, string]>(
					`SELECT environment, rnc, type, first, last, expires_on AS expiresOn FROM number_ranges
					WHERE environment = ? AND rnc = ? AND type = ? ORDER BY first`,
				)
				.all(environment, rnc, type);
		},
	};
}
