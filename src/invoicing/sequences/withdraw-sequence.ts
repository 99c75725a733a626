/**
 * Takes back a range that was registered by mistake, or that the authority does not know: such a number comes back each time it is refused, and
 * would be given out again for ever.
 */
import type { Tx } from "../../platform/database";
import { Problem } from "../../platform/problem";
import { endHolds, isSequenceHeld } from "./hold-store";
import { countNumbers } from "./number-ranges";
import { deleteSequence, findTypeOf, findUsable, lockType, noteCapacity } from "./store";

/**
 * Numbers that documents have stay theirs; those of a range that is registered anew are free again as far as nobody has them.
 * Throws: not-found; sequence-conflict while a lease, or an invoice that is being signed, has numbers of it.
 */
export async function withdrawSequence(tx: Tx, tenantId: string, id: string, now: Date): Promise<void> {
	const type = await findTypeOf(tx, tenantId, id);
	if (type === undefined) throw new Problem("not-found");
	const key = { tenantId, type };
	await lockType(tx, key);
	await endHolds(tx, key);
	if (await isSequenceHeld(tx, id)) {
		const detail = "Numbers of the sequence are leased, or on their way into documents. Return its leases first.";
		throw new Problem("sequence-conflict", { detail, extensions: { sequenceId: id } });
	}
	if (!(await deleteSequence(tx, id))) throw new Problem("not-found");
	const usable = await findUsable(tx, key, now);
	const left = usable.reduce((sum, { free }) => sum + countNumbers(free), 0);
	await noteCapacity(tx, key, left);
}
