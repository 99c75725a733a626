/** The watch of the authority in one process, put together: a client for signs of life, a counter for its calls, the status host. */
import { type AuthorityUrls, createProbe, createStatusHost } from "../../authority/client";
import { ownAuthorityOf, startCallCounter, startStatusWatch } from "../../authority/status";
import { hastenSubmissions } from "../../invoicing/invoices";
import type { Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import type { Clock, Environment } from "../../platform/values";

type AuthorityWatchDeps = {
	readonly sql: Sql;
	readonly environment: Environment;
	readonly authorityUrls: AuthorityUrls;
	/** Of the status host. */
	readonly statusKey: string | undefined;
	/** Between two signs of life while all is well. */
	readonly probeSeconds: number;
	readonly clock: Clock;
	readonly log: Log;
	readonly wake: () => void;
};

/** A seed that takes longer is no sign of life; where it is asked for often, it may take less. */
const LIFE_TIMEOUT_MS = 4_000;
const LIFE_TIMEOUT_MIN_MS = 1_500;
const CONNECT_TIMEOUT_MS = 2_000;
const DECLARED_TIMEOUT_MS = 5_000;

/** Starts it; the answer stops it. */
export function startAuthorityWatch(deps: AuthorityWatchDeps): () => Promise<void> {
	const { sql, authorityUrls, probeSeconds, clock, log, wake } = deps;
	const calls = startCallCounter({ sql, clock, log });
	const watch = startStatusWatch({
		...{ sql, log, wake, probeSeconds, flush: calls.flush, expedite: hastenSubmissions },
		probe: createProbe({
			urls: authorityUrls,
			log,
			clock,
			onCall: calls.record,
			connectTimeoutMs: CONNECT_TIMEOUT_MS,
			answerTimeoutMs: Math.min(LIFE_TIMEOUT_MS, Math.max(LIFE_TIMEOUT_MIN_MS, probeSeconds * 750)),
		}),
		statusHost: createStatusHost({
			url: authorityUrls.status,
			key: deps.statusKey,
			log,
			connectTimeoutMs: CONNECT_TIMEOUT_MS,
			answerTimeoutMs: DECLARED_TIMEOUT_MS,
		}),
		ownEnvironment: ownAuthorityOf(deps.environment),
		hasFcHost: new URL(authorityUrls.fc).origin !== new URL(authorityUrls.main).origin,
	});
	return async () => {
		await watch.stop();
		await calls.stop();
	};
}
