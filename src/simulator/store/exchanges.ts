/** Documents between taxpayers: approvals that were sent in, and exchanges with the simulated counterparts. */
import type { Database } from "bun:sqlite";
import type { DocumentNumber } from "./receptions";

export type Approval = DocumentNumber & {
	readonly receivedAt: number;
	readonly buyerRnc: string;
	/** 1 approved, 2 rejected by the buyer. */
	readonly state: number;
	readonly reason: string | null;
	/** Digest of the exact bytes of the file. */
	readonly sha256: string;
};

const COLUMNS = "received_at AS receivedAt, environment, rnc, encf, buyer_rnc AS buyerRnc, state, reason, sha256";

/** The buyers' responses to documents; the first one of each counts. */
export type ApprovalStore = ReturnType<typeof createApprovalStore>;

export function createApprovalStore(database: Database) {
	return {
		/** The response to a document; undefined if there is none. */
		find(number: DocumentNumber): Approval | undefined {
			const sql = `SELECT ${COLUMNS} FROM approvals WHERE environment = $environment AND rnc = $rnc AND encf = $encf`;
			const { environment, rnc, encf } = number;
			return database.query<Approval, DocumentNumber>(sql).get({ environment, rnc, encf }) ?? undefined;
		},

		insert(approval: Approval): void {
			database
				.query(
					`INSERT INTO approvals (received_at, environment, rnc, encf, buyer_rnc, state, reason, sha256)
					VALUES ($receivedAt, $environment, $rnc, $encf, $buyerRnc, $state, $reason, $sha256)`,
				)
				.run(approval);
		},

		/** Deletes older entries, in all environments. */
		forgetBefore(instant: number): void {
			database.query("DELETE FROM approvals WHERE received_at < ?").run(instant);
		},

		/** Deletes the responses to an issuer's documents, in all environments. */
		release(rnc: string): void {
			database.query("DELETE FROM approvals WHERE rnc = ?").run(rnc);
		},

		listAll(): Approval[] {
			return database.query<Approval, []>(`SELECT ${COLUMNS} FROM approvals ORDER BY received_at, encf`).all();
		},
	};
}

/** A document that the simulator exchanged with a taxpayer, as issuer or as receiver. */
export type Exchange = {
	readonly at: number;
	readonly kind: "received" | "pushed";
	readonly issuerRnc: string;
	readonly buyerRnc: string;
	readonly encf: string;
	/** 0 received, 1 not received; null if there was no acknowledgement. */
	readonly state: number | null;
	readonly messages: readonly string[];
};

type Row = Omit<Exchange, "messages"> & { messages: string };

const EXCHANGE_COLUMNS = "at, kind, issuer_rnc AS issuerRnc, buyer_rnc AS buyerRnc, encf, state, messages";

/** What the simulator has sent to receivers and received from issuers. */
export type ExchangeStore = ReturnType<typeof createExchangeStore>;

export function createExchangeStore(database: Database) {
	return {
		insert(exchange: Exchange): void {
			database
				.query(
					`INSERT INTO exchanges (at, kind, issuer_rnc, buyer_rnc, encf, state, messages)
					VALUES ($at, $kind, $issuerRnc, $buyerRnc, $encf, $state, $messages)`,
				)
				.run({ ...exchange, messages: JSON.stringify(exchange.messages) });
		},

		/** True if the document was received before. */
		hasReceived(issuerRnc: string, encf: string): boolean {
			const sql = `SELECT 1 AS found FROM exchanges WHERE kind = 'received' AND issuer_rnc = ? AND encf = ? AND state = 0`;
			return database.query<{ found: number }, [string, string]>(sql).get(issuerRnc, encf) !== null;
		},

		/** The last push of a number to a receiver. */
		findPush(buyerRnc: string, encf: string): Exchange | undefined {
			const sql = `SELECT ${EXCHANGE_COLUMNS} FROM exchanges WHERE kind = 'pushed' AND buyer_rnc = ? AND encf = ?
				ORDER BY id DESC LIMIT 1`;
			const row = database.query<Row, [string, string]>(sql).get(buyerRnc, encf);
			return row ? { ...row, messages: JSON.parse(row.messages) } : undefined;
		},

		/** How many documents have been pushed, which determines the next number. */
		countPushes(): number {
			const sql = "SELECT count(*) AS n FROM exchanges WHERE kind = 'pushed'";
			return database.query<{ n: number }, []>(sql).get()?.n ?? 0;
		},

		listAll(): Exchange[] {
			return database
				.query<Row, []>(`SELECT ${EXCHANGE_COLUMNS} FROM exchanges ORDER BY id`)
				.all()
				.map((row) => ({ ...row, messages: JSON.parse(row.messages) }));
		},
	};
}
