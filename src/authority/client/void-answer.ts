/**
 * The outcome of voiding a range of numbers. The kind decides whether the caller may send again.
 *
 *     voided         all of it
 *     partly-voided  all except what the messages list
 *     refused        this submission voided nothing; it says nothing about an earlier one with an ambiguous outcome
 *     not-sent       certainly not taken
 *     unknown        anything else; the same bytes may be sent again, because no service can be queried for the outcome
 *
 * The values of `codigo` are not published, so the sentences decide. An answer with sentences of both kinds decides nothing.
 * Source: the authority's technical description of its services, void of ranges.
 */
import type { Failure } from "./call-report";
import { type AuthorityMessage, isTransient, readRefusal, toMessages } from "./messages";
import { foldText } from "./read-answer";
import { findMismatch, isSuccess, judgeStatus, type Reply, soleMembers, unexpected } from "./reply";

export type VoidAnswer =
	| { readonly kind: "voided" | "partly-voided"; readonly messages: readonly AuthorityMessage[] }
	| { readonly kind: "refused"; readonly messages: readonly AuthorityMessage[] }
	| { readonly kind: "not-sent" | "unknown"; readonly reason: Failure["fault"]; readonly detail: string };

const done = /anulad[oa]s? (correcta|exitosa|satisfactoria)mente|(correcta|exitosa)mente anulad/;
const except = /\b(excepto|exceptuando|exceptuad[oa]s|(a|con)( la| las)? excepcion(es)?|salvo|menos)\b/;
const refusals: readonly RegExp[] = [
	/no ((se )?(pudo|pudieron|puede|pueden) (ser )?|(fue|es) posible )anula/,
	/secuencias?( .*)? (ya )?(fueron|fue|han sido|ha sido|estan|esta) (utilizad|usad|anulad)/,
	/secuencias? (ya )?(utilizad|usad|anulad)[oa]s?$/,
	/tipo de (documento|comprobante) (no es valido|no valido|es invalido|invalido)/,
	/desde( .*)? (es )?mayor/,
	/nolinea .*secuencial/,
	/(archivo|estructura|campo)( .*)? (no es valid[oa]|no valid[oa]|es invalid[oa]|invalid[oa])/,
	/el tipo de e-?cf no corresponde/,
	/no esta delegado/,
	/firma( .*)? (no es valida|no valida|es invalida|invalida)/,
	/no es (de tipo|un( archivo)?) xml/,
];

export function readVoidAnswer(reply: Reply, document: { readonly rnc: string; readonly encf: string }): VoidAnswer {
	if (reply.reached !== "answer") {
		const kind = reply.reached === "nothing" ? "not-sent" : "unknown";
		return { kind, reason: reply.fault, detail: reply.detail };
	}
	const { status, reading } = reply;
	const failure = judgeStatus(status);
	if (failure) {
		const kind = failure.fault === "authority-auth-failed" ? "not-sent" : "unknown";
		return { kind, reason: failure.fault, detail: failure.detail };
	}
	const members = soleMembers(reading);
	const mismatch = members && findMismatch(members, document);
	if (mismatch) return unknown({ fault: "authority-answer-mismatch", detail: mismatch });
	const messages = members ? toMessages([members.get("mensajes"), members.get("mensaje"), members.get("error")]) : [];
	return judge(status, messages) ?? readRefused(reply) ?? unknown(unexpected(status, reading));
}

function judge(status: number, messages: readonly AuthorityMessage[]): VoidAnswer | undefined {
	if (messages.length === 0 || isTransient(messages)) return undefined;
	const texts = messages.map(({ text }) => foldText(text));
	const isDone = texts.some((text) => done.test(text));
	const isPart = texts.some((text) => except.test(text));
	const isRefused = texts.some((text) => !done.test(text) && refusals.some((form) => form.test(text)));
	if (isDone && isSuccess(status)) {
		if (isPart) return { kind: "partly-voided", messages };
		return isRefused ? undefined : { kind: "voided", messages };
	}
	if (!isRefused || isDone) return undefined;
	return { kind: "refused", messages };
}

/** A bare sentence in which all services refuse. A structured answer without a known sentence may mean anything, so it is not a refusal. */
function readRefused({ status, reading }: Extract<Reply, { reached: "answer" }>): VoidAnswer | undefined {
	if (isSuccess(status) || reading.form !== "text") return undefined;
	const refused = readRefusal(status, reading);
	return refused && { kind: "refused", messages: refused.messages };
}

function unknown({ fault, detail }: Failure): VoidAnswer {
	return { kind: "unknown", reason: fault, detail };
}
