/**
 * What `codigo` and `estado` say together.
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
import { foldText, type Members, textOf } from "./read-answer";

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
