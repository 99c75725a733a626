import type { Database } from "bun:sqlite";
import type { DocumentNumber } from "./receptions";

/** One void document that was carried out, wholly or in part. */
export type VoidReception = {
	readonly receivedAt: number;
	readonly environment: string;
	readonly rnc: string;
	/** Of the exact bytes of the file. */
	readonly sha256: string;
	/** What was voided, both ends included. */
	readonly ranges: readonly (readonly [from: string, to: string])[];
	readonly messages: readonly string[];
};

type Row = Omit<VoidReception, "ranges" | "messages"> & { ranges: string; messages: string };

const COLUMNS = "received_at AS receivedAt, environment, rnc, sha256, ranges, messages";

/** The numbers that can never be used. */
export type VoidStore = ReturnType<typeof createVoidStore>;

export function createVoidStore(database: Database) {
	return {
		insert(reception: VoidReception): void {
			database
				.query(
					`INSERT INTO voids (received_at, environment, rnc, sha256, ranges, messages)
					VALUES ($receivedAt, $environment, $rnc, $sha256, $ranges, $messages)`,
				)
				.run({ ...reception, ranges: JSON.stringify(reception.ranges), messages: JSON.stringify(reception.messages) });
		},

		/** The same bytes, received before. */
		findBytes(environment: string, sha256: string): VoidReception | undefined {
			const sql = `SELECT ${COLUMNS} FROM voids WHERE environment = ? AND sha256 = ? ORDER BY id LIMIT 1`;
			const row = database.query<Row, [string, string]>(sql).get(environment, sha256);
			return row ? read(row) : undefined;
		},

		/** True when a number has been voided. */
		isVoided({ environment, rnc, encf }: DocumentNumber): boolean {
			const row = database
				.query<{ found: number }, [string, string, string]>(
					`SELECT 1 AS found FROM voids, json_each(voids.ranges) AS range WHERE environment = ? AND rnc = ?
					AND ? BETWEEN json_extract(range.value, '$[0]') AND json_extract(range.value, '$[1]') LIMIT 1`,
				)
				.get(environment, rnc, encf);
			return row !== null;
		},

		/** Ranges of an issuer that share numbers with the given one. */
		listOverlaps(at: { environment: string; rnc: string; from: string; to: string }): [from: string, to: string][] {
			return database
				.query<{ low: string; high: string }, typeof at>(
					`SELECT json_extract(range.value, '$[0]') AS low, json_extract(range.value, '$[1]') AS high
					FROM voids, json_each(voids.ranges) AS range WHERE environment = $environment AND rnc = $rnc
					AND low <= $to AND high >= $from`,
				)
				.all(at)
				.map(({ low, high }) => [low, high]);
		},

		/** Forgets what came before an instant, in all environments. */
		forgetBefore(instant: number): void {
			database.query("DELETE FROM voids WHERE received_at < ?").run(instant);
		},

		/** Forgets what an issuer has voided, in all environments. */
		release(rnc: string): void {
			database.query("DELETE FROM voids WHERE rnc = ?").run(rnc);
		},

		listAll(): VoidReception[] {
			return database.query<Row, []>(`SELECT ${COLUMNS} FROM voids ORDER BY id`).all().map(read);
		},
	};
}

function read(row: Row): VoidReception {
	return { ...row, ranges: JSON.parse(row.ranges), messages: JSON.parse(row.messages) };
}
