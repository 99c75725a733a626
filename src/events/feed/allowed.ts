/** Whoever waits or listens for long must be allowed to for as long: credentials end while lines are open. */
import type { Call } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import type { FeedWatch } from "./watch";

/** Whoever waits looks up so often: has the key or the token ended, does the service drain? Nothing of it costs a query. */
const LOOK_UP_EVERY_MS = 250;

/** Waits for an event, and no longer than the caller may hear of it. */
export async function waitWhileAllowed(
	watch: FeedWatch,
	tenantId: string,
	after: number,
	timeoutMs: number,
	gone: AbortSignal,
	isOver: () => Promise<boolean>,
): Promise<void> {
	const deadline = performance.now() + timeoutMs;
	for (let leftMs = timeoutMs; leftMs > 0 && !gone.aborted; leftMs = deadline - performance.now()) {
		const hasCome = await watch.wait(tenantId, after, Math.min(leftMs, LOOK_UP_EVERY_MS), gone);
		if ((await isOver()) || hasCome) return;
	}
}

/** False when a credential of the call has ended since. Throws: service-unavailable, when nobody can tell: then the line breaks. */
export async function mayHear(call: Call): Promise<boolean> {
	try {
		await call.checkAgain?.();
		return true;
	} catch (error) {
		if (error instanceof Problem && (error.status === 401 || error.status === 403)) return false;
		throw error;
	}
}
