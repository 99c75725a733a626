/** The headers of answers that are given by the thousand, made once for each run instead of once for each answer. */
import { NO_SNIFFING } from "../platform/operation";
import type { Clock } from "../platform/values";
import { JSON_TYPE, toCacheHeaders } from "./cached-answer";
import { isStale } from "./current";
import type { RunRow } from "./store";

/** Whoever sends them sets the ETag where it differs from answer to answer. */
type ReadyHeaders = { readonly full: Headers; readonly unmodified: Headers };

export function createReadyHeaders(
	clock: Clock,
	maxAgeSeconds: number,
	etagOf: (run: RunRow) => Readonly<Record<string, string>> = () => ({}),
): (run: RunRow) => ReadyHeaders {
	let made: (ReadyHeaders & { readonly run: RunRow; readonly stale: boolean }) | undefined;
	return (run) => {
		const stale = isStale(run, clock.now());
		if (made?.run === run && made.stale === stale) return made;
		const headers = { ...NO_SNIFFING, ...toCacheHeaders(run, maxAgeSeconds, stale), ...etagOf(run) };
		made = { run, stale, full: new Headers({ ...JSON_TYPE, ...headers }), unmodified: new Headers(headers) };
		return made;
	};
}
