/** Wakes the notes that are held for documents, in the transaction in which these are decided. */
import type { Tx } from "../../../platform/database";
import { hastenMessages } from "../../../platform/outbox";
import { SUBMIT_KIND } from "../model/message-kinds";
import { findHeldNotes } from "../model/store";

/** Their messages are due from now on; a poll in hold-note.ts is the safety net. Answers whether there are any. */
export async function wakeNotes(
	tx: Tx,
	decided: readonly { readonly tenantId: string; readonly encf: string }[],
): Promise<boolean> {
	const docIds = await findHeldNotes(tx, decided);
	if (docIds.length > 0) await hastenMessages(tx, SUBMIT_KIND, docIds);
	return docIds.length > 0;
}
