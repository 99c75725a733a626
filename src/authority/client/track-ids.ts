/** Reads the list of an e-NCF's receptions. Quirk: sending again creates another trackId, so there may be several. */
import { foldText, type Reading, textOf, toMembers } from "./read-answer";
import {
	type ExpectedDocument,
	findMismatch,
	isSuccess,
	judgeStatus,
	type Reply,
	readTrackId,
	type Standing,
	soleMembers,
	standingOf,
	type Unavailable,
	unavailable,
	unexpected,
} from "./reply";

export type TrackIdEntry = {
	readonly trackId: string;
	/** The standing in the list; absent for an unknown word. Only the result query decides. */
	readonly standing?: Standing;
	/** Absent when the authority's text has an unknown form. */
	readonly receivedAt?: Date;
};

export type TrackIds =
	| { readonly kind: "found"; readonly entries: readonly TrackIdEntry[] }
	| { readonly kind: "not-found" }
	| Unavailable;

/** The trackIds of a reply in the authority's order. A single unreadable entry makes the whole list unavailable. */
export function readTrackIds(reply: Reply, document: ExpectedDocument): TrackIds {
	if (reply.reached !== "answer") return unavailable(reply);
	const { status, reading } = reply;
	const failure = judgeStatus(status);
	if (failure) return unavailable(failure);
	if (saysNone(reading) || (status === 404 && isProblemDocument(reading))) return { kind: "not-found" };
	const items = isSuccess(status) ? itemsOf(reading) : undefined;
	if (!items) return unavailable(unexpected(status, reading));
	if (items.every(isEntryOfNone)) return { kind: "not-found" };
	const mismatch = items.map((item) => findMismatch(toMembers(item) ?? new Map(), document)).find(Boolean);
	if (mismatch) return unavailable({ fault: "authority-answer-mismatch", detail: mismatch });
	const entries = items.flatMap(toEntry);
	if (entries.length < items.length) return unavailable(unexpected(status, reading));
	return { kind: "found", entries };
}

function itemsOf(reading: Reading): readonly unknown[] | undefined {
	if (reading.form === "list") return reading.items;
	return reading.form === "members" ? [Object.fromEntries(reading.members)] : undefined;
}

function toEntry(item: unknown): TrackIdEntry[] {
	const members = toMembers(item);
	const trackId = members && readTrackId(members);
	if (!members || trackId === undefined) return [];
	const estado = textOf(members, "estado");
	const standing = estado === undefined ? undefined : standingOf(estado);
	const receivedAt = readReceptionTime(textOf(members, "fecharecepcion") ?? "");
	return [{ trackId, ...(standing ? { standing } : {}), ...(receivedAt ? { receivedAt } : {}) }];
}

/** en-US, 12 hours, UTC-4: `8/15/2023 6:06:57 AM`. Source: live answers. */
function readReceptionTime(text: string): Date | undefined {
	const match = /^(\d{1,2})\/(\d{1,2})\/(\d{4}) (\d{1,2}):(\d{2}):(\d{2}) (AM|PM)$/.exec(text.trim());
	if (!match) return undefined;
	const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
	const hour24 = (hour % 12) + (match[7] === "PM" ? 12 : 0);
	return new Date(Date.UTC(year, month - 1, day, hour24 + 4, minute, second));
}

/** "TrackId no encontrado.", in a member or as a bare sentence, with or without an error status. */
function saysNone(reading: Reading): boolean {
	if (reading.form === "text") return isNone(reading.text);
	const members = soleMembers(reading);
	if (!members || readTrackId(members) !== undefined) return false;
	return ["estado", "mensaje", "error"].some((name) => isNone(textOf(members, name) ?? ""));
}

/**
 * The 404 of the authority's runtime for an action that found nothing (RFC 9457): the service was reached and does not know the number. Any
 * other 404 is a wrong address. Gap: the authority does not document this; public clients have observed it.
 */
function isProblemDocument(reading: Reading): boolean {
	if (reading.form !== "members") return false;
	const { members } = reading;
	return textOf(members, "status") === "404" && ["type", "title"].every((name) => textOf(members, name) !== undefined);
}

/** An entry that names no reception and says so: `{"trackId": null, "estado": "No encontrado"}`. Source: public clients. */
function isEntryOfNone(item: unknown): boolean {
	const members = toMembers(item);
	if (!members?.has("trackid") || readTrackId(members) !== undefined) return false;
	return standingOf(textOf(members, "estado") ?? "") === "not-found";
}

// Without the word TrackId, the sentence could be an edge's "page not found".
function isNone(text: string): boolean {
	return foldText(text) === "trackid no encontrado";
}
