/** Whether the sealed parts tell one document: the manifest, the signed e-CF, its summary and the request. */
import { Decimal, parseTaxpayerDocument } from "../../platform/values";
import { childElements, textOf, type XmlElement } from "../../platform/xml";
import { aText, parseJsonBytes, type Reader, toRecord } from "./formats";
import { ECF, type Evidence, MANIFEST, REQUEST, SUMMARY } from "./open-evidence";
import { refuseIfAny, type Words } from "./words";

/** What the parts are compared by; absent where a part does not tell it. */
type Told = {
	readonly encf?: string | undefined;
	readonly type?: string | undefined;
	readonly issuer?: string | undefined;
	readonly total?: string | undefined;
};

const LABELS = {
	encf: { en: "e-NCF", es: "e-NCF" },
	type: { en: "type", es: "tipo" },
	issuer: { en: "issuer's RNC", es: "RNC del emisor" },
	total: { en: "total", es: "total" },
} as const;

const HEAD = "Encabezado";
const SECURITY_CODE_CHARACTERS = 6;

/** Throws: Refusal. */
export async function judgeOneDocument(evidence: Evidence): Promise<Words> {
	const { encf, type, status } = evidence.manifest();
	const ecf = readTold(evidence.xml(ECF));
	const told: [where: string, told: Told][] = [
		[ECF, ecf],
		[MANIFEST, { encf, type }],
		[REQUEST, readRequest(evidence.part(REQUEST))],
	];
	if (evidence.hasSummary()) told.push([SUMMARY, readTold(evidence.xml(SUMMARY))]);
	refuseIfAny([...missingOf(ecf), ...findDifferences(told), ...(await findForeignSummary(evidence))]);
	return {
		en: `e-NCF ${encf}, type ${type}, issuer ${ecf.issuer}, total ${ecf.total}, ${status}`,
		es: `e-NCF ${encf}, tipo ${type}, emisor ${ecf.issuer}, total ${ecf.total}, ${status}`,
	};
}

/** The e-NCF and the issuer that the signed e-CF tells. Throws: Refusal. */
export function readIdentity(evidence: Evidence): { readonly encf: string; readonly issuer: string } {
	const { encf = "", issuer = "" } = readTold(evidence.xml(ECF));
	return { encf, issuer };
}

/** By their places: a text of the invoice cannot stand there. */
function readTold(root: XmlElement): Told {
	const total = textAt(root, HEAD, "Totales", "MontoTotal");
	return {
		encf: textAt(root, HEAD, "IdDoc", "eNCF"),
		type: textAt(root, HEAD, "IdDoc", "TipoeCF"),
		issuer: textAt(root, HEAD, "Emisor", "RNCEmisor"),
		total: total === undefined ? undefined : toCents(total),
	};
}

/** Quirk: an e-NCF that the service has given out is `auto` in the request. */
function readRequest(bytes: Uint8Array): Told {
	const request = toRecord(parseJsonBytes(bytes, REQUEST)) ?? {};
	const text: Reader<string> = (value) => (typeof value === "number" ? String(value) : aText(value));
	const encf = text(request.encf);
	const rnc = text(toRecord(request.company)?.rnc);
	const total = text(toRecord(request.totals)?.grand_total);
	return {
		encf: encf === "auto" ? undefined : encf?.toUpperCase(),
		type: text(request.type),
		issuer: rnc === undefined ? undefined : (parseTaxpayerDocument(rnc)?.digits ?? rnc),
		total: total === undefined ? undefined : toCents(total),
	};
}

/** A document has two decimals; a request may have more, which are rounded half up. */
function toCents(text: string): string {
	return Decimal.parse(text)?.rounded(2).toFixed(2) ?? text;
}

function findDifferences(told: readonly [where: string, told: Told][]): Words[] {
	return (["encf", "type", "issuer", "total"] as const).flatMap((what) => {
		const tellers = told.filter(([, one]) => one[what] !== undefined);
		if (new Set(tellers.map(([, one]) => one[what])).size <= 1) return [];
		const list = tellers.map(([where, one]) => `${where} ${one[what]}`).join(", ");
		return [{ en: `the ${LABELS[what].en} differs: ${list}`, es: `el ${LABELS[what].es} difiere: ${list}` }];
	});
}

function missingOf(ecf: Told): Words[] {
	return (["encf", "type", "issuer", "total"] as const)
		.filter((what) => ecf[what] === undefined)
		.map((what) => ({ en: `${ECF} has no ${LABELS[what].en}`, es: `${ECF} no tiene ${LABELS[what].es}` }));
}

/** A summary carries the beginning of the signature of the document that it stands for. */
async function findForeignSummary(evidence: Evidence): Promise<Words[]> {
	if (!evidence.hasSummary()) return [];
	const told = textAt(evidence.xml(SUMMARY), HEAD, "CodigoSeguridadeCF");
	const { signatureValue } = await evidence.verification(ECF);
	const expected = signatureValue?.slice(0, SECURITY_CODE_CHARACTERS);
	if (told === expected) return [];
	return [
		{
			en: `${SUMMARY} stands for a document with the security code ${told}, that of ${ECF} is ${expected}`,
			es: `${SUMMARY} es de un documento con el código de seguridad ${told}, el de ${ECF} es ${expected}`,
		},
	];
}

/** The text of the one element on a path of names; undefined where one is missing or stands twice. */
function textAt(root: XmlElement, ...path: readonly string[]): string | undefined {
	let at: XmlElement | undefined = root;
	for (const name of path) {
		const found: XmlElement[] = at ? childElements(at).filter(({ localName }) => localName === name) : [];
		at = found.length === 1 ? found[0] : undefined;
	}
	return at && textOf(at);
}
