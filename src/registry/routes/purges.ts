/** The operations of an erasure: requesting it, reading its record, and reversing it with two keys. */

import { actorOf } from "../../identity/audit-log";
import type { Sql } from "../../platform/database";
import { idempotencyKeyParameter, WRITE_PROBLEMS } from "../../platform/idempotency";
import {
	type Call,
	idFrom,
	json,
	jsonBody,
	NEEDS_BOTH,
	NEEDS_KEY,
	type Operation,
	pathParameter,
} from "../../platform/operation";
import { Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import {
	type ErasureDeps,
	exampleProposedRecord,
	examplePurgeAnswer,
	examplePurgeRecord,
	examplePurgeRequest,
	exampleReversedRecord,
	findTombstone,
	PurgeAnswer,
	PurgeRecord,
	PurgeRequest,
	purgeOnce,
	type Requester,
	reversePurge,
	type TombstoneRow,
	toPurgeRecord,
} from "../erasure";
import { documentParameter, readDocument, withoutCachingProblems } from "./answers";

type PurgeRouteDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly erasure: ErasureDeps;
	readonly log: Log;
	/** Whether this machine's files hold no erased entry. */
	readonly areFilesCleared: () => boolean;
};

const TAG = "Registry";
const NO_STORE = { "cache-control": "no-store" };
const noStoreHeaders = { "Cache-Control": "`no-store`" };

export function purgeOperations(deps: PurgeRouteDeps): Operation[] {
	return [postPurge(deps), getPurge(deps), deletePurge(deps)];
}

const purgeIdParameter = pathParameter("id", "`purge_id` of the erasure.", examplePurgeRecord.purge_id);

function postPurge(deps: PurgeRouteDeps): Operation {
	return {
		id: "purgeDocument",
		sdk: "registry.purge",
		method: "POST",
		path: "/v1/authority/document/{document}:purge",
		tag: TAG,
		summary: "Erase a taxpayer's entry",
		description:
			"Erases an entry under the data-protection law (ARCO): at once here, within a second on every node, and in every later ingest. The answer is the same whether or not the number was in the registry. Erasing it again returns the first record and withdraws a proposed reversal. Each erasure is audited. A key may erase 60 times per hour, counted together with all keys created or rotated from the same key.",
		credentials: NEEDS_BOTH,
		confirms: true,
		scope: "registry:purge",
		parameters: [documentParameter, idempotencyKeyParameter()],
		body: jsonBody(PurgeRequest, examplePurgeRequest),
		answers: {
			200: {
				description: "Erased, or nothing to erase. A repeated idempotency key gets the first answer again.",
				schema: PurgeAnswer,
				example: examplePurgeAnswer,
				headers: noStoreHeaders,
			},
		},
		problems: [
			...WRITE_PROBLEMS,
			...(["invalid-document-format", "payload-too-large"] as const),
			...(["unsupported-media-type", "rate-limit-exceeded"] as const),
		],
		handle: withoutCachingProblems(async (call) => {
			const { answer, purgeId } = await purgeOnce(deps.erasure, call, readDocument(call), requesterOf(call));
			if (purgeId !== undefined) {
				deps.log.info({ event: "registry.purged", ...callFacts(call, purgeId) }, "registry entry purged");
			}
			return answer;
		}),
	};
}

function getPurge(deps: PurgeRouteDeps): Operation {
	return {
		id: "getPurge",
		sdk: "registry.getPurge",
		method: "GET",
		path: "/v1/authority/purges/{id}",
		tag: TAG,
		summary: "Get the record of an erasure",
		description:
			"Shows what an erasure did, what it could not remove and why, and whether it was reversed. The number itself is not stored.",
		credentials: NEEDS_KEY,
		scope: "registry:read",
		parameters: [purgeIdParameter],
		answers: {
			200: { description: "The record.", schema: PurgeRecord, example: examplePurgeRecord, headers: noStoreHeaders },
		},
		problems: ["not-found"],
		handle: withoutCachingProblems(async (call) => {
			const tombstone = await findTombstone(deps.sql, idFrom(call));
			if (!tombstone) throw new Problem("not-found");
			return json(200, recordOf(deps, tombstone), NO_STORE);
		}),
	};
}

function deletePurge(deps: PurgeRouteDeps): Operation {
	return {
		id: "deletePurge",
		sdk: "registry.deletePurge",
		method: "DELETE",
		path: "/v1/authority/purges/{id}",
		tag: TAG,
		summary: "Reverse an erasure with two keys",
		description:
			"The first key that calls this operation proposes the reversal. Another key confirms it within a week. The two keys must not share an origin: keys created or rotated from each other or from the same key are refused with `forbidden`, and so is any key created after the proposal. Keys created by the operator have no common origin. The next ingest then includes the entry again if the source has it. The record stays, but after that ingest nothing shows which number it was for. Each step is audited. A key may take 60 steps per hour, counted together with all keys created or rotated from the same key.",
		credentials: NEEDS_KEY,
		scope: "admin",
		parameters: [purgeIdParameter],
		answers: {
			200: {
				description: "Reversed, now or earlier.",
				schema: PurgeRecord,
				example: exampleReversedRecord,
				headers: noStoreHeaders,
			},
			202: {
				description:
					"Proposed: a key of another origin must confirm it. Repeated calls of the proposing key get this answer too.",
				schema: PurgeRecord,
				example: exampleProposedRecord,
				headers: noStoreHeaders,
			},
		},
		problems: ["not-found", "forbidden", "rate-limit-exceeded"],
		handle: withoutCachingProblems(async (call) => {
			const purgeId = idFrom(call);
			const tombstone = await reversePurge(deps.erasure, purgeId, requesterOf(call));
			const isReversed = tombstone.reversedAt !== null;
			const facts = callFacts(call, purgeId);
			if (isReversed) deps.log.info({ event: "registry.purge_reversed", ...facts }, "registry purge reversed");
			else deps.log.info({ event: "registry.reversal_proposed", ...facts }, "reversal of a registry purge proposed");
			return json(isReversed ? 200 : 202, recordOf(deps, tombstone), NO_STORE);
		}),
	};
}

function requesterOf(call: Call): Requester {
	return { actor: actorOf(call), ...(call.principal ? { plan: call.principal.plan } : {}) };
}

function recordOf(deps: PurgeRouteDeps, tombstone: TombstoneRow): PurgeRecord {
	return toPurgeRecord(tombstone, deps.areFilesCleared(), deps.erasure.graceSeconds ?? 0, deps.clock.now());
}

function callFacts(call: Call, purgeId: string) {
	const { keyId, clientId } = call.principal ?? {};
	return { requestId: call.requestId, purgeId, keyId, clientId };
}
