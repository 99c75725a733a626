import type { Ecf } from "../ecf";
import type { Message } from "../judgement";

/** One broken business rule: a grave one rejects the document, the others make its acceptance conditional. */
export type Finding = { readonly grave: boolean; readonly message: Message };

export type Rule = (ecf: Ecf) => readonly Finding[];

export function grave(message: Message): Finding {
	return { grave: true, message };
}

export function mild(message: Message): Finding {
	return { grave: false, message };
}
