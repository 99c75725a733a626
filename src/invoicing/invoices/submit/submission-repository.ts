/**
 * Reads and writes for the steps of all submissions, so that concurrent steps share statements:
 *
 *   state   document, sendings, signed bytes         one statement for all that are claimed together
 *   issuer    company and certificate                  once for all documents of a tenant, and for two seconds
 *   write     intents, results, moves                  one statement, which is its own transaction
 *   conclude  steps with consequences for the tenant   one transaction: state, reactions, the message's outcome
 *
 * Each step keeps or loses its lease on its own. Throws: LeaseLostError.
 */

import { findIssuers, type Issuer } from "../../../companies";
import { type Batcher, createBatcher } from "../../../platform/concurrency";
import { createWriteBatcher, type Sql, type Tx } from "../../../platform/database";
import { failpoint } from "../../../platform/failpoints";
import { byShard } from "../../../platform/lanes";
import { LeaseLostError, type LocalDispatch } from "../../../platform/outbox";
import type { Clock } from "../../../platform/values";
import { applyReactions, type Conclusion, type VerdictReaction } from "../../verdicts";
import type { DocKey, InvoiceRow } from "../model/invoice-row";
import { findSubmissionStates, type SubmissionState } from "./submission-state";
import { insertVerdicts, releaseNumbers, type StepWrite, type StepWritten, writeSteps } from "./submission-store";

export type SubmissionRepository = {
	readonly findSubmissionState: Batcher<DocKey, SubmissionState | undefined>;
	readonly findIssuer: Batcher<string, Issuer | undefined>;
	readonly write: (step: StepWrite, invoice: InvoiceRow) => Promise<StepWritten>;
};

type Step = { readonly write: StepWrite; readonly invoice: InvoiceRow };

/** Maximum age of cached company data, which decides as whom the authority is called. A token lives much longer. */
const ISSUER_AGE_MAX_MS = 2_000;
const ISSUERS_MAX = 10_000;

const READS = { itemsMax: 200, runsMax: 2 };
/** Two, so that one batch fills while the other waits for the disk. */
const WRITES = { itemsMax: 64, runsMax: 2 };
/** One, because one transaction at a time numbers a tenant's events. */
const CONCLUSIONS = { itemsMax: 64, runsMax: 1 };

type RepositoryOptions = {
	readonly sql: Sql;
	readonly clock: Clock;
	/** Whether a batch holds documents of one shard alone. */
	readonly isByShard?: boolean;
	/** Notifies dispatchers of new messages. */
	readonly wake: () => void;
	/** Runs messages that a verdict causes in this process, as far as there is room. */
	readonly openLocalDispatch?: () => LocalDispatch;
	readonly reactions: readonly VerdictReaction[];
};

export function createSubmissionRepository(options: RepositoryOptions): SubmissionRepository {
	const { sql, clock } = options;
	const nameOf = ({ write }: Step) => write.docId;
	const alike = byShard(options.isByShard, ({ invoice }: Step) => invoice.tenantId);
	const moveQuietly = createWriteBatcher((steps) => writeSteps(sql, steps.map(toWrite), clock.now()), nameOf, {
		...{ ...WRITES, ...alike },
	});
	const conclude = createWriteBatcher((steps) => concludeHere(options, steps), nameOf, { ...CONCLUSIONS, ...alike });
	return {
		findSubmissionState: createBatcher((keys: readonly DocKey[]) => findSubmissionStates(sql, keys, clock.now()), {
			...{ ...READS, ...byShard(options.isByShard, ({ tenantId }: DocKey) => tenantId) },
		}),
		findIssuer: createIssuerFinder(sql, clock),
		async write(write, invoice) {
			const step = { write, invoice };
			const written = await (hasConsequences(write) ? conclude(step) : moveQuietly(step));
			if (!written.isHeld) throw new LeaseLostError(write.message);
			return written;
		},
	};
}

function createIssuerFinder(sql: Sql, clock: Clock): SubmissionRepository["findIssuer"] {
	const known = new Map<string, { readonly issuer: Issuer; readonly readAtMs: number }>();
	const read = createBatcher(async (tenantIds: readonly string[]) => {
		const distinct = [...new Set(tenantIds)];
		const readAtMs = performance.now();
		const issuers = await findIssuers(sql, distinct, clock.now());
		if (known.size + distinct.length > ISSUERS_MAX) known.clear();
		for (const [i, tenantId] of distinct.entries()) {
			const issuer = issuers[i];
			// A company without a certificate may get one any moment.
			if (issuer?.identity) known.set(tenantId, { issuer, readAtMs });
		}
		const byTenant = new Map(distinct.map((tenantId, i) => [tenantId, issuers[i]]));
		return tenantIds.map((tenantId) => byTenant.get(tenantId));
	}, READS);
	return async (tenantId) => {
		const found = known.get(tenantId);
		if (found && performance.now() - found.readAtMs < ISSUER_AGE_MAX_MS) return found.issuer;
		return read(tenantId);
	};
}

const toWrite = ({ write }: Step): StepWrite => write;

function hasConsequences({ to }: StepWrite): boolean {
	return to !== undefined && ("status" in to || to.contingency === "start");
}

async function concludeHere(options: RepositoryOptions, steps: readonly Step[]): Promise<StepWritten[]> {
	const localDispatch = options.openLocalDispatch?.();
	try {
		const { written, hasWoken } = await concludeAll(options, steps, localDispatch);
		localDispatch?.start();
		if (hasWoken || localDispatch === undefined || localDispatch.hasLeft()) options.wake();
		return written;
	} catch (error) {
		// After a lost connection the commit may have succeeded all the same. The leases then expire.
		localDispatch?.drop();
		throw error;
	}
}

type Following = Pick<RepositoryOptions, "clock" | "reactions"> & {
	readonly localDispatch?: LocalDispatch | undefined;
};

/** Writes steps and all that follows from them in one transaction. */
async function concludeAll(
	{ sql, clock, reactions }: RepositoryOptions,
	steps: readonly Step[],
	localDispatch: LocalDispatch | undefined,
): Promise<{ written: StepWritten[]; hasWoken: boolean }> {
	return sql.begin((tx) => concludeSteps(tx, steps, { clock, reactions, localDispatch }));
}

/** The same in a transaction of the caller. */
export async function concludeSteps(
	tx: Tx,
	steps: readonly Step[],
	{ clock, reactions, localDispatch }: Following,
): Promise<{ written: StepWritten[]; hasWoken: boolean }> {
	const written = await writeSteps(tx, steps.map(toWrite), clock.now());
	failpoint("verdict-written");
	const conclusions = steps.flatMap(({ write: { to }, invoice }, i): (Conclusion & { readonly attempts: number })[] => {
		const { version = null, startsContingency = false, place } = written[i] ?? {};
		if (version === null || to === undefined) return [];
		const decision = "status" in to ? to : undefined;
		return [{ invoice, version, startsContingency, decision, attempts: place?.attempts ?? 0 }];
	});
	await releaseNumbers(
		tx,
		conclusions.flatMap(({ decision, invoice }) => (decision?.releasesEncf ? [invoice] : [])),
	);
	const { hasWoken, sequences } = await applyReactions(tx, reactions, conclusions, { now: clock.now(), localDispatch });
	await insertVerdicts(
		tx,
		conclusions.flatMap(({ decision, invoice: { tenantId, docId }, version, attempts }, i) =>
			decision && decision.status !== "failed"
				? [{ tenantId, docId, decision, version, attempts, sequence: sequences[i] ?? null }]
				: [],
		),
	);
	failpoint("before-verdict");
	return { written, hasWoken };
}
