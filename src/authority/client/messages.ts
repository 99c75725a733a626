/** The authority's remarks, and the refusals that are made of them. A remark explains a verdict and never decides one. */
import { cleanText, foldText, type Members, type Reading, textOf, toMembers, truthOf } from "./read-answer";
import { isSuccess, readStanding, readTrackId, soleMembers } from "./reply";

/** One remark. The code is "0" if it has none. */
export type AuthorityMessage = { readonly code: string; readonly text: string };

const MESSAGES_MAX = 100;
const DEPTH_MAX = 6;

/**
 * The remarks in a value of any shape: texts, objects with `valor` and `codigo`, or wrappers of these.
 * Quirk: a success without remarks carries one with code 0 and no text, which is left out.
 */
export function toMessages(value: unknown): AuthorityMessage[] {
	return collect(value, DEPTH_MAX)
		.filter((message) => message.text !== "" || message.code !== "0")
		.slice(0, MESSAGES_MAX);
}

function collect(value: unknown, depth: number): AuthorityMessage[] {
	if (depth === 0) return [];
	if (typeof value === "string") return [{ code: "0", text: cleanText(value.trim()) }];
	if (Array.isArray(value)) return value.slice(0, MESSAGES_MAX).flatMap((item) => collect(item, depth - 1));
	const members = toMembers(value);
	if (!members) return [];
	const code = textOf(members, "codigo") ?? textOf(members, "code");
	const text = ["valor", "mensaje", "descripcion", "message"].map((name) => textOf(members, name)).find(Boolean);
	if (code === undefined && text === undefined)
		return [...members.values()].flatMap((item) => collect(item, depth - 1));
	return [{ code: toMessageCode(code ?? "0"), text: text ?? "" }];
}

/**
 * The usual spelling of a remark's code. Where codes are numbers, 004 arrives as 4. A remark cannot mean "accepted conditionally", so 4
 * becomes 004.
 */
function toMessageCode(code: string): string {
	if (!/^\d+$/.test(code)) return code.slice(0, 20);
	const digits = code.replace(/^0+(?=\d)/, "");
	return digits === "4" ? "004" : digits.slice(0, 20);
}

/** The code of the first remark that has one. */
export function firstCode(messages: readonly AuthorityMessage[]): string | undefined {
	return messages.find((message) => message.code !== "0")?.code;
}

const aboutNumber = /e-?ncf|comprobante|secuencia/;
const usedBefore =
	/duplicad|ya (fue|fueron|ha sido|han sido|esta|estan|se encuentra|se encuentran) (utilizad|usad|recibid|registrad)/;

/**
 * True when a remark says that the number was used before.
 * Quirk: for a summary the text is in the plural, since number and security code were used together.
 */
export function saysDuplicate(messages: readonly AuthorityMessage[]): boolean {
	return messages.some(({ code, text }) => {
		const folded = foldText(text);
		return code === "1209" || (aboutNumber.test(folded) && usedBefore.test(folded));
	});
}

const again =
	/intente|intentar (nuevamente|de nuevo|otra vez|mas tarde)|error interno|(no (se )?pudo (ser )?|no fue posible )procesa|temporalmente|(servicio|sistema) no (esta )?disponible/;

/** True when the authority reports an internal failure and asks to try again. */
export function isTransient(messages: readonly AuthorityMessage[]): boolean {
	return messages.some(({ code, text }) => code === "004" || again.test(foldText(text)));
}

/*
 * Refusals to take a document come in these forms:
 *
 *     200  {"trackId":null,"error":"…","mensaje":"…"}         bad file, bad structure, signature, no delegation
 *     400  {"mensajes":[{"valor":"…","codigo":…}]}  {"mensajes":["…"]}  {"mensaje":"…"}  {"error":"…"}
 *     400  {"title":"…","errors":{"field":["…"]}}             the platform's own check of the request
 *     400  a bare or JSON-encoded sentence                    only the known ones below, since an edge can write sentences too
 */

export type Refused = {
	readonly kind: "refused";
	/** The code of the first remark that has one. */
	readonly code?: string;
	readonly messages: readonly AuthorityMessage[];
	/** The number was used before. After an ambiguous outcome it may have been this document, so query. */
	readonly duplicate: boolean;
	/** What the refusal says about the number, if anything. A rejection that does not name its e-NCF may arrive in this form. */
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

/** The refusal in an answer. Undefined if there is none, or if it asks to try again and so leaves the outcome open. */
export function readRefusal(status: number, reading: Reading): Refused | undefined {
	const messages = refusalOf(status, reading);
	if (messages.length === 0 || isTransient(messages)) return undefined;
	const code = firstCode(messages);
	const members = soleMembers(reading);
	const sequenceConsumed = members && truthOf(members, "secuenciautilizada");
	return {
		kind: "refused",
		...(code === undefined ? {} : { code }),
		messages,
		duplicate: saysDuplicate(messages),
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

/** A refusal has no trackId, and no verdict other than a rejection. */
function isContradictory(members: Members): boolean {
	const standing = readStanding(members);
	return readTrackId(members) !== undefined || (standing !== undefined && standing !== "rejected");
}

function refusalIn(status: number, members: Members): AuthorityMessage[] {
	const error = toMessages(members.get("error"));
	const remarks = toMessages([members.get("mensajes"), members.get("mensaje")]);
	if (status === 400) return [...error, ...remarks, ...toMessages(members.get("errors"))];
	// With a success status only the form of a receipt counts: an error, or a trackId that is present but empty.
	const isReceipt = isSuccess(status) && (error.length > 0 || members.has("trackid"));
	return isReceipt ? [...error, ...remarks] : [];
}
