/**
 * Takes free numbers out of a type's sequences into holds, the only way in which a document gets a number.
 *
 *   free ──take──▶ hold ──stored──▶ invoice ──given back by the authority──▶ free
 *     ▲             │
 *     └──refused, returned, expired unless a document has it──┘
 *
 * The lowest numbers of the first sequence to expire are taken first, so returned numbers are used again before new ones, and no gap remains. The caller has
 * locked the type.
 */
import type { Tx } from "../../platform/database";
import { type Environment, newId } from "../../platform/values";
import { endHolds } from "./hold-store";
import { notifyWhenLow } from "./low-sequence";
import { countNumbers, dropNumbers, type NumberRange, takeLowest } from "./number-ranges";
import { addUsage, findUsable, removeFree, type TypeKey, type UsableSequence } from "./store";
import { findTaken, settleDocuments } from "./used-numbers-store";

type At = { readonly now: Date; readonly today: string; readonly environment: Environment };

export type Taken = {
	readonly sequenceId: string;
	readonly expiresOn: string | null;
	readonly ranges: readonly NumberRange[];
};

/** Factor by which the search widens when numbers turn out to be used. */
const WIDENING = 8;
const SEARCH_MAX = 10_000;

/** Takes `count` numbers. Undefined, without taking any, if there are fewer. `isNotified`: an event was written. */
export async function takeNumbers(
	tx: Tx,
	key: TypeKey,
	count: number,
	at: At,
): Promise<{ readonly taken: readonly Taken[]; readonly isNotified: boolean } | undefined> {
	await endHolds(tx, key);
	const usable = await findUsable(tx, key, at.now);
	const taken: Taken[] = [];
	let available = usable.reduce((sum, sequence) => sum + countNumbers(sequence.free), 0) - count;
	let missing = count;
	for (const sequence of usable) {
		if (missing === 0) break;
		const { ranges, usedCount } = await chooseUnused(tx, key, sequence, missing, at.environment);
		available -= usedCount;
		if (ranges.length === 0) continue;
		taken.push({ sequenceId: sequence.id, expiresOn: sequence.expiresOn, ranges });
		missing -= countNumbers(ranges);
	}
	if (missing > 0) return undefined;
	for (const { sequenceId, ranges } of taken) await removeFree(tx, key.tenantId, sequenceId, ranges);
	await addUsage(tx, key, at.today, count);
	const isNotified = await notifyWhenLow(tx, key, {
		available,
		sequenceId: taken[0]?.sequenceId ?? newId(),
		now: at.now,
	});
	return { taken, isNotified };
}

/** The lowest free numbers of a sequence that no document uses in any form. Used ones found here leave `free`. */
async function chooseUnused(
	tx: Tx,
	key: TypeKey,
	sequence: UsableSequence,
	count: number,
	environment: Environment,
): Promise<{ readonly ranges: NumberRange[]; readonly usedCount: number }> {
	let { free } = sequence;
	let usedCount = 0;
	let searched = count;
	while (free.length > 0) {
		const candidates = takeLowest(free, searched);
		const few = environment === "production" ? [] : takeLowest(candidates, count);
		const { used, short } = await findTaken(tx, key, candidates, few);
		if (used.length + short.length === 0) return { ranges: takeLowest(candidates, count), usedCount };
		usedCount += await settleDocuments(tx, key, { among: used, countMax: countNumbers(used) });
		const others = dropNumbers(short, used);
		if (others.length > 0) await removeFree(tx, key.tenantId, sequence.id, others);
		usedCount += countNumbers(others);
		const unused = dropNumbers(dropNumbers(candidates, used), others);
		free = dropNumbers(dropNumbers(free, used), others);
		searched = countNumbers(unused) >= count ? count : Math.min(Math.max(count, SEARCH_MAX), searched * WIDENING);
	}
	return { ranges: [], usedCount };
}
