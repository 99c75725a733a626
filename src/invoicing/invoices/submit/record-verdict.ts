/** A document's final states as they are written, and the events that tell of them. */
import { type Accepted, explainCode, type Rejected } from "../../../authority/client";
import type { NewEvent } from "../../../events/webhooks";
import type { InvoiceRow } from "../model/invoice-row";
import { listFixesOf } from "../model/status";
import type { Decision } from "./submission-writes";

export type Final = Accepted | Rejected;

/** The authority's verdict as the document's final state. Accepted and rejected never change again; the first one stands. */
export function toVerdict(invoice: InvoiceRow, verdict: Final, now: Date): Decision {
	const { messages, sequenceConsumed, code } = verdict;
	const trackId = verdict.trackId ?? invoice.authorityTrackId ?? undefined;
	const common = { ...(trackId ? { trackId } : {}), code, sequenceConsumed };
	if (verdict.kind === "accepted") {
		return {
			status: "accepted",
			// Conditional acceptance is acceptance: what the authority remarks comes as warnings.
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

/** `isFinal`: it was never sent and never can be, so its number is free and it cannot be brought back. */
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

/** The event of a final state. */
export function toVerdictEvent(invoice: InvoiceRow, decision: Decision, docVersion: number): NewEvent {
	const authorityCode = decision.authority?.code;
	const fix = decision.status === "rejected" ? listFixesOf(decision.authority ?? {}) : [];
	return {
		...toEventOf(invoice, docVersion, decision.at),
		event: `invoice.${decision.status}`,
		status: decision.status,
		...(typeof authorityCode === "string" ? { authorityCode } : {}),
		...(fix.length > 0 ? { fix } : {}),
	};
}

/** The event of a document that waits for the authority to come back. */
export function toContingencyEvent(invoice: InvoiceRow, docVersion: number, now: Date): NewEvent {
	return { ...toEventOf(invoice, docVersion, now), event: "invoice.pending_contingency", status: "pending" };
}

function toEventOf(invoice: InvoiceRow, docVersion: number, occurredAt: Date) {
	const { tenantId, docId, trackId, encf, clientRequestId } = invoice;
	return { tenantId, docId, trackId, docVersion, occurredAt, encf, clientRequestId };
}
