/**
 * Places in a tenant's feed, and the cursors that name them.
 *
 *     48213-55667788     an event's number, and a mark: the end of its id
 *     48213              the number alone, as webhooks and events carry it
 *     0                  before the first event
 *
 * A database that was restored counts on from its own last event, so a number alone may name another event than it did when somebody kept it:
 * who went on from there would pass over what has that number now. With its mark a place is known again, or known to be gone.
 *
 * What fails: a number alone is believed; so is a place whose event has been forgotten since, being the newest that was.
 */
import type { ParameterFault } from "../../platform/operation";

export type Place = {
	readonly sequence: number;
	/** Null where none is known. */
	readonly mark: string | null;
};

/** Before the first event. */
export const BEGINNING: Place = { sequence: 0, mark: null };

const MARK_DIGITS = 8;
/** 15 digits are exact. */
const form = new RegExp(`^(0|[1-9]\\d{0,14})(?:-([0-9a-f]{${MARK_DIGITS}}))?$`);

/** The place of an event; the id may be forgotten already. */
export function placeOf(sequence: number, id: string | null): Place {
	return { sequence, mark: id === null ? null : id.slice(-MARK_DIGITS) };
}

export function toCursor({ sequence, mark }: Place): string {
	return mark === null ? String(sequence) : `${sequence}-${mark}`;
}

/** Undefined for what is no cursor. */
export function readCursor(text: string): Place | undefined {
	const [, digits, mark] = form.exec(text) ?? [];
	return digits === undefined ? undefined : { sequence: Number(digits), mark: mark ?? null };
}

/** Stands for the place behind the newest event. */
export const LATEST = "latest";

/** What is wrong with a place that a query names. */
export function checkPlace(text: string): ParameterFault | undefined {
	if (text === LATEST || readCursor(text)) return undefined;
	return { code: "invalid-cursor", detail: `Send the \`next\` of a page, a sequence or ${LATEST}.` };
}
