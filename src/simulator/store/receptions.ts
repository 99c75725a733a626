import type { Database } from "bun:sqlite";
import type { Message, VerdictCode } from "../validation/judgement";

/** A POST with a document, as the authority remembers it. Times are milliseconds since 1970. */
export type Reception = {
	readonly id: number;
	readonly receivedAt: number;
	readonly environment: string;
	readonly host: "main" | "fc";
	/** Issuer; null, like everything read from the document, if the file could not be read. */
	readonly rnc: string | null;
	readonly encf: string | null;
	readonly type: string | null;
	/** Digest of the exact bytes of the file, or of the whole body if it had no file. */
	readonly sha256: string;
	readonly sizeBytes: number;
	/** Null for summaries and for submissions that were refused at once. */
	readonly trackId: string | null;
	/** Why it was refused at once, without a verdict. */
	readonly refusal: string | null;
	readonly verdict: VerdictCode | null;
	readonly messages: readonly Message[];
	readonly sequenceConsumed: boolean | null;
	/** True for the one reception that the number belongs to. */
	readonly holdsNumber: boolean;
	/** The reception of the same bytes whose verdict this one repeats. */
	readonly repeatsId: number | null;
	readonly securityCode: string | null;
	readonly total: string | null;
	readonly totalItbis: string | null;
	readonly issuerName: string | null;
	readonly buyerRnc: string | null;
	readonly buyerName: string | null;
	readonly foreignBuyer: string | null;
	/** `dd-MM-yyyy`. */
	readonly issueDate: string | null;
	/** `dd-MM-yyyy HH:mm:ss`. */
	readonly signedAt: string | null;
	readonly referenceEncf: string | null;
	/** What the document does to the other one; null if an older version of the program stored it. */
	readonly referenceCode: string | null;
	/** When the verdict may be reported. */
	readonly visibleAt: number | null;
	/** When queries may know of it. */
	readonly readableAt: number;
};

export type DocumentNumber = { readonly environment: string; readonly rnc: string; readonly encf: string };

type Row = Omit<Reception, "messages" | "sequenceConsumed" | "holdsNumber"> & {
	messages: string;
	sequenceConsumed: number | null;
	holdsNumber: number;
};

const COLUMNS = `id, received_at AS receivedAt, environment, host, rnc, encf, type, sha256, size_bytes AS sizeBytes,
	track_id AS trackId, refusal, verdict, messages, sequence_consumed AS sequenceConsumed, holds_number AS holdsNumber,
	repeats_id AS repeatsId, security_code AS securityCode, total, total_itbis AS totalItbis, issuer_name AS issuerName,
	buyer_rnc AS buyerRnc, buyer_name AS buyerName, foreign_buyer AS foreignBuyer, issue_date AS issueDate,
	signed_at AS signedAt, reference_encf AS referenceEncf, reference_code AS referenceCode, visible_at AS visibleAt, readable_at AS readableAt`;

/** Everything that was received, in order. */
export type ReceptionStore = ReturnType<typeof createReceptionStore>;

export function createReceptionStore(database: Database) {
	const NUMBER = "environment = $environment AND rnc = $rnc AND encf = $encf";
	return {
		insert(reception: Omit<Reception, "id">): void {
			database
				.query(
					`INSERT INTO receptions (received_at, environment, host, rnc, encf, type, sha256, size_bytes, track_id, refusal,
						verdict, messages, sequence_consumed, holds_number, repeats_id, security_code, total, total_itbis, issuer_name,
						buyer_rnc, buyer_name, foreign_buyer, issue_date, signed_at, reference_encf, reference_code, visible_at, readable_at)
					VALUES ($receivedAt, $environment, $host, $rnc, $encf, $type, $sha256, $sizeBytes, $trackId, $refusal,
						$verdict, $messages, $sequenceConsumed, $holdsNumber, $repeatsId, $securityCode, $total, $totalItbis, $issuerName,
						$buyerRnc, $buyerName, $foreignBuyer, $issueDate, $signedAt, $referenceEncf, $referenceCode, $visibleAt, $readableAt)`,
				)
				.run({ ...reception, messages: JSON.stringify(reception.messages) });
		},

		/** The reception that the number belongs to, whether or not its verdict is reported yet. */
		findHolder(number: DocumentNumber): Reception | undefined {
			const sql = `SELECT ${COLUMNS} FROM receptions WHERE ${NUMBER} AND holds_number = 1`;
			return read(database.query<Row, DocumentNumber>(sql).get(number));
		},

		/** What is known of a number at an instant: its holder, or the last one with a reported verdict. */
		findVisible(number: DocumentNumber & { now: number }): Reception | undefined {
			const sql = `SELECT ${COLUMNS} FROM receptions WHERE ${NUMBER} AND verdict IS NOT NULL AND visible_at <= $now
				AND readable_at <= $now ORDER BY holds_number DESC, id DESC LIMIT 1`;
			return read(database.query<Row, DocumentNumber & { now: number }>(sql).get(number));
		},

		findByTrackId(environment: string, trackId: string): Reception | undefined {
			const sql = `SELECT ${COLUMNS} FROM receptions WHERE environment = ? AND track_id = ?`;
			return read(database.query<Row, [string, string]>(sql).get(environment, trackId));
		},

		/** All receptions of a number with a trackId that are known at an instant, oldest first. */
		listTracked(number: DocumentNumber & { now: number }): Reception[] {
			const sql = `SELECT ${COLUMNS} FROM receptions WHERE ${NUMBER} AND track_id IS NOT NULL AND readable_at <= $now
				ORDER BY id`;
			return database.query<Row, DocumentNumber & { now: number }>(sql).all(number).flatMap(toList);
		},

		/** Good notes of an issuer that modify the given number, oldest first. */
		listNotesOn(number: DocumentNumber): Reception[] {
			const sql = `SELECT ${COLUMNS} FROM receptions WHERE environment = $environment AND rnc = $rnc
				AND reference_encf = $encf AND holds_number = 1 AND verdict IN (1, 4) ORDER BY id`;
			return database.query<Row, DocumentNumber>(sql).all(number).flatMap(toList);
		},

		/** The issuer's numbers between two that belong to a document, on either channel. */
		listHeldBetween(at: { environment: string; rnc: string; from: string; to: string }): string[] {
			return database
				.query<{ encf: string }, typeof at>(
					`SELECT encf FROM receptions WHERE environment = $environment AND rnc = $rnc AND encf BETWEEN $from AND $to
					AND holds_number = 1 ORDER BY encf`,
				)
				.all(at)
				.map(({ encf }) => encf);
		},

		/** Deletes what an environment received before an instant and frees the numbers. */
		forget(environment: string, before: number): void {
			database.query("DELETE FROM receptions WHERE environment = ? AND received_at < ?").run(environment, before);
		},

		/** Deletes older entries, in all environments. */
		forgetBefore(instant: number): void {
			database.query("DELETE FROM receptions WHERE received_at < ?").run(instant);
		},

		/**
		 * Frees an issuer's numbers, in all environments. Other taxpayers can still query its documents; a later owner of the numbers cannot find
		 * them by trackId.
		 */
		release(rnc: string): void {
			// The environments are listed for the index, which begins with them.
			database
				.query(
					"UPDATE receptions SET holds_number = 0, track_id = NULL WHERE environment IN ('testecf', 'certecf', 'ecf') AND rnc = ?",
				)
				.run(rnc);
		},

		listAll(): Reception[] {
			return database.query<Row, []>(`SELECT ${COLUMNS} FROM receptions ORDER BY id`).all().flatMap(toList);
		},
	};
}

function toList(row: Row): Reception[] {
	const reception = read(row);
	return reception ? [reception] : [];
}

function read(row: Row | null): Reception | undefined {
	if (!row) return undefined;
	return {
		...row,
		messages: JSON.parse(row.messages),
		sequenceConsumed: row.sequenceConsumed === null ? null : row.sequenceConsumed === 1,
		holdsNumber: row.holdsNumber === 1,
	};
}

/** A void document that was executed, fully or in part. */
export type VoidReception = {
	readonly receivedAt: number;
	readonly environment: string;
	readonly rnc: string;
	/** Digest of the exact bytes of the file. */
	readonly sha256: string;
	/** What was voided, both ends included. */
	readonly ranges: readonly (readonly [from: string, to: string])[];
	readonly messages: readonly string[];
};

type VoidRow = Omit<VoidReception, "ranges" | "messages"> & { ranges: string; messages: string };

const VOID_COLUMNS = "received_at AS receivedAt, environment, rnc, sha256, ranges, messages";

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
			const sql = `SELECT ${VOID_COLUMNS} FROM voids WHERE environment = ? AND sha256 = ? ORDER BY id LIMIT 1`;
			const row = database.query<VoidRow, [string, string]>(sql).get(environment, sha256);
			return row ? readVoid(row) : undefined;
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

		/** Deletes older entries, in all environments. */
		forgetBefore(instant: number): void {
			database.query("DELETE FROM voids WHERE received_at < ?").run(instant);
		},

		release(rnc: string): void {
			database.query("DELETE FROM voids WHERE rnc = ?").run(rnc);
		},

		listAll(): VoidReception[] {
			return database.query<VoidRow, []>(`SELECT ${VOID_COLUMNS} FROM voids ORDER BY id`).all().map(readVoid);
		},
	};
}

function readVoid(row: VoidRow): VoidReception {
	return { ...row, ranges: JSON.parse(row.ranges), messages: JSON.parse(row.messages) };
}
