import type { Answer } from "../http/answer";
import type { Call } from "../http/call";
import { refusal } from "../http/wire-forms";
import type { DocumentNumber, Store } from "../store";
import type { TokenIssuer } from "../tokens";

export type Context = {
	readonly store: Store;
	readonly tokens: TokenIssuer;
	readonly delayMs: number;
	readonly silenceMs: number;
	readonly seedSeconds: number;
	/** How far the clock of seeds is ahead of this machine's, in milliseconds. Tests set it. */
	readonly clock: { aheadMs: number };
	/** True if answers have the authority's inconsistent shapes. */
	readonly realistic: boolean;
};

export type Wanted = DocumentNumber & { readonly now: number };

export function readNumber(call: Call, names: { rnc: string; encf: string }, realistic: boolean): Wanted | Answer {
	const rnc = call.query(names.rnc);
	const encf = call.query(names.encf)?.toUpperCase();
	if (!rnc) return refuseQuery(names.rnc, "El RNC es requerido.", realistic);
	if (!encf) return refuseQuery(names.encf, "El ENCF es requerido.", realistic);
	if (rnc.length !== 9 && rnc.length !== 11) {
		return refuseQuery(names.rnc, "La longitud del RNC no es válida.", realistic);
	}
	if (encf.length < 11 || encf.length > 13) {
		return refuseQuery(names.encf, "La longitud del ENCF no es válida.", realistic);
	}
	if (!/^E[0-9]+$/.test(encf)) return refuseQuery(names.encf, "El ENCF no es válido.", realistic);
	return { environment: call.environment, rnc, encf, now: Date.now() };
}

export function refuseQuery(parameter: string, text: string, realistic: boolean): Answer {
	return refusal(400, "framework", { code: parameter, text }, realistic);
}
