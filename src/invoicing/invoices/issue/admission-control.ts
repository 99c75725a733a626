/**
 * How many invoices may be in progress at once. Requests beyond that are refused before anything of them is examined: in a queue that only
 * grows, every caller ends up waiting longer than it is willing to.
 *
 *   no refusal lately              enough slots for a burst, which may queue
 *   full, and issued slowly        10 % fewer slots: a standing queue only adds latency and takes memory that the work needs
 *   full, and issued quickly       one slot more
 *
 * The number changes at most once in the time in which the previous change takes effect. Only work on a complete request takes a slot; a
 * caller that sends slowly or waits for the verdict takes none. The bounds keep a short stall from closing admission, and a queue from growing
 * before the first latency is known.
 */
import { msg, Problem } from "../../../platform/problem";

const SLOW_MS = 150;
const QUICK_MS = 75;
/** After this time without a refusal the burst is over. */
const CALM_MS = 1_000;
/** About the time between admission and taking the slot. */
const ADMITTED_MS = 20;
const SLOTS_MIN = 48;
const SLOTS_FIRST = 256;
const SLOTS_MAX = 2_000;
const RETRY_AFTER_SECONDS = 1;

export type AdmissionControl = {
	/** The refusal while no slot is free, counting callers that were admitted and have not taken theirs yet. Undefined admits the caller. */
	readonly refusal: () => Problem | undefined;
	/** Throws: service-unavailable when no slot is free. */
	readonly checkCapacity: () => void;
	/** Runs one request's work in a slot. Throws: service-unavailable; what the work throws. */
	readonly run: <T>(work: () => Promise<T>) => Promise<T>;
	readonly slots: () => number;
};

export function createAdmissionControl(now: () => number = () => performance.now()): AdmissionControl {
	let slots = SLOTS_FIRST;
	let taken = 0;
	let changedAt = Number.NEGATIVE_INFINITY;
	/** When a caller last found no slot, or took the last one. */
	let fullAt = Number.NEGATIVE_INFINITY;

	// One shared object: under a flood even creating it would cost.
	const full = new Problem("service-unavailable", {
		detail: msg`More invoices are in progress than can be issued in time. Nothing was stored.`,
		headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
	});

	/**
	 * An admitted caller takes its slot only after its credentials are checked. Without this count one free slot would admit a whole burst.
	 * Callers that never take a slot, such as those with a wrong key, drop out of the count after a moment.
	 */
	const admitted = { since: Number.NEGATIVE_INFINITY, count: 0 };

	const isFull = (at: number, more: number): boolean => {
		if (slots < SLOTS_FIRST && at - fullAt > CALM_MS) slots = SLOTS_FIRST;
		if (taken + more < slots) return false;
		fullAt = at;
		return true;
	};

	const refusal = (): Problem | undefined => {
		const at = now();
		if (at - admitted.since > ADMITTED_MS) Object.assign(admitted, { since: at, count: 0 });
		if (isFull(at, admitted.count)) return full;
		admitted.count++;
		return undefined;
	};

	const checkCapacity = (): void => {
		if (isFull(now(), 0)) throw full;
	};

	const learn = (startedAt: number, endedAt: number): void => {
		if (fullAt < startedAt) return;
		const tookMs = endedAt - startedAt;
		const change = tookMs < QUICK_MS ? slots + 1 : tookMs > SLOW_MS ? Math.floor(slots * 0.9) : slots;
		if (change === slots || endedAt - changedAt < SLOW_MS) return;
		slots = Math.min(SLOTS_MAX, Math.max(SLOTS_MIN, change));
		changedAt = endedAt;
	};

	return {
		refusal,
		checkCapacity,
		slots: () => slots,
		async run(work) {
			checkCapacity();
			const startedAt = now();
			taken++;
			if (admitted.count > 0) admitted.count--;
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
