/** Writes a final state and its event in one transaction, and asks for the document to be archived. */
import { type Accepted, explainCode, type Rejected } from "../authority";
import type { Sql, Tx } from "../database";
import { append, lockHeldMessage, type Message } from "../outbox";
import { enqueueEvent } from "../webhooks";
import type { InvoiceRow } from "./invoice-row";
import { listFixesOf } from "./status";
import { type Decision, decideInvoice } from "./store";

export type Final = Accepted | Rejected;

/** The lease passed to another holder: this one must change nothing. */
export class LeaseLostError extends Error {
	constructor(readonly held: Pick<Message, "id" | "attempt">) {
		super(`message ${held.id} is no longer held by attempt ${held.attempt}`);
		this.name = "LeaseLostError";
	}
}

/** Runs a write on behalf of a message, if it is still this holder's. Throws: LeaseLostError. */
export async function writeHeld<T>(sql: Sql, message: Message, write: (tx: Tx) => Promise<T>): Promise<T> {
	return sql.begin(async (tx) => {
		if (!(await lockHeldMessage(tx, message))) throw new LeaseLostError(message);
		return write(tx);
	}) as Promise<T>;
}

/** Writes the authority's verdict. Accepted and rejected never change again; the first final verdict stands. */
export async function recordVerdict(tx: Tx, invoice: InvoiceRow, verdict: Final, now: Date): Promise<void> {
	const { messages, sequenceConsumed, code } = verdict;
	const trackId = verdict.trackId ?? invoice.authorityTrackId ?? undefined;
	const explained = explainCode(code);
	const common = { ...(trackId ? { trackId } : {}), code, sequenceConsumed };
	const decision: Decision =
		verdict.kind === "accepted"
			? {
					status: "accepted",
					// Conditional acceptance is acceptance: what the authority remarks comes as warnings.
					authority: { approvedAt: now.toISOString(), ...common, warnings: messages },
					failure: null,
					releasesEncf: false,
					at: now,
					detail: verdict.conditional ? "accepted conditionally" : "accepted",
				}
			: {
					status: "rejected",
					authority: { ...common, ...(explained.known ? { title: explained.title } : {}), messages },
					failure: null,
					releasesEncf: !sequenceConsumed,
					at: now,
					detail: `rejected with code ${code}`,
				};
	await decide(tx, invoice, decision);
}

/** Writes an internal failure that outlived its SLA; the document can be brought back. */
export async function recordFailure(
	tx: Tx,
	invoice: InvoiceRow,
	failure: { code: string; detail: string },
	now: Date,
): Promise<void> {
	await decide(tx, invoice, {
		status: "failed",
		authority: null,
		failure: { ...failure, failedAt: now.toISOString(), retryable: true },
		releasesEncf: false,
		at: now,
		detail: `failed: ${failure.code}`,
	});
}

async function decide(tx: Tx, invoice: InvoiceRow, decision: Decision): Promise<void> {
	const version = await decideInvoice(tx, invoice.docId, decision);
	if (version === undefined) return;
	const authorityCode = decision.authority?.code;
	const fix = decision.status === "rejected" ? listFixesOf(decision.authority ?? {}) : [];
	await enqueueEvent(tx, {
		event: `invoice.${decision.status}`,
		tenantId: invoice.tenantId,
		docId: invoice.docId,
		trackId: invoice.trackId,
		docVersion: version,
		occurredAt: decision.at,
		encf: invoice.encf,
		clientRequestId: invoice.clientRequestId,
		status: decision.status,
		...(typeof authorityCode === "string" ? { authorityCode } : {}),
		...(fix.length > 0 ? { fix } : {}),
	});
	await append(tx, { kind: "invoice.archive", tenantId: invoice.tenantId, subject: invoice.docId });
}
