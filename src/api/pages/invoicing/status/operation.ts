/** `GET /status`: the state of the service, of the registry and of the authority as a public page, the authority's also as JSON; rendered at most once a second. */

import {
	type AuthorityStatus,
	ownAuthorityOf,
	PublicAuthorityStatus,
	STATUS_EXAMPLE,
	STEP_SECONDS,
	TAG,
	toHistory,
	toPublicRecord,
} from "../../../../authority/status";
import { memoizeFor } from "../../../../platform/concurrency";
import { retryOnFailure } from "../../../../platform/database";
import { type Call, type Operation, PUBLIC } from "../../../../platform/operation";
import { chooseLanguage, type Language } from "../../../../platform/problem";
import type { Clock, Environment } from "../../../../platform/values";
import type { Registry } from "../../../../registry";
import {
	answerRepresentation,
	CACHE_HEADERS,
	CONDITIONAL,
	prefersJson,
	type Representation,
	represent,
} from "../../../representation";
import type { HealthStatus } from "../../../server";
import { renderStatus, STATUS_HEADERS, type StatusView } from "./page";

type StatusPageDeps = {
	readonly environment: Environment;
	readonly authorityStatus: AuthorityStatus;
	readonly clock: Clock;
	readonly readHealth: () => Promise<HealthStatus>;
	readonly registry: Pick<Registry, "status">;
};

type Form = "json" | Language;

/** Changes show within seconds, and many readers cost nothing. */
const KEPT_MS = 1_000;
const HEADERS = { "cache-control": "public, max-age=1", vary: "Accept, Accept-Language" };
const JSON_HEADERS = { "content-type": "application/json; charset=utf-8", "x-content-type-options": "nosniff" };

export function statusPageOperation(deps: StatusPageDeps): Operation {
	const get = memoizeFor(KEPT_MS, (form: Form) => make(deps, form));
	const { queue, verdictLatency, ...example } = STATUS_EXAMPLE;
	const history = { from: "2026-11-19T14:30:00.000Z", stepSeconds: STEP_SECONDS };
	return {
		id: "getStatusPage",
		sdk: null,
		method: "GET",
		path: "/status",
		tag: TAG,
		summary: "Show the status",
		description:
			"A public page without scripts, in Spanish or English by `Accept-Language`: this service, its registry, and the authority's environment that it uses, with a " +
			"chart of 24 hours. No data of tenants. `Accept: application/json` gives the authority's status.",
		credentials: PUBLIC,
		parameters: [CONDITIONAL],
		answers: {
			200: {
				description: "The status.",
				mediaType: "text/html",
				schema: PublicAuthorityStatus,
				example: {
					...example,
					history: { ...history, services: [{ name: "overall", states: ["operational", "degraded"] }] },
				},
				headers: {
					...CACHE_HEADERS,
					"Cache-Control": "`public, max-age=1`.",
					"Content-Language": "Language of the page.",
				},
			},
			304: { description: "Not modified." },
		},
		problems: [],
		handle: async (call) => answerRepresentation(call, await get(formFor(call))),
	};
}

function formFor({ request }: Call): Form {
	return prefersJson(request) ? "json" : chooseLanguage(request.headers.get("accept-language"), "es");
}

async function make(deps: StatusPageDeps, form: Form): Promise<Representation> {
	const view = await readView(deps);
	if (form !== "json") {
		return represent(renderStatus(view, form), { ...STATUS_HEADERS, ...HEADERS, "content-language": form });
	}
	const { from, services } = view.history;
	const history = { from: from.toISOString(), stepSeconds: STEP_SECONDS, services };
	return represent(JSON.stringify({ ...toPublicRecord(view.seen, deps.environment), history }), {
		...JSON_HEADERS,
		...HEADERS,
	});
}

async function readView(deps: StatusPageDeps): Promise<StatusView> {
	const { authorityStatus: status, environment, clock, registry, readHealth } = deps;
	const [authority, now] = [ownAuthorityOf(environment), clock.now()];
	const [seen, past, health] = await Promise.all([
		retryOnFailure(() => status.read(authority)),
		retryOnFailure(() => status.readPast(authority)),
		readHealth(),
	]);
	const { last_ingest, stale } = registry.status();
	const confirmedAt = last_ingest === null ? null : new Date(last_ingest);
	return { health, registry: { confirmedAt, isStale: stale }, seen, history: toHistory(past, seen, now) };
}
