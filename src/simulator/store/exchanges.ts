import type { Database } from "bun:sqlite";

/** One document between taxpayers of which the simulator was one: it played the issuer, or the receiver. */
export type Exchange = {
	readonly at: number;
	readonly kind: "received" | "pushed";
	/** The issuer's RNC. */
	readonly issuerRnc: string;
	readonly buyerRnc: string;
	readonly encf: string;
	/** 0 received, 1 not received; null when the other side gave no acknowledgement. */
	readonly state: number | null;
	readonly messages: readonly string[];
};

type Row = Omit<Exchange, "messages"> & { messages: string };

const COLUMNS = "at, kind, issuer_rnc AS issuerRnc, buyer_rnc AS buyerRnc, encf, state, messages";

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

		/** True when the document was received before. */
		hasReceived(issuerRnc: string, encf: string): boolean {
			const sql = `SELECT 1 AS found FROM exchanges WHERE kind = 'received' AND issuer_rnc = ? AND encf = ? AND state = 0`;
			return database.query<{ found: number }, [string, string]>(sql).get(issuerRnc, encf) !== null;
		},

		/** The last push of a number to a receiver. */
		findPush(buyerRnc: string, encf: string): Exchange | undefined {
			const sql = `SELECT ${COLUMNS} FROM exchanges WHERE kind = 'pushed' AND buyer_rnc = ? AND encf = ?
				ORDER BY id DESC LIMIT 1`;
			const row = database.query<Row, [string, string]>(sql).get(buyerRnc, encf);
			return row ? { ...row, messages: JSON.parse(row.messages) } : undefined;
		},

		/** How many documents have been pushed: the next one's number follows from it. */
		countPushes(): number {
			const sql = "SELECT count(*) AS n FROM exchanges WHERE kind = 'pushed'";
			return database.query<{ n: number }, []>(sql).get()?.n ?? 0;
		},

		listAll(): Exchange[] {
			return database
				.query<Row, []>(`SELECT ${COLUMNS} FROM exchanges ORDER BY id`)
				.all()
				.map((row) => ({ ...row, messages: JSON.parse(row.messages) }));
		},
	};
}
