/** The values that a run changed, read from the snapshots before and after it. */
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { RegistryEntry } from "../entry";
import { lookupEntry, type RegistryChange, type Snapshot } from "../index/index";
import type { ChangedField, ChangeWithFields } from "./changes-store";

/** The values of an entry that can be watched. */
export const WATCHED_FIELDS = ["status", "name", "trade_name", "economic_activity", "payment_regime"] as const;
export type WatchedField = (typeof WATCHED_FIELDS)[number];

/** Between them look-ups get their turn. */
const CHANGES_A_SLICE = 64;

/** Adds to each change the values that differ; without both snapshots none. */
export async function* withFields(
	changes: Iterable<RegistryChange>,
	before: Snapshot | undefined,
	after: Snapshot | undefined,
): AsyncGenerator<ChangeWithFields> {
	let done = 0;
	for (const change of changes) {
		if (++done % CHANGES_A_SLICE === 0) await yieldToEventLoop();
		const was = change.kind === "added" ? undefined : before && lookupEntry(before, change.document);
		const is = change.kind === "removed" ? undefined : after && lookupEntry(after, change.document);
		// Of a removed entry the status alone, of an added one all values are in the snapshot.
		yield was && is ? { ...change, fields: listChangedFields(was, is) } : change;
	}
}

function listChangedFields(was: RegistryEntry, is: RegistryEntry): ChangedField[] {
	return WATCHED_FIELDS.filter((field) => was[field] !== is[field]).map((field) => {
		return { field, was: was[field], is: is[field] };
	});
}
