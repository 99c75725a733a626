/** Forgets what the test environment has kept for long enough. Source: the authority's technical description, environments. */
import type { Store } from "./store";

const KEPT_DAYS = 60;
const DAY_MS = 86_400_000;
const EVERY_MS = 3_600_000;

/** Forgets at once what is due, and from then on every hour; the answer ends that. */
export function keepRetention({ receptions }: Store): () => void {
	const forget = () => receptions.forget("testecf", Date.now() - KEPT_DAYS * DAY_MS);
	forget();
	const timer = setInterval(forget, EVERY_MS);
	return () => clearInterval(timer);
}
