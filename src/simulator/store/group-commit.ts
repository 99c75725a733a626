/**
 * Commits of requests that come at the same time share one way to the disk: it is the slowest thing that the simulator does.
 *
 * Each work runs by itself, one after another, and is rolled back by itself when it throws; nobody is told before all are on the disk.
 */
import type { Database } from "bun:sqlite";

export type GroupCommit = <T>(work: () => T) => Promise<T>;

export function createGroupCommit(database: Database): GroupCommit {
	let waiting: { readonly run: () => void; readonly tell: () => void; readonly fail: (error: unknown) => void }[] = [];

	function commit(): void {
		const all = waiting;
		waiting = [];
		try {
			database
				.transaction(() => {
					for (const { run } of all) run();
				})
				.immediate();
		} catch (error) {
			for (const { fail } of all) fail(error);
			return;
		}
		for (const { tell } of all) tell();
	}

	return <T>(work: () => T) =>
		new Promise<T>((resolve, reject) => {
			let tell = (): void => undefined;
			const run = () => {
				try {
					// Within a transaction this is a savepoint.
					const result = database.transaction(work)();
					tell = () => resolve(result);
				} catch (error) {
					tell = () => reject(error);
				}
			};
			waiting.push({ run, tell: () => tell(), fail: reject });
			if (waiting.length === 1) setImmediate(commit);
		});
}
