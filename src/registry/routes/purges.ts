/** The operations of an erasure: asking for it, reading its record, reversing it by two. */

import { Type } from "@sinclair/typebox";
import { actorOf } from "../../identity/audit-log";
import type { Sql } from "../../platform/database";
import { idempotencyKeyParameter } from "../../platform/idempotency";
import {
	type Call,
	idFrom,
	JSON_BYTES_MAX,
	json,
	NEEDS_BOTH,
	NEEDS_KEY,
	type Operation,
	type Parameter,
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
	/** Whether this machine's files hold nothing erased any more. */
	readonly areFilesCleared: () => boolean;
};

const TAG = "Registry";
const NO_STORE = { "cache-control": "no-store" };
const noStoreHeaders = { "Cache-Control": "`no-store`" };

export function purgeOperations(deps: PurgeRouteDeps): Operation[] {
	return [postPurge(deps), getPurge(deps), deletePurge(deps)];
}

const purgeIdParameter: Parameter = {
	name: "id",
	in: "path",
	required: true,
	description: "`purge_id` of the erasure.",
	schema: Type.String(),
	example: examplePurgeRecord.purge_id,
};

function postPurge(deps: PurgeRouteDeps): Operation {
	return {
		id: "purgeDocument",
		method: "POST",
		path: "/v1/authority/document/{document}:purge",
		tag: TAG,
		summary: "Erase a taxpayer's entry",
		description:
			"Erases an entry under the data-protection law (ARCO): at once here, within a second on every node, and in every later ingest. The answer is the same whether or not the number was in the registry; erasing it again is answered with the first record and withdraws a proposed reversal. Each is audited; a key may do it 60 times in an hour, together with all that were made or rotated from the same key.",
		credentials: NEEDS_BOTH,
		scope: "registry:purge",
		parameters: [documentParameter, idempotencyKeyParameter()],
		body: {
			schema: PurgeRequest,
			limitBytes: JSON_BYTES_MAX,
			required: true,
			mediaTypes: ["application/json"],
			example: examplePurgeRequest,
		},
		answers: {
			200: {
				description: "Erased, or nothing to erase; for a repeat of an idempotency key the first answer again.",
				schema: PurgeAnswer,
				example: examplePurgeAnswer,
				headers: noStoreHeaders,
			},
		},
		problems: [
			"invalid-document-format",
			"malformed-json",
			"validation-error",
			"payload-too-large",
			"unsupported-media-type",
			"idempotency-key-reused",
			"idempotency-in-progress",
			"rate-limit-exceeded",
		],
		handle: withoutCachingProblems(async (call) => {
			const { answer, purgeId } = await purgeOnce(deps.erasure, call, readDocument(call), requesterOf(call));
			if (purgeId !== undefined) logDone(deps, call, purgeId, "registry entry purged");
			return answer;
		}),
	};
}

function getPurge(deps: PurgeRouteDeps): Operation {
	return {
		id: "getPurge",
		method: "GET",
		path: "/v1/authority/purges/{id}",
		tag: TAG,
		summary: "Record of an erasure",
		description:
			"What an erasure did, what it could not touch and why, and whether it was reversed. The number is not in it: it is not kept.",
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
		method: "DELETE",
		path: "/v1/authority/purges/{id}",
		tag: TAG,
		summary: "Reverse an erasure, by two",
		description:
			"The first key that asks proposes the reversal; another one that asks within a week confirms it. The two must not come from one: a key that the first has made or rotated, one that was made or rotated from the same key as the first, and any key made after the proposal are refused with `forbidden`. Keys that the operator made come from none. From then on later ingests take the entry again, the next one first, should the source have it. The record stays, but once that ingest is through nothing tells which number it was of. Each step is audited; a key may take 60 in an hour, together with all that were made or rotated from the same key.",
		credentials: NEEDS_KEY,
		scope: "admin",
		parameters: [purgeIdParameter],
		answers: {
			200: {
				description: "Reversed, now or before.",
				schema: PurgeRecord,
				example: exampleReversedRecord,
				headers: noStoreHeaders,
			},
			202: {
				description:
					"Proposed: another key must confirm, one of another origin. The key that proposed is answered so as often as it asks.",
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
			logDone(deps, call, purgeId, isReversed ? "registry purge reversed" : "reversal of a registry purge proposed");
			return json(isReversed ? 200 : 202, recordOf(deps, tombstone), NO_STORE);
		}),
	};
}

function requesterOf(call: Call): Requester {
	return { actor: actorOf(call), ...(call.principal ? { plan: call.principal.plan } : {}) };
}

function recordOf(deps: PurgeRouteDeps, tombstone: TombstoneRow): PurgeRecord {
	return toPurgeRecord(tombstone, deps.areFilesCleared(), deps.clock.now());
}

function logDone(deps: PurgeRouteDeps, call: Call, purgeId: string, message: string): void {
	const { keyId, clientId } = call.principal ?? {};
	deps.log.info({ requestId: call.requestId, purgeId, keyId, clientId }, message);
}
