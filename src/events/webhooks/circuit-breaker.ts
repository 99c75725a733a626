/**
 * Limits how many of the dispatcher's slots an endpoint may hold with first attempts, by how it has answered so far.
 *
 *          5 failures in a row, no 2xx for 10 s
 *     ┌──────────────────────────────────────────┐
 *     │                                          ▼
 *   closed ◀── 2xx ── half-open: 4, 8 ◀── 2xx ── open: 2 slots
 *   all slots               └──── a failure ─────▲
 *
 *   unknown, or silent for a minute: 8 slots until its first 2xx closes the breaker, or failures open it
 *   its oldest request unanswered for 2 s: at most 8 slots until that request ends
 *
 * Model: an attempt takes a slot and leaves it with its result. A first attempt gets one while the endpoint holds fewer than its limit;
 * otherwise it tries again later. Waiting attempts get their times in the order of their requests, at most 200 a second, so they return in
 * that order and a long queue does not request every slot. A scheduled retry always gets a slot at its time, and counts: while retries fill
 * the limit, first attempts wait. That bounds retries too, since a delivery has none before its first attempt.
 *
 * So a receiver that never answers holds eight slots for one time-out and about as many with its retries. Everything else, also of the same
 * tenant, has the rest. A receiver that answers promptly and took a delivery lately is never held back.
 *
 * The state lives in one dispatcher's memory. After a restart, and in each further dispatcher, an endpoint is unknown again, which costs at
 * most eight slots once more. Callers pass the time in.
 */
export type Breaker = {
	/** A slot for one attempt; undefined if a first attempt has to wait. The caller must leave the slot. */
	readonly enter: (endpointId: string, isRetry: boolean, nowMs: number) => Slot | undefined;
	/** Milliseconds after which a first attempt without a slot tries again. */
	readonly pauseMs: (endpointId: string, nowMs: number) => number;
	readonly openCount: () => number;
	readonly size: () => number;
};

export type Slot = {
	/** Frees the slot. `undefined`: no attempt was made. Returns how the breaker changed. */
	readonly leave: (isDelivered: boolean | undefined, nowMs: number) => "opened" | "closed" | undefined;
};

export const FAILURES_TO_OPEN = 5;
/** After a delivery this recent, failures do not open the breaker: the endpoint refuses some deliveries only. */
export const ALIVE_MS = 10_000;
export const SLOTS_OPEN = 2;
export const SLOTS_FEW = 8;
/** A request without an answer for this long is slow. */
export const SLOW_MS = 2_000;

const PAUSE_MIN_MS = 250;
const PAUSE_STEP_MS = 5;
const PAUSE_MAX_MS = 60_000;
const FORGOTTEN_AFTER_MS = 60_000;
const SWEEP_EVERY = 1_000;

type State = {
	/** The limit without the effect of slowness. */
	slots: number;
	isOpen: boolean;
	failures: number;
	deliveredAtMs: number;
	/** When the attempts under way began, oldest first. */
	readonly taken: Set<{ readonly sinceMs: number }>;
	/** When the next waiting attempt may try again. */
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
			...{ slots: SLOTS_FEW, isOpen: false, failures: 0, deliveredAtMs: Number.NEGATIVE_INFINITY },
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
			const attempt = { sinceMs: nowMs };
			state.taken.add(attempt);
			return {
				leave(isDelivered, atMs) {
					state.taken.delete(attempt);
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

function limitOf({ slots, taken }: State, nowMs: number): number {
	const [oldest] = taken;
	return oldest && nowMs - oldest.sinceMs >= SLOW_MS ? Math.min(slots, SLOTS_FEW) : slots;
}

function succeed(state: State, nowMs: number): void {
	state.failures = 0;
	state.deliveredAtMs = nowMs;
	state.slots *= 2;
	if (state.slots <= SLOTS_FEW) return;
	state.slots = Number.POSITIVE_INFINITY;
	state.isOpen = false;
}

function fail(state: State, nowMs: number): void {
	state.failures++;
	if (!state.isOpen && (state.failures < FAILURES_TO_OPEN || nowMs - state.deliveredAtMs < ALIVE_MS)) return;
	state.slots = SLOTS_OPEN;
	state.isOpen = true;
}

/** True if nothing is under way and no attempt was made for a while. */
function isForgotten({ taken, seenAtMs }: State, nowMs: number): boolean {
	return taken.size === 0 && nowMs - seenAtMs > FORGOTTEN_AFTER_MS;
}
