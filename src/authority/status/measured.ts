/** What our own calls of the last minutes say of one service, put together from what all processes have counted. */
import { addPairs, type Latencies } from "./latency";

/** One process's counts of one service in one minute, as they are stored. */
export type CallRow = {
	readonly segment: string;
	readonly service: string;
	readonly process: string;
	readonly minute: Date;
	readonly calls: number;
	readonly failures: number;
	readonly latencies: readonly number[];
	readonly okInRow: number;
	readonly failuresInRow: number;
	readonly lastOkAt: Date | null;
	readonly lastFailureAt: Date | null;
};

export type Measured = {
	readonly calls: number;
	readonly failures: number;
	/** The same of the minutes that began after the service was back from its last outage: what it is like now. */
	readonly callsSince: number;
	readonly failuresSince: number;
	readonly latencies: Latencies;
	/** Calls in a row, over all processes, that ended as the last one did. */
	readonly okInRow: number;
	readonly failuresInRow: number;
	readonly lastOkAt: Date | null;
	readonly lastFailureAt: Date | null;
};

/** Puts together the rows of one service. `backAt`: when its last outage ended. */
export function sumUp(rows: readonly CallRow[], backAt: Date | undefined): Measured {
	const latencies: Latencies = new Map();
	for (const row of rows) addPairs(latencies, row.latencies);
	const lately = rows.filter((row) => backAt === undefined || row.minute > backAt);
	const lastOkAt = latest(rows.map((row) => row.lastOkAt));
	const lastFailureAt = latest(rows.map((row) => row.lastFailureAt));
	// A process's newest row knows its streak; older ones know it as it was.
	const newest = [...Map.groupBy(rows, (row) => row.process).values()].flatMap((own) =>
		own.toSorted((a, b) => b.minute.getTime() - a.minute.getTime()).slice(0, 1),
	);
	const after = (at: Date | null, other: Date | null) => at !== null && (other === null || at > other);
	return {
		calls: sum(rows.map((row) => row.calls)),
		failures: sum(rows.map((row) => row.failures)),
		callsSince: sum(lately.map((row) => row.calls)),
		failuresSince: sum(lately.map((row) => row.failures)),
		latencies,
		okInRow: sum(newest.filter((row) => after(row.lastOkAt, lastFailureAt)).map((row) => row.okInRow)),
		failuresInRow: sum(newest.filter((row) => after(row.lastFailureAt, lastOkAt)).map((row) => row.failuresInRow)),
		lastOkAt,
		lastFailureAt,
	};
}

function latest(instants: readonly (Date | null)[]): Date | null {
	return instants.reduce((a, b) => (a === null || (b !== null && b > a) ? b : a), null);
}

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
