/** The authority's remarks, which explain a verdict and never make one. */
import { cleanText, foldText, type Members, type Reading, textOf, toMembers, truthOf } from "./read-answer";
import { isSuccess, readStanding, readTrackId, soleMembers } from "./reply";

/** One remark; the code is "0" when it has none. */
export type AuthorityMessage = { readonly code: string; readonly text: string };

const MESSAGES_MAX = 100;
const DEPTH_MAX = 6;

/**
 * The remarks in a value of any shape: texts, objects with `valor` and `codigo`, or wrappers of these.
 * Quirk: a success without remarks carries one of code 0 without text; it is left out.
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
 * The usual spelling of a remark's code. Where codes are numbers, 004 arrives as 4; in a remark it cannot be the verdict
 * "accepted conditionally", so it gets its zeros back.
 */
function toMessageCode(code: string): string {
	if (!/^\d+$/.test(code)) return code.slice(0, 20);
	const digits = code.replace(/^0+(?=\d)/, "");
	return digits === "4" ? "004" : digits.slice(0, 20);
}

/** Code of the first remark that has one. */
export function firstCode(messages: readonly AuthorityMessage[]): string | undefined {
	return messages.find((message) => message.code !== "0")?.code;
}

const aboutNumber = /e-?ncf|comprobante|secuencia/;
const usedBefore =
	/duplicad|ya (fue|fueron|ha sido|han sido|esta|estan|se encuentra|se encuentran) (utilizad|usad|recibid|registrad)/;

/**
 * True when a remark says that the number has been used before.
 * Quirk: of a summary the authority says so in the plural, since its number and its security code were used together.
 */
export function tellsDuplicate(messages: readonly AuthorityMessage[]): boolean {
	return messages.some(({ code, text }) => {
		const folded = foldText(text);
		return code === "1209" || (aboutNumber.test(folded) && usedBefore.test(folded));
	});
}

const again =
	/intente|intentar (nuevamente|de nuevo|otra vez|mas tarde)|error interno|(no (se )?pudo (ser )?|no fue posible )procesa|temporalmente|(servicio|sistema) no (esta )?disponible/;

/** True when the authority says that it failed itself and wants to be asked again. */
export function tellsTransient(messages: readonly AuthorityMessage[]): boolean {
	return messages.some(({ code, text }) => code === "004" || again.test(foldText(text)));
}

/* HEAD refusal.ts:  * Recognises the authority's refusal to take a document. Forms seen:
 *
 *     200  {"trackId":null,"error":"…","mensaje":"…"}         bad file, bad structure, signature, no delegation
 *     400  {"mensajes":[{"valor":"…","codigo":…}]}  {"mensajes":["…"]}  {"mensaje":"…"}  {"error":"…"}
 *     400  {"title":"…","errors":{"field":["…"]}}             the platform's own check of the request
 *     400  a bare or JSON-encoded sentence                    only those known below: an edge can write sentences too */

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
