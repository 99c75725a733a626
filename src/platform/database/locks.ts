/** Every advisory lock. A number or name may change only while no process of another version runs. SQL functions repeat some numbers. */
import { type Tx, WAIT_OUTSIDE } from "./connect";

export const LOCKS = {
	migrations: 7_301_001,
	signingKeys: 7_301_002,
	housekeeping: 7_301_003,
	registryIngest: 7_301_004,
	demoCompany: 7_301_005,
	/** Class, with a tenant: documents of the tenant are being stored. `intake` takes it shared. */
	storingDocuments: 7_301_012,
	sandboxWipe: 7_301_027,
	/** Class, with a shard: leaves are added to its tree. Taken by the SQL functions alone. */
	archiveLeaves: 7_301_028,
	archiveCheckpoint: 7_301_029,
	archiveRetention: 7_301_030,
	serviceRole: 7_301_031,
	/** Class, with a document: its e-mails are being counted. */
	documentEmails: 7_301_035,
	authorityStatus: 7_301_040,
	/** Class, with a tenant: its company moves between the authority's environments, or must not move. */
	companyEnvironment: 7_301_041,
	registryKeys: 7_301_043,
	registryEdge: 7_301_044,
	/** Settings of the deployment are compared. */
	deployment: 7_301_072,
	/** Taken by `maintain_partitions` alone. */
	partitions: 7_301_070,
	/** Class, with a tenant: its sums are folded. Taken by `fold_sums` alone. */
	foldedSums: 7_301_071,
	/** Class, with a lane: its owner writes. `hold_lane` takes it shared; who takes the lane over waits for its writes. */
	lane: 7_301_064,
	laneTakeOver: 7_301_065,
} as const;

/** Locks whose number is the hash of a name and of what follows it. */
const NAMED_LOCKS = {
	refreshFamily: "refresh-family",
	auditedTenant: "audit",
	receivedDocument: "received",
	archiveExports: "archive-exports",
	preparedInvoices: "prepared-invoices",
	registryChecks: "registry-checks",
	team: "team",
} as const;

/** The text to hash, for `pg_advisory_xact_lock(hashtextextended(text, 0))`. */
export function lockNameOf(name: keyof typeof NAMED_LOCKS, ...parts: readonly string[]): string {
	return [NAMED_LOCKS[name], ...parts].join("|");
}

/**
 * Takes an advisory lock until the transaction ends; false when another session has it. The work that it protects may be done outside of the
 * transaction: `idleMax`, in PostgreSQL's notation, is how long the transaction may be idle meanwhile.
 */
export async function tryLock(tx: Tx, lock: number, idleMax = WAIT_OUTSIDE): Promise<boolean> {
	const [row] = await tx<{ held: boolean }[]>`
		select pg_try_advisory_xact_lock(${lock}) as held, set_config('idle_in_transaction_session_timeout', ${idleMax}, true)`;
	return row?.held ?? false;
}
