/** What the steps of a test set share: what they need, and the ways in which a step can end. */
import type { Sql, Tx } from "../../platform/database";
import { type Message, mustHold, type Outcome, snooze } from "../../platform/outbox";
import type { Clock, Environment } from "../../platform/values";
import { concludeSet, type Ending } from "./conclude";
import type { GenerateDeps } from "./generate";
import { type Happening, move } from "./machine";
import type { Stage } from "./rehearse";
import { lockSet, moveSet } from "./store";
import type { Failure, TestSetRow } from "./test-set-row";

export type AdvanceDeps = GenerateDeps & {
	readonly sql: Sql;
	readonly environment: Environment;
	readonly clock: Clock;
	/** Starts a simulator of its own for a rehearsal, and a client for it. */
	readonly openStage: () => Promise<Stage>;
	/** Tells dispatchers that messages wait. */
	readonly wake: () => void;
};

export type Work = { readonly deps: AdvanceDeps; readonly message: Message; readonly set: TestSetRow };

/** Another state, with what belongs to it, in one transaction. */
export async function goOn(work: Work, happening: Happening, also?: (tx: Tx) => Promise<void>): Promise<Outcome> {
	const { set } = work;
	const to = move(set, happening, set.runsMax);
	if (!to) throw new Error(`test set ${set.id} is ${set.status}: ${happening} cannot happen to it`);
	await write(work, async (tx) => {
		await also?.(tx);
		await moveSet(tx, set.id, to);
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

/** Writes on behalf of the message, if the set is where the step has found it; otherwise nothing. Throws: LeaseLostError. */
export function write(work: Work, statements: (tx: Tx) => Promise<void>): Promise<void> {
	return writeWhere(work, async () => true, statements);
}

/** The same where something else is true besides: the message is locked before the company, as a test clock locks them, and both before the set. */
export async function writeWhere(
	{ deps, message, set }: Work,
	isAllowed: (tx: Tx) => Promise<boolean>,
	statements: (tx: Tx) => Promise<void>,
): Promise<void> {
	await deps.sql.begin(async (tx) => {
		await mustHold(tx, message);
		if (!(await isAllowed(tx))) return;
		const now = await lockSet(tx, set.id);
		if (now?.status === set.status && now.run === set.run) await statements(tx);
	});
}
