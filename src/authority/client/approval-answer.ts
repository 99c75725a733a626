/**
 * What came of telling the authority a buyer's word on a document, in the terms on which the caller may send again.
 *
 *     taken      the authority has it
 *     refused    it was not taken, and the same bytes will not be
 *     not-sent   certain that it was not read
 *     unknown    anything else: the same bytes may be sent again, there is no service to ask
 *
 * Documented are the codes 1 and 2, seen are "01" and "02", the second with 200 as well as with 400. A code that contradicts its sentence
 * decides nothing.
 * Source: the authority's technical description of its services, commercial approval.
 */
import type { Failure } from "./call-report";
import { type AuthorityMessage, readRefusal, tellsTransient, toMessages } from "./messages";
import { foldText, type Members, textOf } from "./read-answer";
import { isSuccess, judgeStatus, type Reply, soleMembers, unexpected } from "./reply";

export type ApprovalAnswer =
	| { readonly kind: "taken"; readonly messages: readonly AuthorityMessage[] }
	/** `mayBeOurs`: it knows a word on the document already; after a sending with unknown outcome that one. */
	| { readonly kind: "refused"; readonly messages: readonly AuthorityMessage[]; readonly mayBeOurs: boolean }
	| { readonly kind: "not-sent" | "unknown"; readonly reason: Failure["fault"]; readonly detail: string };

export function readApprovalAnswer(reply: Reply): ApprovalAnswer {
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
	return (members && judge(status, members)) ?? readRefused(reply) ?? unknown(unexpected(status, reading));
}

function judge(status: number, members: Members): ApprovalAnswer | undefined {
	const code = textOf(members, "codigo")?.replace(/^0+(?=\d)/, "");
	const standing = foldText(textOf(members, "estado") ?? "");
	const messages = toMessages([members.get("mensaje"), members.get("mensajes")]);
	const says = /rechazad/.test(standing) ? "2" : /aprobad|aceptad/.test(standing) ? "1" : undefined;
	if (code !== undefined && says !== undefined && code !== says) return undefined;
	const word = code ?? says;
	if (word === "1" && isSuccess(status)) return { kind: "taken", messages };
	if (word !== "2" || tellsTransient(messages)) return undefined;
	return { kind: "refused", messages, mayBeOurs: tellsEarlier(messages) };
}

const earlier =
	/duplicad|ya (existe|fue|ha sido|esta|se encuentra|tiene|posee)( .*)?(aprobacion|aprobad|rechazad|recibid|enviad|registrad|procesad|utilizad)/;

/** True when a remark says that the document has a buyer's word already. */
function tellsEarlier(messages: readonly AuthorityMessage[]): boolean {
	return messages.some(({ text }) => earlier.test(foldText(text)));
}

/** A refusal in which all services refuse. */
function readRefused({ status, reading }: Extract<Reply, { reached: "answer" }>): ApprovalAnswer | undefined {
	// A structured answer without code and state is none of this service's.
	if (isSuccess(status) || reading.form !== "text") return undefined;
	const refused = readRefusal(status, reading);
	return refused && { kind: "refused", messages: refused.messages, mayBeOurs: tellsEarlier(refused.messages) };
}

function unknown({ fault, detail }: Failure): ApprovalAnswer {
	return { kind: "unknown", reason: fault, detail };
}
