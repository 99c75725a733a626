/** A tenant's test clock, which exists in the sandboxes only: the operation that advances it, and how it works. */
import { type Static, Type } from "@sinclair/typebox";
import { ageCertificates, findClockAhead, moveClock } from "../../companies";
import { ageProbes } from "../../events/endpoints";

import { ageTokens, DEMO_TENANT_ID } from "../../identity/auth";
import { ageTestSets } from "../../invoicing/certification";
import { ageInvoices, storeCarried } from "../../invoicing/invoices";
import { agePrepared } from "../../invoicing/prepared";
import type { Sql, Tx } from "../../platform/database";
import {
	ageAnswers,
	answerOnce,
	type IdempotencyKey,
	idempotencyKeyParameter,
	WRITE_PROBLEMS,
} from "../../platform/idempotency";
import { type Call, jsonBody, NEEDS_BOTH, type Operation, PRIVATE_NO_STORE, tenantOf } from "../../platform/operation";
import { ageMessages, OUTBOX_KINDS } from "../../platform/outbox";
import { msg, Problem } from "../../platform/problem";
import { type Clock, type Environment, isSandbox } from "../../platform/values";

export type SandboxDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly environment: Environment;
	/** Notifies dispatchers that messages may be due. */
	readonly wake: () => void;
};

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

const ClockRequest = Type.Object(
	{
		advance: Type.String({
			pattern: "^[1-9][0-9]{0,8}[smhd]$",
			faultDetail: msg`Send a whole number above 0 and its unit, s, m, h or d: 25h.`,
			description:
				"How far to advance: a whole number of seconds, minutes, hours or days. The clock only moves forward.",
		}),
	},
	{ $id: "ClockRequest", additionalProperties: false },
);
type ClockRequest = Static<typeof ClockRequest>;

/** Gap: the answer's shape. */
const ClockAnswer = Type.Object(
	{
		advancedSeconds: Type.Integer(),
		aheadSeconds: Type.Integer({ description: "How far the clock is ahead in total." }),
		now: Type.String({ description: "The time on the tenant's test clock." }),
	},
	{ $id: "ClockAnswer" },
);

export function sandboxOperations(deps: SandboxDeps): Operation[] {
	if (!isSandbox(deps.environment)) return [];
	return [
		{
			id: "advanceClock",
			sdk: "sandbox.advanceClock",
			method: "POST",
			path: "/v1/sandbox/clock",
			tag: "Sandbox",
			summary: "Advance the test clock",
			description:
				"Sandboxes only. Everything that your company waits for gets older: idempotency keys and tokens expire, retries become due, " +
				"transmission failures and contingency reach their limits, certificates and sequences reach their dates (`activateAt` and " +
				"`notAfter` are shown that much earlier). Leases, signing times, dates in documents and other companies are not affected.",
			credentials: NEEDS_BOTH,
			scope: "sandbox:write",
			parameters: [idempotencyKeyParameter("gets the first answer again; the clock does not move")],
			body: jsonBody(ClockRequest, { advance: "25h" }),
			answers: {
				200: {
					description: "The clock has moved. A repeat of an idempotency key gets the first answer.",
					schema: ClockAnswer,
					example: { advancedSeconds: 90_000, aheadSeconds: 90_000, now: "2026-11-21T15:20:00.118Z" },
				},
			},
			problems: [
				...WRITE_PROBLEMS,
				...(["payload-too-large", "unsupported-media-type", "forbidden", "tenant-config-missing"] as const),
			],
			handle: (call) => postClock(deps, call),
		},
	];
}

async function postClock({ sql, clock, environment, wake }: SandboxDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	// Answered after all other keys have been aged, so this one's answer is stored as fresh.
	const answer = await answerOnce<ClockRequest>(sql, call, async (tx, { advance }, place) => {
		if (environment === "public-sandbox" && tenantId === DEMO_TENANT_ID) {
			throw new Problem("forbidden", { detail: msg`The demo company is shared; register one of your own.` });
		}
		const seconds = Number(advance.slice(0, -1)) * (SECONDS[advance.slice(-1)] ?? 1);
		const aheadSeconds = await advanceClock(tx, tenantId, seconds, place);
		const now = new Date(clock.now().getTime() + aheadSeconds * 1_000).toISOString();
		return { status: 200, body: { advancedSeconds: seconds, aheadSeconds, now }, headers: PRIVATE_NO_STORE };
	});
	wake();
	return answer;
}

/*
 * Advancing the clock moves the tenant's stored times back, in one transaction. So everything that reads them works as in production, without
 * a separate clock. Values in signed documents never move: a sequence's last day is compared with the tenant's day instead.
 *
 *     idempotency keys, refresh tokens, access tokens                 expire sooner
 *     transmission failures, contingency, messages, retries, probes   have lasted longer, are due sooner
 *     certificates                                                    start, take over and end sooner
 *     certification test sets, prepared invoices                      expire sooner
 *     sequences                                                       expire by the tenant's day
 *
 * Not affected: leases of messages and numbers, the `t` of signatures, dates of documents, other tenants.
 */

/** Holders of these messages lock an endpoint first; all others lock the message first. */
const ENDPOINT_KINDS = [OUTBOX_KINDS.deliverWebhook, OUTBOX_KINDS.probeEndpoint];
/** Ten years. */
const AHEAD_MAX_SECONDS = 315_360_000;

/**
 * Returns how far the clock is ahead. The answer stored under `place` by an equal, faster request is not aged; otherwise this request would
 * find it expired and advance the clock again. Throws: tenant-config-missing; validation-error beyond the limit.
 */
export async function advanceClock(tx: Tx, tenantId: string, seconds: number, place?: IdempotencyKey): Promise<number> {
	checkAhead((await findClockAhead(tx, tenantId)) + seconds);
	// The lock order of all holders: a document's step locks its message, then the message of its test set, the document, the set and the company.
	// A webhook delivery locks the company, its endpoints and then the message.
	await storeCarried(tx, tenantId);
	await ageMessages(tx, tenantId, seconds, { besides: [OUTBOX_KINDS.advanceTestSet, ...ENDPOINT_KINDS] });
	await ageMessages(tx, tenantId, seconds, { only: [OUTBOX_KINDS.advanceTestSet] });
	const aheadSeconds = await moveClock(tx, tenantId, seconds);
	if (aheadSeconds === undefined) {
		throw new Problem("tenant-config-missing", { extensions: { missing: ["company"] } });
	}
	checkAhead(aheadSeconds);
	await ageAnswers(tx, tenantId, seconds, place);
	await ageTokens(tx, tenantId, seconds);
	await ageCertificates(tx, tenantId, seconds);
	await ageInvoices(tx, tenantId, seconds);
	await ageProbes(tx, tenantId, seconds);
	await ageMessages(tx, tenantId, seconds, { only: ENDPOINT_KINDS });
	await ageTestSets(tx, tenantId, seconds);
	await agePrepared(tx, tenantId, seconds);
	return aheadSeconds;
}

function checkAhead(seconds: number): void {
	if (seconds <= AHEAD_MAX_SECONDS) return;
	const detail = msg`The clock cannot be ahead by more than ${AHEAD_MAX_SECONDS} seconds in total.`;
	throw new Problem("validation-error", { faults: [{ pointer: "/advance", code: "too-far", detail }] });
}
