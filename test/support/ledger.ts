/** Append-only files of what somebody outside the service has seen: written and synced before anything else is done about it. */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";

export type Ledger<T> = {
	/** On disk when it returns. */
	readonly write: (entry: T) => void;
	/** All entries, read back from the file. */
	readonly read: () => T[];
	/** Entries written, or things that they are of. */
	readonly count: () => number;
	readonly close: () => void;
};

/** What is seen several times, as a delivery that is repeated, counts once where `thingOf` names it, and not at all where that has no name. */
export function openLedger<T>(path: string, thingOf?: (entry: T) => string | undefined): Ledger<T> {
	const file = openSync(path, "a", 0o600);
	const things = new Set<string>();
	let entries = 0;
	return {
		write: (entry) => {
			entries++;
			const thing = thingOf?.(entry);
			if (thing !== undefined) things.add(thing);
			writeSync(file, `${JSON.stringify(entry)}\n`);
			fsyncSync(file);
		},
		read: () =>
			readFileSync(path, "utf8")
				.split("\n")
				.filter(Boolean)
				.map((line) => JSON.parse(line) as T),
		count: () => (thingOf ? things.size : entries),
		close: () => closeSync(file),
	};
}
