/** A document's final states, their events, and what happens when a second verdict contradicts the first. */

import type { Accepted, Rejected } from "../../../authority/client";
import { explainCode } from "../../../authority/codes";
import type { NewEvent } from "../../../events/webhooks";
import type { Sql } from "../../../platform/database";
import { LeaseLostError } from "../../../platform/outbox";
import type { Log, Metrics } from "../../../platform/telemetry";
import type { Conclusion, Decision, VerdictReaction } from "../../verdicts";
import type { InvoiceRow } from "../model/invoice-row";
import { toCorrection } from "../model/status";
import { findStatuses } from "../model/store";
import type { StepWritten } from "./submission-store";

export type Final = Accepted | Rejected;

/** The authority's verdict as the document's final state. The first verdict stands and never changes. */
export function toVerdict(invoice: InvoiceRow, verdict: Final, now: Date): Decision {
	const { messages, sequenceConsumed, code } = verdict;
	const trackId = verdict.trackId ?? invoice.authorityTrackId ?? undefined;
	const common = { ...(trackId ? { trackId } : {}), code, sequenceConsumed };
	if (verdict.kind === "accepted") {
		return {
			status: "accepted",
			// Conditional acceptance is acceptance. The authority's remarks become warnings.
			authority: { approvedAt: now.toISOString(), ...common, warnings: messages },
			failure: null,
			releasesEncf: false,
			at: now,
			detail: verdict.conditional ? "accepted conditionally" : "accepted",
		};
	}
	const explained = explainCode(code);
	return {
		status: "rejected",
		authority: { ...common, ...(explained.known ? { title: explained.title } : {}), messages },
		failure: null,
		releasesEncf: !sequenceConsumed,
		at: now,
		detail: `rejected with code ${code}`,
	};
}

/** `isFinal`: the document was never sent and never can be. Its number is free, and it cannot be retried. */
export type Failure = { readonly code: string; readonly detail: string; readonly isFinal?: boolean };

export function toFailure({ isFinal = false, ...failure }: Failure, now: Date): Decision {
	return {
		status: "failed",
		authority: null,
		failure: { ...failure, failedAt: now.toISOString(), retryable: !isFinal },
		releasesEncf: isFinal,
		at: now,
		detail: `failed: ${failure.code}`,
	};
}

/** The event of a final state, and of the start of a contingency. Gap: a test set has one event of its own, its documents have none. */
export const verdictEvents: VerdictReaction = {
	events: (conclusion, now) => {
		if (conclusion.invoice.testSetId !== null) return [];
		if (conclusion.decision) return [toVerdictEvent(conclusion, conclusion.decision)];
		if (!conclusion.startsContingency) return [];
		return [{ ...toEvent(conclusion, now), event: "invoice.pending_contingency", status: "pending" }];
	},
};

function toVerdictEvent(conclusion: Conclusion, { status, authority, at }: Decision): NewEvent {
	return {
		...toEvent(conclusion, at),
		event: `invoice.${status}`,
		status,
		...(typeof authority?.code === "string" ? { authorityCode: authority.code } : {}),
		...(status === "rejected" ? toCorrection(conclusion.invoice, authority) : {}),
	};
}

function toEvent({ invoice, version: docVersion }: Conclusion, occurredAt: Date) {
	const { tenantId, docId, trackId, encf, clientRequestId } = invoice;
	return { tenantId, docId, trackId, docVersion, occurredAt, encf, clientRequestId };
}

type VerdictContext = {
	readonly deps: { readonly sql: Sql; readonly log: Log; readonly metrics: Pick<Metrics, "verdictContradictions"> };
	readonly invoice: InvoiceRow;
};

/**
 * Writes a verdict. Another holder of the message may have decided the document meanwhile; then the first verdict stands. If the second one
 * contradicts it, the authority has given both, and an operator has to contact it. "The number was used before" is no contradiction, because
 * the authority says so of a second copy of an accepted document. Throws: LeaseLostError.
 */
export async function writeVerdict<T extends Pick<StepWritten, "version">>(
	work: VerdictContext,
	verdict: Final,
	write: () => Promise<T>,
): Promise<T> {
	try {
		const written = await write();
		if (written.version === null) await compareWithFirst(work, verdict);
		return written;
	} catch (error) {
		if (error instanceof LeaseLostError) await compareWithFirst(work, verdict);
		throw error;
	}
}

async function compareWithFirst({ deps, invoice }: VerdictContext, observed: Final): Promise<void> {
	if (observed.kind === "rejected" && observed.duplicate) return;
	const stands = await readStatus(deps, invoice);
	const isContrary = (stands === "accepted" || stands === "rejected") && stands !== observed.kind;
	if (!isContrary) return;
	deps.metrics.verdictContradictions.inc();
	const { docId, encf } = invoice;
	deps.log.error(
		{ event: "verdict.contradicted", docId, encf, stands, observed: observed.kind, code: observed.code },
		"the authority gave two contradicting verdicts on a document; the first one stands",
	);
}

/** A failure to read must not replace the outcome of the step itself. */
async function readStatus({ sql, log }: VerdictContext["deps"], invoice: InvoiceRow): Promise<string | undefined> {
	try {
		return (await findStatuses(sql, [invoice])).get(invoice.docId);
	} catch (error) {
		log.warn(
			{ event: "verdict.not_compared", docId: invoice.docId, err: error },
			"a later verdict could not be compared with the first one",
		);
		return undefined;
	}
}
