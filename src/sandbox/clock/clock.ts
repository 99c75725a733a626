/** The operation that moves a tenant's test clock; it exists in the sandboxes only. */
import { type Static, Type } from "@sinclair/typebox";
import { ageCertificates, findClockAhead, moveClock } from "../../companies";
import { ageProbes } from "../../events/endpoints";

import { ageTokens, DEMO_TENANT_ID } from "../../identity/auth";
import { ageTestSets } from "../../invoicing/certification";
import { ageInvoices } from "../../invoicing/invoices";
import type { Sql, Tx } from "../../platform/database";
import { ageAnswers, answerOnce, type IdempotencyKey, idempotencyKeyParameter } from "../../platform/idempotency";
import {
	type Call,
	JSON_BYTES_MAX,
	NEEDS_BOTH,
	type Operation,
	PRIVATE_NO_STORE,
	tenantOf,
} from "../../platform/operation";
import { ageMessages, OUTBOX_KINDS } from "../../platform/outbox";
import { Problem } from "../../platform/problem";
import { type Clock, type Environment, isSandbox } from "../../platform/values";

export type SandboxDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly environment: Environment;
	/** Tells dispatchers that messages may be due. */
	readonly wake: () => void;
};

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

const ClockRequest = Type.Object(
	{
		advance: Type.String({
			pattern: "^[1-9][0-9]{0,8}[smhd]$",
			faultDetail: "Send a whole number above 0 and its unit, s, m, h or d: 25h.",
			description: "By how much: a whole number of seconds, minutes, hours or days. The clock only goes forward.",
		}),
	},
	{ $id: "ClockRequest", additionalProperties: false },
);
type ClockRequest = Static<typeof ClockRequest>;

/** Gap: the answer's shape. */
const ClockAnswer = Type.Object(
	{
		advancedSeconds: Type.Integer(),
		aheadSeconds: Type.Integer({ description: "By how much the clock is ahead in all." }),
		now: Type.String({ description: "The time by the tenant's test clock." }),
	},
	{ $id: "ClockAnswer" },
);

export function sandboxOperations(deps: SandboxDeps): Operation[] {
	if (!isSandbox(deps.environment)) return [];
	return [
		{
			id: "advanceClock",
			method: "POST",
			path: "/v1/sandbox/clock",
			tag: "Sandbox",
			summary: "Move the test clock on",
			description:
				"Sandboxes only. Makes everything that your company waits for older: idempotency keys and tokens expire, retries become due, " +
				"failures of ours and contingency reach their limits, certificates and sequences reach their days (`activateAt` and " +
				"`notAfter` are told as nearer by as much). Leases, signatures' times, dates in documents and other companies stay.",
			credentials: NEEDS_BOTH,
			scope: "sandbox:write",
			parameters: [idempotencyKeyParameter("gets the first answer again, and the clock stays")],
			body: {
				schema: ClockRequest,
				limitBytes: JSON_BYTES_MAX,
				required: true,
				mediaTypes: ["application/json"],
				example: { advance: "25h" },
			},
			answers: {
				200: {
					description: "The clock has moved; for a repeat of an idempotency key the first answer again.",
					schema: ClockAnswer,
					example: { advancedSeconds: 90_000, aheadSeconds: 90_000, now: "2026-11-21T15:20:00.118Z" },
				},
			},
			problems: [
				"malformed-json",
				"validation-error",
				"payload-too-large",
				"unsupported-media-type",
				"forbidden",
				"tenant-config-missing",
				"idempotency-key-reused",
				"idempotency-in-progress",
			],
			handle: (call) => postClock(deps, call),
		},
	];
}

async function postClock({ sql, clock, environment, wake }: SandboxDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	// Behind the ageing of all other keys, this one's answer is stored as fresh.
	const answer = await answerOnce<ClockRequest>(sql, call, async (tx, { advance }, place) => {
		if (environment === "public-sandbox" && tenantId === DEMO_TENANT_ID) {
			throw new Problem("forbidden", { detail: "The demo company belongs to everybody; register one of your own." });
		}
		const seconds = Number(advance.slice(0, -1)) * (SECONDS[advance.slice(-1)] ?? 1);
		const aheadSeconds = await advanceClock(tx, tenantId, seconds, place);
		const now = new Date(clock.now().getTime() + aheadSeconds * 1_000).toISOString();
		return { status: 200, body: { advancedSeconds: seconds, aheadSeconds, now }, headers: PRIVATE_NO_STORE };
	});
	wake();
	return answer;
}

/* HEAD advance-clock.ts:  * A tenant's test clock, moved on: whatever it waits for grows older by as much.
 *
 * Nothing asks a clock of its own for the tenant. Times are stored, so the times are moved back instead, in one transaction, and all
 * that reads them stays as it is, in production too. What stands in signed documents is never moved: the last day of a sequence is
 * compared with the tenant's day instead.
 *
 *     idempotency keys, refresh tokens, access tokens            end sooner
 *     failures of ours, contingency, messages, retries, probes   have lasted longer, are due sooner
 *     certificates                                               begin, take over and end sooner
 *     certification test sets                                    expire sooner
 *     sequences                                                  expire by the tenant's day
 *
 * Left alone: leases of messages and of numbers, the `t` of signatures, dates of documents, other tenants. */

/** Their holders lock an endpoint before the message; all others' lock the message before anything else. */
const ENDPOINT_KINDS = [OUTBOX_KINDS.deliverWebhook, OUTBOX_KINDS.probeEndpoint];
/** Ten years. */
const AHEAD_MAX_SECONDS = 315_360_000;

/**
 * Answers how far the clock is ahead now. An answer in `place`, of an equal request that was faster, gets no older: this one would take it for
 * expired and move the clock again. Throws: tenant-config-missing, validation-error when it would be too far.
 */
export async function advanceClock(tx: Tx, tenantId: string, seconds: number, place?: IdempotencyKey): Promise<number> {
	checkAhead((await findClockAhead(tx, tenantId)) + seconds);
	// Locked in the order in which everybody locks: steps their message before the message of their set, which they hasten, their document,
	// their set and, to see whether it may issue, their company; whoever delivers the company, its endpoints, and then the message.
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
	return aheadSeconds;
}

function checkAhead(seconds: number): void {
	if (seconds <= AHEAD_MAX_SECONDS) return;
	const detail = `The clock cannot be ahead by more than ${AHEAD_MAX_SECONDS} seconds in all.`;
	throw new Problem("validation-error", { faults: [{ pointer: "/advance", code: "too-far", detail }] });
}
