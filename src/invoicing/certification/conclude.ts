/** Ends a test set: its last state, what was not sent withdrawn, and the event that tells of it, in one transaction. */
import { type AuthorityMessage, listFixes } from "../../authority/client";
import { enqueueEvent } from "../../events/webhooks";
import type { Tx } from "../../platform/database";
import type { TestDocumentState } from "../invoices";
import { type Happening, move } from "./machine";
import { moveSet, withdrawCases } from "./store";
import type { Failure, TestSetRow } from "./test-set-row";

export type Ending = Extract<Happening, "all-accepted" | "refused" | "expired" | "cancelled">;

/** The caller has locked the set. Answers false where it cannot end so. */
export async function concludeSet(
	tx: Tx,
	set: TestSetRow,
	ending: Ending,
	now: Date,
	failure: Failure | null = null,
): Promise<boolean> {
	const to = move(set, ending, set.runsMax);
	if (!to) return false;
	await withdrawCases(tx, set);
	await moveSet(tx, set.id, to, { failure, isFinal: true });
	const { id, tenantId, mode, run } = set;
	await enqueueEvent(tx, {
		...{ event: "certification.completed", tenantId, docId: id, trackId: id, occurredAt: now, status: to.status },
		certification: { mode, run },
	});
	return true;
}

/** Why a set failed, by the document that was not accepted. */
export function toFailure(
	name: string,
	{ authority, failure }: Pick<TestDocumentState, "authority" | "failure">,
): Failure {
	const own = failure ?? {};
	if (typeof own.code === "string") return { case: name, code: own.code, detail: String(own.detail ?? ""), fix: [] };
	const code = String(authority?.code ?? "2");
	const messages = Array.isArray(authority?.messages) ? (authority.messages as AuthorityMessage[]) : [];
	const told = messages.map(({ text }) => text).join(" ");
	return { case: name, code, detail: `[${code}] ${told}`.trim(), fix: listFixes(code, messages) };
}
