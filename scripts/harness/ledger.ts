/** Append-only files of what somebody outside the service has seen: written and synced before anything else is done about it. */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";

export type Ledger<T> = {
	/** On disk when it returns. */
	readonly write: (entry: T) => void;
	/** All entries, read back from the file. */
	readonly read: () => T[];
	/** Entries written. */
	readonly count: () => number;
	readonly close: () => void;
};

export function openLedger<T>(path: string): Ledger<T> {
	const file = openSync(path, "a", 0o600);
	let count = 0;
	return {
		write: (entry) => {
			count++;
			writeSync(file, `${JSON.stringify(entry)}\n`);
			fsyncSync(file);
		},
		read: () =>
			readFileSync(path, "utf8")
				.split("\n")
				.filter(Boolean)
				.map((line) => JSON.parse(line) as T),
		count: () => count,
		close: () => closeSync(file),
	};
}
