/**
 * What follows from a verdict, in the transaction that writes it: the event, archiving, the buyer's copy, requested e-mails, and what waited for it.
 *
 * Each reaction lives in the folder that it belongs to, and `app` lists them. Report sums follow later: they are folded when many verdicts have come.
 */
import type { Warning } from "../../ecf/mapping";
import { enqueueEvents, type NewEvent } from "../../events/webhooks";
import type { Tx } from "../../platform/database";
import { appendFor, type LocalDispatch, type NewMessage } from "../../platform/outbox";

export type Decision = {
	readonly status: "accepted" | "rejected" | "failed";
	readonly authority: Readonly<Record<string, unknown>> | null;
	readonly failure: Readonly<Record<string, unknown>> | null;
	/** The number is free again. */
	readonly releasesEncf: boolean;
	readonly at: Date;
	readonly detail: string;
};

/** A document that was decided, or that the authority's outage now delays, as it was before. */
export type Conclusion = {
	readonly invoice: {
		readonly docId: string;
		readonly trackId: string;
		readonly tenantId: string;
		readonly type: string;
		readonly encf: string;
		readonly clientRequestId: string | null;
		/** JSON text as received. */
		readonly request: string;
		/** Those of the acknowledgement. */
		readonly warnings: readonly Warning[];
		/** Null unless the document belongs to a certification test set. */
		readonly testSetId: string | null;
	};
	readonly version: number;
	/** Absent while the document is undecided. */
	readonly decision: Decision | undefined;
	/** The authority is out of reach for this document, for the first time. */
	readonly startsContingency: boolean;
};

export type VerdictReaction = {
	readonly events?: (conclusion: Conclusion, now: Date) => readonly NewEvent[];
	readonly messages?: (conclusion: Conclusion) => readonly NewMessage[];
	/** Takes notice, outside of the transaction, which may still be undone. */
	readonly note?: (conclusions: readonly Conclusion[]) => void;
	/** Expedites messages that waited for the verdict. Returns whether there were any. */
	readonly wake?: (tx: Tx, conclusions: readonly Conclusion[]) => Promise<boolean>;
};

export type Reactions = {
	/** Whether waiting messages are due now. */
	readonly hasWoken: boolean;
	/** The number of each conclusion's event in its tenant's feed; undefined without an event. */
	readonly sequences: readonly (number | undefined)[];
};

/** Runs all reactions; all events and messages are one write. */
export async function applyReactions(
	tx: Tx,
	reactions: readonly VerdictReaction[],
	conclusions: readonly Conclusion[],
	{ now, localDispatch }: { readonly now: Date; readonly localDispatch: LocalDispatch | undefined },
): Promise<Reactions> {
	const eventsOf = conclusions.map((one) => reactions.flatMap(({ events }) => events?.(one, now) ?? []));
	const events = eventsOf.flat();
	const messages = conclusions.flatMap((one) => reactions.flatMap(({ messages }) => messages?.(one) ?? []));
	const [numbers, ...woken] = await Promise.all([
		events.length > 0 ? enqueueEvents(tx, events, messages, localDispatch) : appendFor(tx, messages, localDispatch),
		...reactions.map(({ wake }) => wake?.(tx, conclusions) ?? false),
	]);
	for (const { note } of reactions) note?.(conclusions);
	const left = [...(numbers ?? [])];
	const sequences = eventsOf.map((own) => left.splice(0, own.length)[0]);
	return { hasWoken: woken.includes(true), sequences };
}
