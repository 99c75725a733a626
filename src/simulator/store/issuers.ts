import type { Database } from "bun:sqlite";

/**
 * What is known of a taxpayer: nothing is amiss with one of whom nothing is told. `not-in-certification`: its application is closed, so
 * the certification environment takes nothing of it.
 */
export type TaxpayerStanding = "electronic" | "not-electronic" | "inactive" | "unknown" | "not-in-certification";

/** Numbers that an issuer may use. */
export type NumberRange = {
	readonly environment: string;
	readonly rnc: string;
	readonly type: string;
	readonly first: number;
	readonly last: number;
	/** `dd-MM-yyyy`; null for types whose numbers do not expire. */
	readonly expiresOn: string | null;
};

/** Who may issue, and under which numbers. */
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

		/** The ranges of an issuer's type; none when nobody has told any. */
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
