/**
 * Recognises the authority's refusal to take a document. Forms seen:
 *
 *     200  {"trackId":null,"error":"…","mensaje":"…"}         bad file, bad structure, signature, no delegation
 *     400  {"mensajes":[{"valor":"…","codigo":…}]}  {"mensajes":["…"]}  {"mensaje":"…"}  {"error":"…"}
 *     400  {"title":"…","errors":{"field":["…"]}}             the platform's own check of the request
 *     400  a bare or JSON-encoded sentence                    only those known below: an edge can write sentences too
 */
import { type AuthorityMessage, firstCode, tellsDuplicate, tellsTransient, toMessages } from "./messages";
import { foldText, type Members, type Reading, truthOf } from "./read-answer";
import { isSuccess, soleMembers } from "./reply";
import { readTrackId } from "./same-document";
import { readStanding } from "./standing";

export type Refused = {
	readonly kind: "refused";
	/** Code of the first remark that has one. */
	readonly code?: string;
	readonly messages: readonly AuthorityMessage[];
	/** The number was used before: after a sending with unknown outcome perhaps by this very document, so query. */
	readonly duplicate: boolean;
	/** What the refusal itself says of the number, if it says anything; a rejection that does not name its e-NCF may be told so. */
	readonly sequenceConsumed?: boolean;
};

/** Source: the authority's description of its services, and sentences of live answers. */
const sentences: readonly RegExp[] = [
	/no esta delegado/,
	/firma( digital)?( del (archivo|documento|comprobante|xml))? (no es valida|es invalida|no valida|invalida)/,
	/(archivo|documento) (enviado )?(no es valido|es invalido|no valido|invalido|no es de tipo xml|no es (un )?xml)/,
	/no es un archivo xml/,
	/estructura( del (archivo xml|archivo|xml|documento))? (no es valid[oa]|es invalid[oa]|no valid[oa]|invalid[oa])/,
];

/** The refusal in an answer; undefined when it is none, or one that asks to try again and so leaves the outcome open. */
export function readRefusal(status: number, reading: Reading): Refused | undefined {
	const messages = refusalOf(status, reading);
	if (messages.length === 0 || tellsTransient(messages)) return undefined;
	const code = firstCode(messages);
	const members = soleMembers(reading);
	const sequenceConsumed = members && truthOf(members, "secuenciautilizada");
	return {
		kind: "refused",
		...(code === undefined ? {} : { code }),
		messages,
		duplicate: tellsDuplicate(messages),
		...(sequenceConsumed === undefined ? {} : { sequenceConsumed }),
	};
}

function refusalOf(status: number, reading: Reading): AuthorityMessage[] {
	const members = soleMembers(reading);
	if (members) return isContradictory(members) ? [] : refusalIn(status, members);
	if (status !== 400) return [];
	if (reading.form === "list") return toMessages(reading.items);
	if (reading.form !== "text" || !sentences.some((form) => form.test(foldText(reading.text)))) return [];
	return toMessages(reading.text);
}

/** A refusal has no trackId and no verdict but a rejection. */
function isContradictory(members: Members): boolean {
	const standing = readStanding(members);
	return readTrackId(members) !== undefined || (standing !== undefined && standing !== "rejected");
}

function refusalIn(status: number, members: Members): AuthorityMessage[] {
	const error = toMessages(members.get("error"));
	const remarks = toMessages([members.get("mensajes"), members.get("mensaje")]);
	if (status === 400) return [...error, ...remarks, ...toMessages(members.get("errors"))];
	// With a success status only the receipt's own form counts: an error, or the place of the trackId left empty.
	const isReceipt = isSuccess(status) && (error.length > 0 || members.has("trackid"));
	return isReceipt ? [...error, ...remarks] : [];
}
