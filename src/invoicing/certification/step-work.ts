/** What the steps of a test set share: dependencies, and the ways in which a step can end. */
import type { AuthorityMessage, AuthorityUrls } from "../../authority/client";
import { correctionOf } from "../../authority/codes";
import type { SealedIdentity, SigningIdentity } from "../../ecf/signing";
import { enqueueEvent } from "../../events/webhooks";
import type { Sql, Tx } from "../../platform/database";
import { assertLease, expediteMessages, type Message, OUTBOX_KINDS, type Outcome, snooze } from "../../platform/outbox";
import type { Clock, Environment } from "../../platform/values";
import type { TestDocumentState } from "../invoices";
import type { VerdictReaction } from "../verdicts";
import { move, type SetEvent } from "./machine";
import type { Stage } from "./rehearse";
import type { Provider } from "./settings";
import { lockSet, moveSet, withdrawCases } from "./store";
import type { Failure, TestSetRow } from "./test-set";
/** What the operations and the steps of test sets need. */
export type CertificationDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly environment: Environment;
	/** Notifies dispatchers of new messages. */
	readonly wake: () => void;
	/** Who operates the service. The documents of a test set name this RNC as the other party; null: the company's own. */
	readonly provider: Provider;
	readonly baseUrl: string;
	readonly software: { readonly name: string; readonly version: string };
	readonly apiVersions: { readonly invoicing: string; readonly identity: string };
	readonly retentionYears: number;
	readonly authorityUrls: AuthorityUrls;
	/** Opens a sealed key, in the thread that may hold one. */
	readonly openKey: (identity: SealedIdentity) => SigningIdentity;
	/** Starts a simulator for one rehearsal, with a client for it. */
	readonly openStage: () => Promise<Stage>;
};

export type StepTools = Pick<
	CertificationDeps,
	"sql" | "clock" | "environment" | "wake" | "authorityUrls" | "openKey" | "openStage"
>;

export type Work = { readonly deps: StepTools; readonly message: Message; readonly set: TestSetRow };

/** Moves the set to its next state, with what belongs to it, in one transaction. */
export async function goOn(work: Work, event: SetEvent, also?: (tx: Tx) => Promise<void>): Promise<Outcome> {
	const { set } = work;
	const to = move(set, event, set.runsMax);
	if (!to) throw new Error(`test set ${set.id} is ${set.status}: ${event} is not possible`);
	await write(work, async (tx) => {
		await also?.(tx);
		await moveSet(tx, set, to);
	});
	return snooze(0);
}

export async function end(work: Work, ending: Ending, failure: Failure | null = null): Promise<Outcome> {
	const { deps, set } = work;
	await write(work, async (tx) => {
		await concludeSet(tx, set, ending, deps.clock.now(), failure);
	});
	deps.wake();
	return snooze(0);
}

/** Writes under the lease of the message, if the set has not changed since the step began. Throws: LeaseLostError. */
export function write(work: Work, statements: (tx: Tx) => Promise<void>): Promise<void> {
	return writeWhere(work, async () => true, statements);
}

/** The same with a further condition. Lock order: message, company (as a test clock locks them), set. */
export async function writeWhere(
	{ deps, message, set }: Work,
	isAllowed: (tx: Tx) => Promise<boolean>,
	statements: (tx: Tx) => Promise<void>,
): Promise<void> {
	await deps.sql.begin(async (tx) => {
		await assertLease(tx, message);
		if (!(await isAllowed(tx))) return;
		const now = await lockSet(tx, set.tenantId, set.id);
		if (now?.status === set.status && now.run === set.run) await statements(tx);
	});
}

export type Ending = Extract<SetEvent, "all-accepted" | "refused" | "expired" | "cancelled">;

/** Ends a set that the caller has locked, withdraws unsent cases and writes the event. Returns false if the set cannot end this way. */
export async function concludeSet(
	tx: Tx,
	set: TestSetRow,
	ending: Ending,
	now: Date,
	failure: Failure | null = null,
): Promise<boolean> {
	const to = move(set, ending, set.runsMax);
	if (!to) return false;
	await withdrawCases(tx, set);
	await moveSet(tx, set, to, { failure, isFinal: true });
	const { id, tenantId, mode, run } = set;
	await enqueueEvent(tx, {
		...{ event: "certification.completed", tenantId, docId: id, trackId: id, occurredAt: now, status: to.status },
		certification: { mode, run },
	});
	return true;
}

/** The failure of a set, from the document that was not accepted. */
export function toFailure(
	name: string,
	{ authority, failure }: Pick<TestDocumentState, "authority" | "failure">,
): Failure {
	const own = failure ?? {};
	if (typeof own.code === "string")
		return { case: name, code: own.code, detail: String(own.detail ?? ""), fix: [], advice: [] };
	const code = String(authority?.code ?? "2");
	const messages = Array.isArray(authority?.messages) ? (authority.messages as AuthorityMessage[]) : [];
	const text = messages.map(({ text }) => text).join(" ");
	return { case: name, code, detail: `[${code}] ${text}`.trim(), ...correctionOf(code, messages) };
}

/** Wakes the sets of decided documents; polling is the safety net. */
export const wakeTestSets: VerdictReaction = {
	async wake(tx, conclusions) {
		const sets = conclusions.flatMap(({ decision, invoice: { tenantId, testSetId } }) =>
			decision && testSetId !== null ? [{ tenantId, subject: testSetId }] : [],
		);
		if (sets.length > 0) await expediteMessages(tx, OUTBOX_KINDS.advanceTestSet, sets);
		return sets.length > 0;
	},
};
