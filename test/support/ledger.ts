/** Append-only files of what a program outside the service has seen, written and synced before it acts. */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";

export type Ledger<T> = {
	/** The entry is on disk when this returns. */
	readonly write: (entry: T) => void;
	/** All entries, read from the file. */
	readonly read: () => T[];
	/** The number of entries, or of the things they are about. */
	readonly count: () => number;
	readonly close: () => void;
};

/** `thingOf` names what an entry is about: repeated entries count once, and entries without a name do not count. */
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
