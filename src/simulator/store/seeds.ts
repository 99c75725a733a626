import type { Database } from "bun:sqlite";

export type Seed = {
	readonly value: string;
	readonly environment: string;
	/** As printed in the document, `yyyy-MM-ddTHH:mm:ss.fffffff-04:00`. */
	readonly date: string;
	readonly issuedAt: number;
};

/** What has been issued for signing, and what has been spent. */
export type SeedStore = ReturnType<typeof createSeedStore>;

export function createSeedStore(database: Database) {
	return {
		insert(seed: Seed): void {
			database
				.query(
					"INSERT INTO seeds (value, environment, date, issued_at) VALUES ($value, $environment, $date, $issuedAt)",
				)
				.run(seed);
		},

		/** Marks the seed as used; false when it was never issued here, is too old or has been used before. */
		spend(seed: { value: string; environment: string; date: string; now: number; issuedAfter: number }): boolean {
			const { changes } = database
				.query(
					`UPDATE seeds SET used_at = $now WHERE value = $value AND environment = $environment AND date = $date
					AND used_at IS NULL AND issued_at > $issuedAfter`,
				)
				.run(seed);
			return changes === 1;
		},
	};
}
