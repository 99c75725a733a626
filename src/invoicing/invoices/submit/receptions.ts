/**
 * Receptions that only the memory knows. A verdict mostly follows within a second, and is then written together with the reception. Until then the
 * database knows an intent without a result, so a holder that comes after a crash queries.
 */
import type { RawAnswer } from "../../../authority/client";
import { type Message, type Outcome, staysInMemory } from "../../../platform/outbox";
import type { Place, SubmissionState } from "./submission-state";
import type { StepWrite } from "./submission-store";

/** What the authority's answer to a sending changes. */
export type Reception = {
	readonly n: number;
	readonly trackId: string;
	readonly detail: string;
};

/** What the writes of one run leave behind for each other. */
export type Progress = {
	/** Answers of the authority that the next write stores, or the failure of the step. */
	readonly answers: RawAnswer[];
	/** Where the document stands after the last write. */
	place: Place;
	/** The next write stores it too. */
	reception?: Reception | undefined;
};

type Stored = Pick<StepWrite, "finishes" | "trackIds" | "through" | "to">;

/** What a write stores with the reception. The reception is a state that the document passes, or its new one. */
export function withReception<C extends Stored>({ n, trackId, detail }: Reception, change: C): C {
	const received = { phase: "tracking", authorityTrackId: trackId, detail } as const;
	return {
		finishes: { n, result: "received", detail },
		...change,
		trackIds: [...new Set([trackId, ...(change.trackIds ?? [])])],
		...(change.to ? { through: received } : { to: { ...received, contingency: "end" } }),
	};
}

type Kept = { readonly message: Message; readonly state: SubmissionState; readonly progress: Progress };

export type Receptions = {
	/** True if the document's message goes on in memory, and the reception need not be written now. */
	readonly keep: (kept: Kept, outcome: Outcome) => boolean;
	/** What was kept for the message, once; undefined if another lane may have had the document meanwhile. */
	readonly take: (message: Message, now: Date) => Pick<Kept, "state" | "progress"> | undefined;
};

/** Messages go on in memory for two seconds; those of shards that were lost never come back. */
const KEPT_MS = 10_000;

export function createReceptions(): Receptions {
	/** The oldest first. */
	const all = new Map<string, Kept & { readonly atMs: number }>();
	return {
		keep(kept, outcome) {
			if (!staysInMemory(kept.message, outcome)) return false;
			const atMs = performance.now();
			for (const [docId, { atMs: keptAtMs }] of all) {
				if (atMs - keptAtMs < KEPT_MS) break;
				all.delete(docId);
			}
			const { message, state, progress } = kept;
			all.set(message.subject, { message, state, progress, atMs });
			return true;
		},
		take({ subject, hold }, now) {
			const kept = all.get(subject);
			if (!kept) return undefined;
			all.delete(subject);
			const { state, progress, message } = kept;
			const isSame = (["lane", "epoch", "term"] as const).every((part) => message.hold[part] === hold[part]);
			return isSame ? { state: afterReception(state, progress, now), progress } : undefined;
		},
	};
}

/** The state as it would be read if the reception were written. */
function afterReception(state: SubmissionState, { reception, place }: Progress, now: Date): SubmissionState {
	if (!reception) return state;
	const submissions = place.sendings.map(({ n, result, at }) => {
		const intentAt = new Date(at);
		const ageSeconds = (now.getTime() - intentAt.getTime()) / 1000;
		return { n, result: n === reception.n ? "received" : result, intentAt, ageSeconds };
	});
	const invoice = { ...state.invoice, phase: "tracking", authorityTrackId: reception.trackId } as const;
	return { ...state, invoice, submissions, inPhaseSeconds: 0 };
}
