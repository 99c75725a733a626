/** What came of a call to the authority, before anybody judges what the answer says. */
import type { Failure } from "./call-report";
import { foldText, type Members, type Reading, textOf, toMembers } from "./read-answer";

export type Reply =
	| { readonly reached: "answer"; readonly status: number; readonly reading: Reading }
	/** Certain that the service was not reached. */
	| ({ readonly reached: "nothing" } & Failure)
	/** Bytes may have been written, and no whole answer came. */
	| ({ readonly reached: "unknown" } & Failure);

/** A query's way to say that nothing is known: the same question may be asked again later. */
export type Unavailable = { readonly kind: "unavailable"; readonly reason: Failure["fault"]; readonly detail: string };

export function unavailable(failure: Failure): Unavailable {
	return { kind: "unavailable", reason: failure.fault, detail: failure.detail };
}

/** Errors whose body may still be the service's own word; a rejected summary comes with one. */
const TELLING_ERRORS: readonly number[] = [400, 404, 409, 422];

/** The failure that a status alone means, whatever the body; undefined when the body is to be read. */
export function judgeStatus(status: number): Failure | undefined {
	if (isSuccess(status) || TELLING_ERRORS.includes(status)) return undefined;
	if (status === 401) return { fault: "authority-auth-failed", detail: "HTTP 401 to a fresh token" };
	return { fault: status >= 500 ? "authority-http-5xx" : "authority-http-error", detail: `HTTP ${status}` };
}

export function isSuccess(status: number): boolean {
	return status >= 200 && status < 300;
}

/** The members of an answer about one thing, alone in a list or not. */
export function soleMembers(reading: Reading): Members | undefined {
	if (reading.form === "members") return reading.members;
	return reading.form === "list" && reading.items.length === 1 ? toMembers(reading.items[0]) : undefined;
}

/** The failure of an answer that is not what the service gives. */
export function unexpected(status: number, reading: Reading): Failure {
	if (!isSuccess(status)) return { fault: "authority-http-error", detail: `HTTP ${status}: ${describe(reading)}` };
	return { fault: "authority-answer-unreadable", detail: describe(reading) };
}

function describe(reading: Reading): string {
	if (reading.form === "unreadable") return reading.detail;
	if (reading.form === "text") return `the answer is a bare text: ${reading.text.slice(0, 200)}`;
	return `the answer is ${reading.form === "list" ? "a list" : "an object"} of another kind`;
}

/* HEAD same-document.ts: Whether an answer is about the document that was asked for. */

/** What the answer must be about; each is compared with what the answer says of it, if it says anything. */
export type Asked = {
	readonly rnc: string;
	readonly encf: string;
	readonly trackId?: string;
	/** Tells our document from another one under the same number. */
	readonly securityCode?: string;
};

const names: readonly [keyof Asked, readonly string[], fold: (text: string) => string][] = [
	["rnc", ["rnc", "rncemisor"], (text) => text.replace(/[- ]/g, "")],
	["encf", ["encf", "ncfelectronico"], (text) => text.toUpperCase()],
	["trackId", ["trackid"], (text) => text.toLowerCase()],
	["securityCode", ["codigoseguridad"], (text) => text],
];

/** A sentence about the first thing that an answer says of another document; undefined when it says none. */
export function findMismatch(members: Members, asked: Asked): string | undefined {
	for (const [what, aliases, fold] of names) {
		const expected = asked[what];
		if (expected === undefined) continue;
		for (const alias of aliases) {
			const told = textOf(members, alias);
			if (told === undefined || fold(told) === fold(expected)) continue;
			return `${alias} is ${told.slice(0, 60)}, asked was ${expected}`;
		}
	}
	return undefined;
}

/** True when the answer names an e-NCF at all. */
export function namesDocument(members: Members): boolean {
	return textOf(members, "encf") !== undefined || textOf(members, "ncfelectronico") !== undefined;
}

/** The trackId of an answer. Quirk: the authority's platform writes "none" as a UUID of zeros. */
export function readTrackId(members: Members): string | undefined {
	const trackId = textOf(members, "trackid");
	if (trackId === undefined || !/^[0-9A-Za-z-]{1,64}$/.test(trackId) || /^[0-]+$/.test(trackId)) return undefined;
	return trackId;
}

/* HEAD standing.ts:  * What `codigo` and `estado` say together.
 *
 *     codigo  estado
 *     0       No encontrado
 *     1       Aceptado
 *     2       Rechazado
 *     3       En Proceso
 *     4       Aceptado Condicional
 *
 * Source: the authority's technical description of its services, result query. */

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

/** The standing that a word of the authority names; letter case, accents and a full stop do not matter. */
export function standingOf(estado: string): Standing | undefined {
	const word = foldText(estado);
	return byWord.find(([form]) => form.test(word))?.[1];
}

/**
 * The standing of an answer. Number and word must both be there and agree; only "not found" and "in process", which decide
 * nothing, may be told by one alone.
 * Quirk: one service writes 1 for what another calls 4; either saying "conditional" is enough, so that no remark is lost.
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
