/**
 * Forgets what the test environment has kept for long enough. Source: the authority's technical description, environments. Where the documents
 * themselves go sooner, as in the public sandbox, so does what it knows of their numbers. A company that goes
 * whole takes them along at once, however young its documents are: whoever registers it again begins at 1.
 */
import type { Store } from "./store";

const KEPT_DAYS = 60;
const DAY_MS = 86_400_000;
const EVERY_MS = 3_600_000;

/** Frees all numbers of an issuer that begins anew. */
export function releaseIssuer({ receptions, voids, approvals, atomically }: Store, rnc: string): void {
	atomically(() => {
		for (const kept of [receptions, voids, approvals]) kept.release(rnc);
	});
}

/** Forgets at once what is due, and from then on every hour; the answer ends that. */
export function keepRetention({ receptions, voids, approvals }: Store, keptMs?: number): () => void {
	const forget = () => {
		receptions.forget("testecf", Date.now() - KEPT_DAYS * DAY_MS);
		if (keptMs === undefined) return;
		for (const kept of [receptions, voids, approvals]) kept.forgetBefore(Date.now() - keptMs);
	};
	forget();
	const timer = setInterval(forget, EVERY_MS);
	return () => clearInterval(timer);
}
