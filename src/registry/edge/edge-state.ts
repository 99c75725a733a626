/**
 * What nodes without a database ("edges") read every half second: two objects beside the files of the run.
 *
 *   edge.json   the pepper, sealed with the key-encryption key, and the signed state: time, erased numbers, version of the keys, the run
 *   keys.json   the keys in force, signed; read again when the version changes
 *
 * The state is signed with a key that derives from the pepper, like the store's own list.
 */
import type { LastAttempt, RunRow } from "../runs";

export type EdgeState = {
	/** Every change that was committed before is in the state. RFC 3339. */
	readonly writtenAt: string;
	/** SHA-256 of the keys, in hex. */
	readonly keysVersion: string;
	/** Digests of the erased numbers, in hex. */
	readonly erased: readonly string[];
	/** The last good run; its source is left out. */
	readonly run: RunRow | undefined;
	readonly lastAttempt: LastAttempt | undefined;
	readonly nextScheduled: Date | undefined;
};

export const EDGE_STATE = "edge.json";
export const EDGE_KEYS = "keys.json";

export function writeState(state: EdgeState): string {
	return JSON.stringify({ ...state, ...(state.run ? { run: { ...state.run, source: "" } } : {}) });
}

export function readState(text: string): EdgeState {
	const { run, lastAttempt, nextScheduled, ...rest } = JSON.parse(text) as EdgeState;
	return {
		...rest,
		nextScheduled: nextScheduled && new Date(nextScheduled),
		lastAttempt: lastAttempt && { ...lastAttempt, at: new Date(lastAttempt.at) },
		run: run && {
			...run,
			attemptedAt: new Date(run.attemptedAt),
			finishedAt: new Date(run.finishedAt),
			confirmedAt: new Date(run.confirmedAt),
		},
	};
}

export function isSameState(left: EdgeState, right: EdgeState): boolean {
	const textOf = (state: EdgeState) => writeState(readState(writeState({ ...state, writtenAt: "" })));
	return textOf(left) === textOf(right);
}

export function writeSealed(pepper: Uint8Array, signed: string): string {
	return JSON.stringify({ pepper: Buffer.from(pepper).toString("base64"), signed });
}

export function readSealed(text: string): { readonly pepper: Buffer; readonly signed: string } {
	const { pepper, signed } = JSON.parse(text) as { readonly pepper: string; readonly signed: string };
	return { pepper: Buffer.from(pepper, "base64"), signed };
}
