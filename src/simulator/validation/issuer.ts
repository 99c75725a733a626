/**
 * Who issues, and under which numbers: as far as tests have told the simulator. An issuer of whom nothing is told is in order, and may
 * use every number; in the test environment those of the range that everybody has there.
 */
import { toLocalIsoDate } from "../../platform/values";
import type { Store, TaxpayerStanding } from "../store";
import type { Ecf } from "./ecf";
import { toIsoDate } from "./forms";
import { invalidField, type Judgement, rejected, released } from "./judgement";
import { type Finding, grave, mild } from "./rules/finding";

const REFUSALS: Readonly<Partial<Record<TaxpayerStanding, string>>> = {
	unknown: "El RNC emisor no existe.",
	inactive: "El RNC emisor no está activo.",
	"not-electronic": "El RNC emisor no es emisor electrónico.",
};

/** Source: the authority's technical description, test environment. */
const TEST_LAST = 10_000_000;
const TEST_LAST_CONSUMER = 50_000_000;

/** Why the issuer may not issue at all; undefined when it may. */
export function checkIssuer(ecf: Ecf, environment: string, { issuers }: Store): Judgement | undefined {
	const standing = issuers.standingOf(ecf.rnc);
	if (standing === "not-in-certification" && environment === "certecf") {
		return rejected({ code: "1209", text: "El e-NCF no está disponible en este ambiente." });
	}
	const text = REFUSALS[standing];
	return text === undefined ? undefined : released({ code: "0", text });
}

/** By what the document says of its sequence. */
export function hasExpired(ecf: Ecf, now: Date): boolean {
	return isOver(ecf.sequenceExpiresOn, now);
}

function isOver(date: string | null, now: Date): boolean {
	const lastDay = date === null ? undefined : toIsoDate(date);
	return lastDay !== undefined && lastDay < toLocalIsoDate(now);
}

/** Findings go with those of the business rules; a judgement ends the matter. */
export function checkRange(
	ecf: Ecf,
	environment: string,
	{ issuers }: Store,
	now: Date,
): Judgement | { readonly findings: readonly Finding[] } {
	const sequence = Number(ecf.encf.slice(3));
	const ranges = issuers.listRanges(environment, ecf.rnc, ecf.type);
	const range = ranges.find(({ first, last }) => first <= sequence && sequence <= last);
	if (ranges.length === 0) {
		const last = ecf.type === "32" ? TEST_LAST_CONSUMER : TEST_LAST;
		return { findings: environment === "testecf" && sequence > last ? [UNAUTHORISED] : [] };
	}
	if (!range) {
		// In the test environment, and for summaries, only a condition.
		if (environment === "testecf" || ecf.road === "fc") return { findings: [UNAUTHORISED] };
		return released({ code: "135", text: "El e-NCF no está autorizado para el emisor." });
	}
	if (isOver(range.expiresOn, now)) return released({ code: "135", text: "La secuencia del e-NCF está vencida." });
	const agrees = ecf.road === "fc" || range.expiresOn === ecf.sequenceExpiresOn;
	const place = { field: "FechaVencimientoSecuencia", area: "IdDoc", section: "Encabezado" };
	return { findings: agrees ? [] : [grave(invalidField("0", place))] };
}

const UNAUTHORISED = mild({ code: "75", text: "El e-NCF no está autorizado." });

/** A buyer whom the authority does not know is told as a condition. */
export function checkBuyerStanding(ecf: Ecf, { issuers }: Store): Finding[] {
	const standing = ecf.buyerRnc === null ? "electronic" : issuers.standingOf(ecf.buyerRnc);
	if (standing !== "unknown" && standing !== "inactive") return [];
	return [mild(invalidField("1385", { field: "RNCComprador", area: "Comprador", section: "Encabezado" }))];
}
