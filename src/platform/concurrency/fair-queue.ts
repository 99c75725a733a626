/**
 * Shares a few places between keys, so that one key's work delays another's by at most one piece of work in each place.
 *
 * Model: work waits in a line of its key. A free place takes the first of the key that was served longest ago and has a place to spare. Long
 * work takes a place only when no other work can, and never all places if there are several.
 *
 *   key A   a3 a4 a5 …        places   [a1] [b1]
 *   key B   b2                next: a3 if A has fewer than `perKey` places, then b2, then a4
 *   long    c1                after all of them
 *
 * Work that its caller gave up is dropped while it waits. Once it runs it keeps its place to its end, because it cannot be stopped, but it no
 * longer counts as its key's.
 */
import { type Message, msg, Problem } from "../problem";

type FairQueueOptions = {
	readonly places: number;
	/** Most places of one key at a time. */
	readonly perKey: number;
	readonly waitingMax: number;
	readonly waitingMaxPerKey: number;
};

type WorkOptions = {
	readonly key: string;
	readonly isLong?: boolean;
	/** Aborted when nothing waits for the result any more. */
	readonly signal?: AbortSignal | undefined;
};

export type FairQueue = {
	/** Throws: service-unavailable if too much work waits or the signal is aborted; whatever the work throws. */
	readonly run: <T>(work: () => Promise<T>, options: WorkOptions) => Promise<T>;
};

type Entry = { readonly key: string; readonly isLong: boolean; readonly begin: () => void };
type Lines = Map<string, Entry[]>;

export function createFairQueue(options: FairQueueOptions): FairQueue {
	const { places, perKey, waitingMax, waitingMaxPerKey } = options;
	const longMax = Math.max(1, places - 1);
	/** The key that was served longest ago comes first. */
	const lines: { readonly short: Lines; readonly long: Lines } = { short: new Map(), long: new Map() };
	const takenByKey = new Map<string, number>();
	let taken = 0;
	let takenByLong = 0;
	let waiting = 0;

	const linesOf = ({ isLong }: Pick<Entry, "isLong">) => (isLong ? lines.long : lines.short);
	const add = (key: string, more: 1 | -1) => {
		const count = (takenByKey.get(key) ?? 0) + more;
		if (count > 0) takenByKey.set(key, count);
		else takenByKey.delete(key);
	};

	function dispatch(): void {
		while (taken < places) {
			const entry = takeFirst(lines.short) ?? (takenByLong < longMax ? takeFirst(lines.long) : undefined);
			if (!entry) return;
			waiting--;
			taken++;
			if (entry.isLong) takenByLong++;
			add(entry.key, 1);
			entry.begin();
		}
	}

	function takeFirst(from: Lines): Entry | undefined {
		for (const [key, entries] of from) {
			if ((takenByKey.get(key) ?? 0) >= perKey) continue;
			const entry = entries.shift();
			from.delete(key);
			if (entries.length > 0) from.set(key, entries);
			return entry;
		}
		return undefined;
	}

	function drop(entry: Entry): boolean {
		const from = linesOf(entry);
		const left = from.get(entry.key)?.filter((one) => one !== entry) ?? [];
		if (left.length === (from.get(entry.key)?.length ?? 0)) return false;
		if (left.length > 0) from.set(entry.key, left);
		else from.delete(entry.key);
		waiting--;
		return true;
	}

	return {
		run<T>(work: () => Promise<T>, { key, isLong = false, signal }: WorkOptions): Promise<T> {
			const own = (lines.short.get(key)?.length ?? 0) + (lines.long.get(key)?.length ?? 0);
			if (signal?.aborted) return Promise.reject(refuse(msg`The caller has left.`));
			if (waiting >= waitingMax || own >= waitingMaxPerKey)
				return Promise.reject(refuse(msg`Too much work is waiting.`));
			return new Promise<T>((resolve, reject) => {
				let isCounted = false;
				const uncount = () => {
					if (isCounted) add(key, -1);
					isCounted = false;
				};
				const entry: Entry = {
					key,
					isLong,
					begin() {
						isCounted = true;
						work()
							.then(resolve, reject)
							.finally(() => {
								signal?.removeEventListener("abort", giveUp);
								taken--;
								if (isLong) takenByLong--;
								uncount();
								dispatch();
							});
					},
				};
				const giveUp = () => {
					if (!drop(entry)) uncount();
					reject(refuse(msg`The caller has left.`));
					dispatch();
				};
				signal?.addEventListener("abort", giveUp, { once: true });
				const line = linesOf(entry);
				line.set(key, [...(line.get(key) ?? []), entry]);
				waiting++;
				dispatch();
			});
		},
	};
}

function refuse(detail: Message): Problem {
	return new Problem("service-unavailable", { detail, headers: { "retry-after": "1" } });
}
