/**
 * The part of the validation that depends on stored data. It runs as one step with the insertion of its result.
 *
 *     same bytes as the number's holder → issuer → delegated → sequence in force, number authorised → number free
 *         → scenario or business rules
 *
 * The same bytes under a used number get the verdict of the first ones. A released number is judged again: a document that met an internal failure,
 * or a signer without delegation, can be sent again. In the certification environment every number that was sent is spent, whatever the verdict.
 */
import { toLocalIsoDate } from "../../platform/values";
import { type Scenario, type ScenarioOrder, scenarioOf } from "../scenarios";
import type { CertificateStore, Reception, Store, TaxpayerStanding } from "../store";
import { type Ecf, type Finding, grave, mild, toEcf } from "./ecf";
import { toIsoDate } from "./forms";
import {
	type FileNumber,
	invalidField,
	type Judgement,
	type Message,
	readFileName,
	rejected,
	released,
} from "./judgement";
import { readDocument } from "./read-document";
import { applyRules } from "./rules";
import { verifySignature } from "./signature";
import { type Channel, checkStructure, findEmptyElements } from "./structure";

export type Decision = {
	readonly judgement: Judgement;
	readonly scenario: Scenario | undefined;
	/** The earlier reception of the same bytes, whose verdict this is. */
	readonly repeats: Reception | undefined;
	/** True if the number belongs to this document from now on. */
	readonly holdsNumber: boolean;
};

export type Candidate = {
	readonly ecf: Ecf;
	readonly environment: string;
	readonly sha256: string;
	readonly thumbprint: string;
	/** True if the authority's own validation is to fail. */
	readonly fails: boolean;
	/** True if bytes that hold their number already are to be judged as another document. */
	readonly rejectsRepeat: boolean;
	readonly order: ScenarioOrder | undefined;
};

export function decide(candidate: Candidate, store: Store, silenceMs: number, now: Date): Decision {
	const { ecf, environment, thumbprint } = candidate;
	const scenario = scenarioOf(candidate.order, ecf, silenceMs);
	const holder = store.receptions.findHolder({ environment, rnc: ecf.rnc, encf: ecf.encf });
	if (holder?.sha256 === candidate.sha256 && holder.verdict !== null && !candidate.rejectsRepeat) {
		const { verdict, messages } = holder;
		return {
			judgement: { verdict, messages, sequenceConsumed: true },
			scenario,
			repeats: holder,
			holdsNumber: false,
		};
	}
	const first = (given: Judgement, played?: Scenario): Decision => {
		const judgement = environment === "certecf" && !candidate.fails ? { ...given, sequenceConsumed: true } : given;
		return { judgement, scenario: played, repeats: undefined, holdsNumber: judgement.sequenceConsumed && !holder };
	};
	if (candidate.fails)
		return first(released({ code: "004", text: "Error interno al validar el e-CF, intente de nuevo." }));
	const issuer = checkIssuer(ecf, environment, store);
	if (issuer) return first(issuer);
	if (!store.certificates.isDelegated(thumbprint, ecf.rnc)) {
		const text = `El certificado del firmante no está delegado para el RNC ${ecf.rnc}.`;
		return first(released({ code: "0", text }));
	}
	if (hasExpired(ecf, now)) return first(released({ code: "135", text: "La secuencia del e-NCF está vencida." }));
	const number = checkRange(ecf, environment, store, now);
	if ("verdict" in number) return first(number);
	if (holder) return first(rejected({ code: "1209", text: "El e-NCF ya ha sido utilizado." }));
	if (store.voids.isVoided({ environment, rnc: ecf.rnc, encf: ecf.encf }))
		return first(rejected({ code: "1209", text: "El e-NCF ha sido anulado." }));
	if (scenario) return first(scenario.judgement, scenario);
	const lookup = {
		find: (rnc: string, encf: string) => store.receptions.findVisible({ environment, rnc, encf, now: now.getTime() }),
		listNotesOn: (rnc: string, encf: string) => store.receptions.listNotesOn({ environment, rnc, encf }),
	};
	return first(applyRules(ecf, lookup, now, [...number.findings, ...checkBuyerStanding(ecf, store)]));
}

const REFUSALS: Readonly<Partial<Record<TaxpayerStanding, string>>> = {
	unknown: "El RNC emisor no existe.",
	inactive: "El RNC emisor no está activo.",
	"not-electronic": "El RNC emisor no es emisor electrónico.",
};

/** Source: the authority's technical description, test environment. */
const TEST_LAST = 10_000_000;
const TEST_LAST_CONSUMER = 50_000_000;

/** Why the issuer may not issue at all; undefined if it may. */
export function checkIssuer(ecf: Ecf, environment: string, { issuers }: Store): Judgement | undefined {
	const standing = issuers.standingOf(ecf.rnc);
	if (standing === "not-in-certification" && environment === "certecf") {
		return rejected({ code: "1209", text: "El e-NCF no está disponible en este ambiente." });
	}
	const text = REFUSALS[standing];
	return text === undefined ? undefined : released({ code: "0", text });
}

export function hasExpired(ecf: Ecf, now: Date): boolean {
	return isOver(ecf.sequenceExpiresOn, now);
}

function isOver(date: string | null, now: Date): boolean {
	const lastDay = date === null ? undefined : toIsoDate(date);
	return lastDay !== undefined && lastDay < toLocalIsoDate(now);
}

/** Findings are reported with those of the business rules; a judgement is final. */
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
		if (environment === "testecf" || ecf.channel === "fc") return { findings: [UNAUTHORISED] };
		return released({ code: "135", text: "El e-NCF no está autorizado para el emisor." });
	}
	if (isOver(range.expiresOn, now)) return released({ code: "135", text: "La secuencia del e-NCF está vencida." });
	const agrees = ecf.channel === "fc" || range.expiresOn === ecf.sequenceExpiresOn;
	const place = { field: "FechaVencimientoSecuencia", area: "IdDoc", section: "Encabezado" };
	return { findings: agrees ? [] : [grave(invalidField("0", place))] };
}

const UNAUTHORISED = mild({ code: "75", text: "El e-NCF no está autorizado." });

/**
 * An unknown buyer is reported as a condition. Persons who sell to the issuer or buy as consumers need not be taxpayers; neither need those of
 * notes on such documents.
 */
export function checkBuyerStanding(ecf: Ecf, { issuers }: Pick<Store, "issuers">): Finding[] {
	const about = (ecf.type === "33" || ecf.type === "34" ? ecf.reference?.encf : undefined) ?? `E${ecf.type}`;
	if (/^(E41|B11)/.test(about) || (/^(E32|B02)/.test(about) && ecf.buyerRnc?.length === 11)) return [];
	const standing = ecf.buyerRnc === null ? "electronic" : issuers.standingOf(ecf.buyerRnc);
	if (standing !== "unknown" && standing !== "inactive") return [];
	return [mild(invalidField("1385", { field: "RNCComprador", area: "Comprador", section: "Encabezado" }))];
}

export type Examination =
	| { readonly kind: "refused"; readonly message: Message; readonly file: FileNumber | undefined }
	| { readonly kind: "judged"; readonly judgement: Judgement; readonly file: FileNumber }
	| { readonly kind: "sound"; readonly ecf: Ecf; readonly thumbprint: string; readonly file: FileNumber };

export async function examine(
	upload: { fileName: string; bytes: Uint8Array },
	place: { channel: Channel; environment: string },
	certificates: CertificateStore,
	now: Date,
): Promise<Examination> {
	const file = readFileName(upload.fileName, place.environment);
	if ("code" in file) return { kind: "refused", message: file, file: undefined };
	const document = readDocument(upload.bytes);
	if (typeof document === "string") return { kind: "refused", message: { code: "0", text: document }, file };
	const empty = findEmptyElements(document.root);
	if (empty.length > 0) return { kind: "judged", judgement: released(...empty), file };
	const faults = checkStructure(document.root, place.channel, file);
	if (faults.length > 0) return { kind: "judged", judgement: released(...faults), file };
	const signed = await verifySignature(document, certificates, now);
	if (typeof signed === "string") return { kind: "judged", judgement: released({ code: "0", text: signed }), file };
	const ecf = toEcf(document.root, place.channel, signed.signatureValue);
	return { kind: "sound", ecf, thumbprint: signed.certificate.thumbprint, file };
}
