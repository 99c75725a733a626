/**
 * How many invoices may be under way at once. Whoever comes beyond is refused before anything of the request is looked at, for a queue that
 * only grows would let everybody wait until nobody waits for the answer any more.
 *
 *   nobody was refused lately     enough for a burst, which may wait its turn
 *   full, and issued slowly       a tenth fewer from now on: a queue that stands is of no use to anybody, and what is under way at once costs
 *                                 memory that the work then lacks
 *   full, and issued at once      one more
 *
 * Either at most once in the time in which the change before can be felt.
 *
 * Only what is done with a whole request counts: neither a caller who sends slowly nor one who waits for the verdict takes a place. The bounds
 * keep a moment's stall from closing the door, and a queue from growing before the first answer tells how long one takes.
 */
import { Problem } from "../../../platform/problem";

const SLOW_MS = 150;
const QUICK_MS = 75;
/** Without a refusal for so long, the crowd is gone. */
const CALM_MS = 1_000;
/** About as long as from the door to the place. */
const AT_DOOR_MS = 20;
const LEAST = 48;
const FIRST = 256;
const MOST = 2_000;
const RETRY_AFTER_SECONDS = 1;

export type Intake = {
	/** For who comes to the door: the refusal while no place is free, those on the way to theirs counted with the taken. */
	readonly refusal: () => Problem | undefined;
	/** Throws: service-unavailable when no place is free. */
	readonly checkRoom: () => void;
	/** Does one request's work in a place of its own. Throws: service-unavailable; whatever the work throws. */
	readonly run: <T>(work: () => Promise<T>) => Promise<T>;
	readonly placesMax: () => number;
};

export function createIntake(now: () => number = () => performance.now()): Intake {
	let places = FIRST;
	let taken = 0;
	let changedAt = Number.NEGATIVE_INFINITY;
	/** When somebody found no place, or took the last one. */
	let fullAt = Number.NEGATIVE_INFINITY;

	// One for all: in a flood even making it would be felt.
	const full = new Problem("service-unavailable", {
		detail: "More invoices are under way than can be issued in time; nothing was stored.",
		headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
	});

	/**
	 * Who is let in takes a place a moment later, when the credentials were looked at; without this a free place would let a whole crowd in. `letIn`
	 * are those still on the way, and who never takes a place, such as a caller with a wrong key, is forgotten soon.
	 */
	const door = { since: Number.NEGATIVE_INFINITY, letIn: 0 };

	const isFull = (at: number, more: number): boolean => {
		if (places < FIRST && at - fullAt > CALM_MS) places = FIRST;
		if (taken + more < places) return false;
		fullAt = at;
		return true;
	};

	const refusal = (): Problem | undefined => {
		const at = now();
		if (at - door.since > AT_DOOR_MS) Object.assign(door, { since: at, letIn: 0 });
		if (isFull(at, door.letIn)) return full;
		door.letIn++;
		return undefined;
	};

	const checkRoom = (): void => {
		if (isFull(now(), 0)) throw full;
	};

	const learn = (startedAt: number, endedAt: number): void => {
		if (fullAt < startedAt) return;
		const tookMs = endedAt - startedAt;
		const change = tookMs < QUICK_MS ? places + 1 : tookMs > SLOW_MS ? Math.floor(places * 0.9) : places;
		if (change === places || endedAt - changedAt < SLOW_MS) return;
		places = Math.min(MOST, Math.max(LEAST, change));
		changedAt = endedAt;
	};

	return {
		refusal,
		checkRoom,
		placesMax: () => places,
		async run(work) {
			checkRoom();
			const startedAt = now();
			taken++;
			if (door.letIn > 0) door.letIn--;
			isFull(startedAt, 0);
			try {
				return await work();
			} finally {
				learn(startedAt, now());
				taken--;
			}
		},
	};
}
