/**
 * Cursors: positions in a tenant's feed.
 *
 *     48213-55667788     an event's number, and a mark: the end of its id
 *     48213              the number alone, as webhooks and events carry it
 *     0                  before the first event
 *
 * A restored database continues from its own last event, so a number may later belong to another event than the one that the caller saw. A caller
 * who continued from the number alone would skip the new event. The mark shows that the event at the cursor is the same, or that it is gone.
 *
 * What fails: a number without a mark is believed. So is a cursor whose event was the newest of those that have been deleted.
 */

import type { ParameterFault } from "../../platform/operation";
import { msg } from "../../platform/problem";

export type Cursor = {
	readonly sequence: number;
	/** Null if unknown. */
	readonly mark: string | null;
};

/** Before the first event. */
export const BEGINNING: Cursor = { sequence: 0, mark: null };

/** Stands for the position after the newest event. */
export const LATEST = "latest";

const MARK_DIGITS = 8;
/** 15 digits fit a number exactly. */
const form = new RegExp(`^(0|[1-9]\\d{0,14})(?:-([0-9a-f]{${MARK_DIGITS}}))?$`);

/** The cursor of an event. The id is null if the event has been deleted. */
export function cursorOf(sequence: number, id: string | null): Cursor {
	return { sequence, mark: id === null ? null : id.slice(-MARK_DIGITS) };
}

export function formatCursor({ sequence, mark }: Cursor): string {
	return mark === null ? String(sequence) : `${sequence}-${mark}`;
}

/** Undefined for a text that is not a cursor. */
export function readCursor(text: string): Cursor | undefined {
	const [, digits, mark] = form.exec(text) ?? [];
	return digits === undefined ? undefined : { sequence: Number(digits), mark: mark ?? null };
}

export function checkCursor(text: string): ParameterFault | undefined {
	if (text === LATEST || readCursor(text)) return undefined;
	return { code: "invalid-cursor", detail: msg`Send the \`next\` of a page, a sequence or ${LATEST}.` };
}
