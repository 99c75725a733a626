/**
 * A tenant's test clock, moved on: whatever it waits for grows older by as much.
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
 * Left alone: leases of messages and of numbers, the `t` of signatures, dates of documents, other tenants.
 */

import { ageCertificates, findClockAhead, moveClock } from "../companies";
import { ageProbes } from "../events/endpoints";
import { DELIVER_KIND, PROBE_KIND } from "../events/webhooks";
import { ageTokens } from "../identity/auth";
import { ageTestSets, TEST_SET_KIND } from "../invoicing/certification";
import { ageInvoices } from "../invoicing/invoices";
import type { Tx } from "../platform/database";
import { ageAnswers, type KeyPlace } from "../platform/idempotency";
import { ageMessages } from "../platform/outbox";
import { Problem } from "../platform/problem";

/** Their holders lock an endpoint before the message; all others' lock the message before anything else. */
const ENDPOINT_KINDS = [DELIVER_KIND, PROBE_KIND];
/** Ten years. */
const AHEAD_MAX_SECONDS = 315_360_000;

/**
 * Answers how far the clock is ahead now. An answer in `place`, of an equal request that was faster, gets no older: this one would take it for
 * expired and move the clock again. Throws: tenant-config-missing, validation-error when it would be too far.
 */
export async function advanceClock(tx: Tx, tenantId: string, seconds: number, place?: KeyPlace): Promise<number> {
	checkAhead((await findClockAhead(tx, tenantId)) + seconds);
	// Locked in the order in which everybody locks: steps their message before the message of their set, which they hasten, their document,
	// their set and, to see whether it may issue, their company; whoever delivers the company, its endpoints, and then the message.
	await ageMessages(tx, tenantId, seconds, { besides: [TEST_SET_KIND, ...ENDPOINT_KINDS] });
	await ageMessages(tx, tenantId, seconds, { only: [TEST_SET_KIND] });
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
