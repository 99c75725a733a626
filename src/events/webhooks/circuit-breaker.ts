/**
 * How many of the dispatcher's seats an endpoint may take with first attempts: as many as it has shown to be good for.
 *
 *          5 failures in a row, no 2xx for 10 s
 *     ┌──────────────────────────────────────────┐
 *     │                                          ▼
 *   closed ◀── 2xx ── half-open: 4, 8 ◀── 2xx ── open: 2 seats
 *   all seats               └──── a failure ─────▲
 *
 *   not heard from for a minute: 8 seats until its first 2xx closes it, or failures open it
 *   its oldest request unanswered for 2 s: 8 seats at most until that one is over
 *
 * Model: an attempt takes a seat and leaves it with its result. A first attempt gets one while the endpoint holds fewer than it may; or it
 * asks again later. Those that wait are told times in the order in which they ask, 200 a second at most, so they come back in that order
 * and a long queue does not ask for every seat. A scheduled retry gets a seat whatever is held, at its time, and counts: while retries fill
 * what an endpoint may hold, first attempts wait. That bounds retries too, since a delivery has none before its first attempt.
 *
 * So a receiver that never answers holds eight seats for one time-out and about as many with its retries; all else, of the same tenant too,
 * has the rest. One that answers promptly and delivered something lately is never held back. Events of a document keep their order
 * in any case: deliver.ts sees to that.
 *
 * It lives in one dispatcher's memory. After a restart, and in each further dispatcher, an endpoint is one not heard from, which costs at
 * most eight seats once more. Times are handed in.
 */
export type Breaker = {
	/** A seat for one attempt; undefined when a first attempt has to wait. Whoever gets one must leave it. */
	readonly enter: (endpointId: string, isRetry: boolean, nowMs: number) => Seat | undefined;
	/** Milliseconds after which a first attempt that got no seat asks again. */
	readonly pauseMs: (endpointId: string, nowMs: number) => number;
	readonly openCount: () => number;
	/** Endpoints in memory. */
	readonly size: () => number;
};

export type Seat = {
	/** `undefined`: no attempt was made. Answers what that changed. */
	readonly leave: (isDelivered: boolean | undefined, nowMs: number) => "opened" | "closed" | undefined;
};

export const FAILURES_TO_OPEN = 5;
/** One that delivered a moment ago fails with some deliveries only. */
export const ALIVE_MS = 10_000;
export const SEATS_OPEN = 2;
/** Of an endpoint that is slow, or has not been heard from. */
export const SEATS_FEW = 8;
/** Unanswered for so long, a request is a slow one. */
export const SLOW_MS = 2_000;

const PAUSE_MIN_MS = 250;
const PAUSE_STEP_MS = 5;
const PAUSE_MAX_MS = 60_000;
const FORGOTTEN_AFTER_MS = 60_000;
const SWEEP_EVERY = 1_000;

type State = {
	/** Without those that slowness takes. */
	seats: number;
	isOpen: boolean;
	failures: number;
	deliveredAtMs: number;
	/** When the attempts under way began, oldest first. */
	readonly taken: Set<{ readonly sinceMs: number }>;
	/** When the next one that has to wait may ask again. */
	freeAtMs: number;
	seenAtMs: number;
};

export function createBreaker(): Breaker {
	const states = new Map<string, State>();
	let open = 0;
	let calls = 0;

	function stateOf(endpointId: string, nowMs: number): State {
		if (++calls % SWEEP_EVERY === 0) sweep(nowMs);
		const known = states.get(endpointId);
		if (known && !isForgotten(known, nowMs)) {
			known.seenAtMs = nowMs;
			return known;
		}
		if (known?.isOpen) open--;
		const fresh = {
			...{ seats: SEATS_FEW, isOpen: false, failures: 0, deliveredAtMs: Number.NEGATIVE_INFINITY },
			taken: new Set<{ sinceMs: number }>(),
		};
		const state = { ...fresh, freeAtMs: 0, seenAtMs: nowMs };
		states.set(endpointId, state);
		return state;
	}

	function sweep(nowMs: number): void {
		for (const [id, state] of states) {
			if (!isForgotten(state, nowMs)) continue;
			if (state.isOpen) open--;
			states.delete(id);
		}
	}

	return {
		enter(endpointId, isRetry, nowMs) {
			const state = stateOf(endpointId, nowMs);
			if (!isRetry && state.taken.size >= limitOf(state, nowMs)) return undefined;
			const place = { sinceMs: nowMs };
			state.taken.add(place);
			return {
				leave(isDelivered, atMs) {
					state.taken.delete(place);
					state.seenAtMs = atMs;
					if (isDelivered === undefined) return undefined;
					const wasOpen = state.isOpen;
					if (isDelivered) succeed(state, atMs);
					else fail(state, atMs);
					if (wasOpen === state.isOpen) return undefined;
					open += state.isOpen ? 1 : -1;
					return state.isOpen ? "opened" : "closed";
				},
			};
		},
		pauseMs(endpointId, nowMs) {
			const state = stateOf(endpointId, nowMs);
			const at = Math.max(nowMs + PAUSE_MIN_MS, state.freeAtMs);
			if (at - nowMs >= PAUSE_MAX_MS) return PAUSE_MAX_MS;
			state.freeAtMs = at + PAUSE_STEP_MS;
			return at - nowMs;
		},
		openCount: () => open,
		size: () => states.size,
	};
}

function limitOf({ seats, taken }: State, nowMs: number): number {
	const [oldest] = taken;
	return oldest && nowMs - oldest.sinceMs >= SLOW_MS ? Math.min(seats, SEATS_FEW) : seats;
}

function succeed(state: State, nowMs: number): void {
	state.failures = 0;
	state.deliveredAtMs = nowMs;
	state.seats *= 2;
	if (state.seats <= SEATS_FEW) return;
	state.seats = Number.POSITIVE_INFINITY;
	state.isOpen = false;
}

function fail(state: State, nowMs: number): void {
	state.failures++;
	if (!state.isOpen && (state.failures < FAILURES_TO_OPEN || nowMs - state.deliveredAtMs < ALIVE_MS)) return;
	state.seats = SEATS_OPEN;
	state.isOpen = true;
}

/** Nobody has asked for long, and nothing is under way. */
function isForgotten({ taken, seenAtMs }: State, nowMs: number): boolean {
	return taken.size === 0 && nowMs - seenAtMs > FORGOTTEN_AFTER_MS;
}
