/** What a caller does to a set that is there: cancels it, or begins another run of one that failed. */
import { type Doer, recordAudit } from "../../identity/audit-log";
import type { Tx } from "../../platform/database";
import { append } from "../../platform/outbox";
import { Problem } from "../../platform/problem";
import { TEST_SET_KIND } from "../invoices";
import { inProgress } from "./ask-for-set";
import { concludeSet } from "./conclude";
import { isFinal, move } from "./machine";
import { findActiveId, findSet, lockSet, moveSet } from "./store";
import type { TestSetRow } from "./test-set-row";

/** A set of the tenant, locked. Throws: not-found. */
async function lockOwn(tx: Tx, tenantId: string, id: string): Promise<TestSetRow> {
	const set = await lockSet(tx, id);
	if (set?.tenantId !== tenantId) throw new Problem("not-found");
	return set;
}

/** A document that is on its way goes on alone; nothing else is sent. A set that is cancelled already stays so. Throws: not-found, test-set-final. */
export async function cancelSet(tx: Tx, tenantId: string, id: string, doer: Doer): Promise<TestSetRow> {
	const set = await lockOwn(tx, tenantId, id);
	if (set.status === "cancelled") return set;
	if (!(await concludeSet(tx, set, "cancelled", doer.at))) {
		throw new Problem("test-set-final", { detail: `The test set is ${set.status}: there is nothing to cancel.` });
	}
	await recordAudit(tx, { ...doer, action: "test-set.cancel", subject: id, tenantId, details: { run: set.run } });
	return readAgain(tx, id);
}

/** Throws: not-found; test-set-in-progress, also for another set of the company; test-set-final where it did not fail or has had all its runs. */
export async function retrySet(tx: Tx, tenantId: string, id: string, doer: Doer): Promise<TestSetRow> {
	const set = await lockOwn(tx, tenantId, id);
	// Whoever begins a set of this company at the same time waits for its index, or this one does.
	if (!isFinal(set.status) || (await findActiveId(tx, tenantId, set.environment)) !== undefined) {
		throw await inProgress(tx, tenantId, set.environment);
	}
	const to = move(set, "retried", set.runsMax);
	if (!to) {
		const detail =
			set.status === "failed"
				? `All ${set.runsMax} runs are used up; begin a new test set.`
				: `The test set is ${set.status}; only one that failed has another run.`;
		throw new Problem("test-set-final", { detail });
	}
	await moveSet(tx, id, to, { isNewRun: true });
	await append(tx, { kind: TEST_SET_KIND, tenantId, subject: id });
	await recordAudit(tx, { ...doer, action: "test-set.retry", subject: id, tenantId, details: { run: to.run } });
	return readAgain(tx, id);
}

async function readAgain(tx: Tx, id: string): Promise<TestSetRow> {
	const row = await findSet(tx, id);
	if (!row) throw new Error(`test set ${id} was changed and is not there`);
	return row;
}
