/** The result of a call to the authority, and what an answer says about which document. */
import type { Failure } from "./call-report";
import { foldText, type Members, type Reading, textOf, toMembers } from "./read-answer";

export type Reply =
	| { readonly reached: "answer"; readonly status: number; readonly reading: Reading }
	/** The service was certainly not reached. */
	| ({ readonly reached: "nothing" } & Failure)
	/** Bytes may have been written, but no complete answer arrived. */
	| ({ readonly reached: "unknown" } & Failure);

/** A query that learned nothing. It may be repeated later. */
export type Unavailable = { readonly kind: "unavailable"; readonly reason: Failure["fault"]; readonly detail: string };

export function unavailable(failure: Failure): Unavailable {
	return { kind: "unavailable", reason: failure.fault, detail: failure.detail };
}

/** Error statuses whose body may still come from the service; a rejected summary has one. */
const READABLE_ERRORS: readonly number[] = [400, 404, 409, 422];

/** The failure that the status alone implies; undefined when the body has to be read. */
export function judgeStatus(status: number): Failure | undefined {
	if (isSuccess(status) || READABLE_ERRORS.includes(status)) return undefined;
	if (status === 401) return { fault: "authority-auth-failed", detail: "HTTP 401 to a fresh token" };
	return { fault: status >= 500 ? "authority-http-5xx" : "authority-http-error", detail: `HTTP ${status}` };
}

export function isSuccess(status: number): boolean {
	return status >= 200 && status < 300;
}

/** The members of an answer about one thing, also when it is the only item of a list. */
export function soleMembers(reading: Reading): Members | undefined {
	if (reading.form === "members") return reading.members;
	return reading.form === "list" && reading.items.length === 1 ? toMembers(reading.items[0]) : undefined;
}

/** The failure for an answer that the service never gives. */
export function unexpected(status: number, reading: Reading): Failure {
	if (!isSuccess(status)) return { fault: "authority-http-error", detail: `HTTP ${status}: ${describe(reading)}` };
	return { fault: "authority-answer-unreadable", detail: describe(reading) };
}

function describe(reading: Reading): string {
	if (reading.form === "unreadable") return reading.detail;
	if (reading.form === "text") return `the answer is a bare text: ${reading.text.slice(0, 200)}`;
	return `the answer is ${reading.form === "list" ? "a list" : "an object"} of another kind`;
}

/** The document that the answer must be about. Each member is compared with the answer wherever the answer states it. */
export type ExpectedDocument = {
	readonly rnc: string;
	readonly encf: string;
	readonly trackId?: string;
	/** Distinguishes our document from another under the same number. */
	readonly securityCode?: string;
};

const names: readonly [keyof ExpectedDocument, readonly string[], fold: (text: string) => string][] = [
	["rnc", ["rnc", "rncemisor"], (text) => text.replace(/[- ]/g, "")],
	["encf", ["encf", "ncfelectronico"], (text) => text.toUpperCase()],
	["trackId", ["trackid"], (text) => text.toLowerCase()],
	["securityCode", ["codigoseguridad"], (text) => text],
];

/** Describes the first statement of an answer that contradicts the expected document; undefined if there is none. */
export function findMismatch(members: Members, document: ExpectedDocument): string | undefined {
	for (const [what, aliases, fold] of names) {
		const expected = document[what];
		if (expected === undefined) continue;
		for (const alias of aliases) {
			const stated = textOf(members, alias);
			if (stated === undefined || fold(stated) === fold(expected)) continue;
			return `${alias} is ${stated.slice(0, 60)}, expected ${expected}`;
		}
	}
	return undefined;
}

/** True when the answer names an e-NCF. */
export function namesDocument(members: Members): boolean {
	return textOf(members, "encf") !== undefined || textOf(members, "ncfelectronico") !== undefined;
}

/** The trackId of an answer. Quirk: the authority's platform writes "none" as a UUID of zeros. */
export function readTrackId(members: Members): string | undefined {
	const trackId = textOf(members, "trackid");
	if (trackId === undefined || !/^[0-9A-Za-z-]{1,64}$/.test(trackId) || /^[0-]+$/.test(trackId)) return undefined;
	return trackId;
}

/*
 * The status that `codigo` and `estado` express together.
 *
 *     codigo  estado
 *     0       No encontrado
 *     1       Aceptado
 *     2       Rechazado
 *     3       En Proceso
 *     4       Aceptado Condicional
 *
 * Source: the authority's technical description of its services, result query.
 */

export type Standing = "not-found" | "accepted" | "rejected" | "in-process" | "conditional";

const byCode: Readonly<Record<string, Standing>> = {
	"0": "not-found",
	"1": "accepted",
	"2": "rejected",
	"3": "in-process",
	"4": "conditional",
};

const byWord: readonly [RegExp, Standing][] = [
	[/^((trackid|e-?ncf) )?no encontrad[oa]$/, "not-found"],
	[/^aceptad[oa]$/, "accepted"],
	[/^rechazad[oa]$/, "rejected"],
	[/^en proceso$/, "in-process"],
	[/^aceptad[oa] condicional(mente)?$/, "conditional"],
];

/** The standing that the authority's word names, regardless of letter case, accents and a final full stop. */
export function standingOf(estado: string): Standing | undefined {
	const word = foldText(estado);
	return byWord.find(([form]) => form.test(word))?.[1];
}

/**
 * The standing of an answer. Number and word must both be present and agree. "Not found" and "in process" decide nothing, so one of the two is
 * enough.
 * Quirk: one service writes 1 where another writes 4. If either says "conditional", the answer counts as conditional, so that no remark is
 * lost.
 */
export function readStanding(members: Members): Standing | undefined {
	const codigo = textOf(members, "codigo");
	const estado = textOf(members, "estado");
	const code = codigo === undefined ? undefined : byCode[codigo.replace(/^0+(?=\d)/, "")];
	const word = estado === undefined ? undefined : standingOf(estado);
	if ((codigo !== undefined && !code) || (estado !== undefined && !word)) return undefined;
	if (code && word) return agree(code, word);
	const only = code ?? word;
	return only === "not-found" || only === "in-process" ? only : undefined;
}

function agree(code: Standing, word: Standing): Standing | undefined {
	if (code === word) return code;
	const isGood = (standing: Standing) => standing === "accepted" || standing === "conditional";
	return isGood(code) && isGood(word) ? "conditional" : undefined;
}
