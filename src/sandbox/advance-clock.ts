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
import { ageTokens } from "../access";
import { ageTestSets } from "../certification";
import { ageCertificates, moveClock } from "../companies";
import type { Sql } from "../database";
import { ageProbes } from "../endpoints";
import { ageAnswers } from "../idempotency";
import { ageInvoices } from "../invoices";
import { ageMessages } from "../outbox";
import { Problem } from "../problem";

/** Ten years. */
const AHEAD_MAX_SECONDS = 315_360_000;

/** Answers how far the clock is ahead now. Throws: tenant-config-missing, validation-error when it would be too far. */
export async function advanceClock(sql: Sql, tenantId: string, seconds: number): Promise<number> {
	return sql.begin(async (tx) => {
		const aheadSeconds = await moveClock(tx, tenantId, seconds);
		if (aheadSeconds === undefined) {
			throw new Problem("tenant-config-missing", { extensions: { missing: ["company"] } });
		}
		if (aheadSeconds > AHEAD_MAX_SECONDS) {
			const detail = `The clock cannot be ahead by more than ${AHEAD_MAX_SECONDS} seconds in all.`;
			throw new Problem("validation-error", { faults: [{ pointer: "/advance", code: "too-far", detail }] });
		}
		await ageAnswers(tx, tenantId, seconds);
		await ageTokens(tx, tenantId, seconds);
		await ageCertificates(tx, tenantId, seconds);
		await ageInvoices(tx, tenantId, seconds);
		// Endpoints before messages, and test sets behind them, as everybody locks them.
		await ageProbes(tx, tenantId, seconds);
		await ageMessages(tx, tenantId, seconds);
		await ageTestSets(tx, tenantId, seconds);
		return aheadSeconds;
	});
}
