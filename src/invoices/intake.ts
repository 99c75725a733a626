/**
 * How many invoices may be under way at once: as many as are issued within half a second each. Whoever comes beyond is refused before anything
 * of the request is looked at, for a queue that only grows would let everybody wait until nobody waits for the answer any more.
 *
 *   issued slowly          a tenth fewer from now on, at most once in the time in which that can be felt
 *   issued at once, full   one more
 *   between                as it is
 *
 * Only what is done with a whole request counts: neither a caller who sends slowly nor one who waits for the verdict takes a place. The bounds
 * keep a moment's stall from closing the door, and a queue from growing before the first answer tells how long one takes.
 */
import { Problem } from "../problem";

const SLOW_MS = 500;
const QUICK_MS = 250;
/** About as long as from the door to the place. */
const AT_DOOR_MS = 20;
const LEAST = 128;
const FIRST = 256;
const MOST = 2_000;
const RETRY_AFTER_SECONDS = 1;

export type Intake = {
	/** For who comes to the door: the refusal while no place is free, those who have just been let in counted with the taken. */
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
	let lessenedAt = Number.NEGATIVE_INFINITY;

	// One for all: in a flood even making it would be felt.
	const full = new Problem("service-unavailable", {
		detail: "More invoices are under way than can be issued in time; nothing was stored.",
		headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
	});

	/** Who is let in takes a place a moment later, when the credentials were looked at; without this a free place would let a whole crowd in. */
	const door = { since: Number.NEGATIVE_INFINITY, letIn: 0 };

	const refusal = (): Problem | undefined => {
		const at = now();
		if (at - door.since > AT_DOOR_MS) Object.assign(door, { since: at, letIn: 0 });
		if (taken + door.letIn >= places) return full;
		door.letIn++;
		return undefined;
	};

	const checkRoom = (): void => {
		if (taken >= places) throw full;
	};

	const learn = (tookMs: number, wasFull: boolean): void => {
		if (tookMs < QUICK_MS && wasFull) places = Math.min(MOST, places + 1);
		if (tookMs <= SLOW_MS || now() - lessenedAt < SLOW_MS) return;
		places = Math.max(LEAST, Math.floor(places * 0.9));
		lessenedAt = now();
	};

	return {
		refusal,
		checkRoom,
		placesMax: () => places,
		async run(work) {
			checkRoom();
			taken++;
			const startedAt = now();
			try {
				return await work();
			} finally {
				learn(now() - startedAt, taken >= places);
				taken--;
			}
		},
	};
}
