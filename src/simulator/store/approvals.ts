import type { Database } from "bun:sqlite";
import type { DocumentNumber } from "./receptions";

/** A commercial approval or rejection that was taken in. */
export type Approval = DocumentNumber & {
	readonly receivedAt: number;
	readonly buyerRnc: string;
	/** 1 approved, 2 rejected by the buyer. */
	readonly state: number;
	readonly reason: string | null;
	/** Of the exact bytes of the file. */
	readonly sha256: string;
};

const COLUMNS = "received_at AS receivedAt, environment, rnc, encf, buyer_rnc AS buyerRnc, state, reason, sha256";

/** What buyers have said of the documents; the first word of each stands. */
export type ApprovalStore = ReturnType<typeof createApprovalStore>;

export function createApprovalStore(database: Database) {
	return {
		/** The word on a document; undefined when there is none yet. */
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

		/** Forgets what came before an instant, in all environments. */
		forgetBefore(instant: number): void {
			database.query("DELETE FROM approvals WHERE received_at < ?").run(instant);
		},

		/** Forgets the words on an issuer's documents, in all environments. */
		release(rnc: string): void {
			database.query("DELETE FROM approvals WHERE rnc = ?").run(rnc);
		},

		listAll(): Approval[] {
			return database.query<Approval, []>(`SELECT ${COLUMNS} FROM approvals ORDER BY received_at, encf`).all();
		},
	};
}
