/**
 * The outcome of sending a buyer's decision on a document to the authority. The kind decides whether the caller may send again.
 *
 *     taken      the authority has it
 *     refused    not taken, and the same bytes never will be
 *     not-sent   certainly not read
 *     unknown    anything else; the same bytes may be sent again, because no service can be queried for the outcome
 *
 * The description documents the codes 1 and 2. Live answers contain "01" and "02", the second with HTTP 200 as well as 400. An answer whose
 * code contradicts its text decides nothing.
 * Source: the authority's technical description of its services, commercial approval.
 */
import type { Failure } from "./call-report";
import { type AuthorityMessage, isTransient, readRefusal, toMessages } from "./messages";
import { foldText, type Members, textOf } from "./read-answer";
import { isSuccess, judgeStatus, type Reply, soleMembers, unexpected } from "./reply";

export type ApprovalAnswer =
	| { readonly kind: "taken"; readonly messages: readonly AuthorityMessage[] }
	/** `mayBeOurs`: the authority already has a decision on the document. After an ambiguous outcome it is probably ours. */
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
	if (word !== "2" || isTransient(messages)) return undefined;
	return { kind: "refused", messages, mayBeOurs: saysDecided(messages) };
}

const earlier =
	/duplicad|ya (existe|fue|ha sido|esta|se encuentra|tiene|posee)( .*)?(aprobacion|aprobad|rechazad|recibid|enviad|registrad|procesad|utilizad)/;

/** True when a remark says that the document already has a decision. */
function saysDecided(messages: readonly AuthorityMessage[]): boolean {
	return messages.some(({ text }) => earlier.test(foldText(text)));
}

function readRefused({ status, reading }: Extract<Reply, { reached: "answer" }>): ApprovalAnswer | undefined {
	// A structured answer without code and state does not come from this service.
	if (isSuccess(status) || reading.form !== "text") return undefined;
	const refused = readRefusal(status, reading);
	return refused && { kind: "refused", messages: refused.messages, mayBeOurs: saysDecided(refused.messages) };
}

function unknown({ fault, detail }: Failure): ApprovalAnswer {
	return { kind: "unknown", reason: fault, detail };
}
