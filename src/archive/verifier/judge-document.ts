/** Checks that the sealed parts are of one document: the manifest, the signed e-CF, its summary and the request. */
import { Decimal, parseTaxpayerDocument } from "../../platform/values";
import { childElements, textOf, type XmlElement } from "../../platform/xml";
import { aDigest, aText, parseJsonBytes, type Reader, readMembers, toRecord } from "./formats";
import { ECF, type Evidence, MANIFEST, REGISTRY, REQUEST, SUMMARY } from "./open-evidence";
import { type NotJudged, Refusal, refuseIfAny, type Words } from "./words";

/** Members to compare; absent if a part does not have them. */
type Identity = {
	readonly encf?: string | undefined;
	readonly type?: string | undefined;
	readonly issuer?: string | undefined;
	readonly total?: string | undefined;
	readonly foreignTotal?: string | undefined;
};

const LABELS = {
	encf: { en: "e-NCF", es: "e-NCF" },
	type: { en: "type", es: "tipo" },
	issuer: { en: "issuer's RNC", es: "RNC del emisor" },
	total: { en: "total", es: "total" },
	foreignTotal: { en: "total in its currency", es: "total en su moneda" },
} as const;

const HEAD = "Encabezado";
const SECURITY_CODE_CHARACTERS = 6;

/** Throws: Refusal. */
export async function judgeOneDocument(evidence: Evidence): Promise<Words> {
	const { encf, type, status } = evidence.manifest();
	const ecf = readXmlIdentity(evidence.xml(ECF));
	const parts: [name: string, identity: Identity][] = [
		[ECF, ecf],
		[MANIFEST, { encf, type }],
		[REQUEST, readRequest(evidence.part(REQUEST))],
	];
	if (evidence.hasSummary()) parts.push([SUMMARY, readXmlIdentity(evidence.xml(SUMMARY))]);
	refuseIfAny([...missingOf(ecf), ...findDifferences(parts), ...(await findForeignSummary(evidence))]);
	return {
		en: `e-NCF ${encf}, type ${type}, issuer ${ecf.issuer}, total ${ecf.total}, ${status}`,
		es: `e-NCF ${encf}, tipo ${type}, emisor ${ecf.issuer}, total ${ecf.total}, ${status}`,
	};
}

/** What the registry held about the parties is about those of the signed e-CF. Older objects lack it. Throws: Refusal. */
export function judgeRegistry(evidence: Evidence): Words | NotJudged {
	if (!evidence.sealed().has(REGISTRY)) {
		return {
			notJudged: {
				en: "the document was archived without the registry's entries",
				es: "el documento se archivó sin los datos del registro de contribuyentes",
			},
		};
	}
	const held = parseJsonBytes(evidence.part(REGISTRY), REGISTRY);
	const aDigestOrNull = (value: unknown) => (value === null ? null : aDigest(value));
	const { run_id: run, source_sha256: source } = readMembers(
		held,
		{ run_id: aText, source_sha256: aDigestOrNull },
		REGISTRY,
	);
	const root = evidence.xml(ECF);
	const statusOf = (name: "issuer" | "buyer", rnc: string | undefined): string | undefined => {
		const entry = toRecord(held)?.[name];
		if (entry === undefined || entry === "not_found") return entry;
		const { rnc: listed, status } = readMembers(entry, { rnc: aText, status: aText }, REGISTRY);
		if (listed === rnc) return status;
		throw new Refusal({
			en: `${REGISTRY} names ${listed} as ${name}, ${ECF} names ${rnc}`,
			es: `${REGISTRY} nombra a ${listed} (${name}), ${ECF} nombra a ${rnc}`,
		});
	};
	const issuer = statusOf("issuer", textAt(root, HEAD, "Emisor", "RNCEmisor"));
	const buyer = statusOf("buyer", textAt(root, HEAD, "Comprador", "RNCComprador"));
	return {
		en: `buyer when invoiced: ${buyer ?? "none named"}; issuer: ${issuer}; run ${run}, source ${source}`,
		es: `comprador al facturar: ${buyer ?? "sin número"}; emisor: ${issuer}; corrida ${run}, fuente ${source}`,
	};
}

/** The e-NCF and issuer of the signed e-CF. Throws: Refusal. */
export function readIdentity(evidence: Evidence): { readonly encf: string; readonly issuer: string } {
	const { encf = "", issuer = "" } = readXmlIdentity(evidence.xml(ECF));
	return { encf, issuer };
}

/** Reads by position, where no free text of the invoice can be. */
function readXmlIdentity(root: XmlElement): Identity {
	const total = textAt(root, HEAD, "Totales", "MontoTotal");
	const foreignTotal = textAt(root, HEAD, "OtraMoneda", "MontoTotalOtraMoneda");
	return {
		encf: textAt(root, HEAD, "IdDoc", "eNCF"),
		type: textAt(root, HEAD, "IdDoc", "TipoeCF"),
		issuer: textAt(root, HEAD, "Emisor", "RNCEmisor"),
		total: total === undefined ? undefined : toCents(total),
		foreignTotal: foreignTotal === undefined ? undefined : toCents(foreignTotal),
	};
}

/** Quirk: an e-NCF that the service assigned is `auto` in the request. */
function readRequest(bytes: Uint8Array): Identity {
	const request = toRecord(parseJsonBytes(bytes, REQUEST)) ?? {};
	const text: Reader<string> = (value) => (typeof value === "number" ? String(value) : aText(value));
	const encf = text(request.encf);
	const rnc = text(toRecord(request.company)?.rnc);
	const total = text(toRecord(request.totals)?.grand_total);
	const currency = text(request.currency) ?? "DOP";
	const isForeign = currency !== "DOP" && text(request.amounts_in) === "document";
	return {
		encf: encf === "auto" ? undefined : encf?.toUpperCase(),
		type: text(request.type),
		issuer: rnc === undefined ? undefined : (parseTaxpayerDocument(rnc)?.digits ?? rnc),
		[isForeign ? "foreignTotal" : "total"]: total === undefined ? undefined : toCents(total),
	};
}

/** A document has two decimals. A request may have more; they are rounded half up. */
function toCents(text: string): string {
	return Decimal.parse(text)?.rounded(2).toFixed(2) ?? text;
}

function findDifferences(parts: readonly [name: string, identity: Identity][]): Words[] {
	return (["encf", "type", "issuer", "total", "foreignTotal"] as const).flatMap((what) => {
		const stated = parts.filter(([, one]) => one[what] !== undefined);
		if (new Set(stated.map(([, one]) => one[what])).size <= 1) return [];
		const list = stated.map(([name, one]) => `${name} ${one[what]}`).join(", ");
		return [{ en: `the ${LABELS[what].en} differs: ${list}`, es: `el ${LABELS[what].es} difiere: ${list}` }];
	});
}

function missingOf(ecf: Identity): Words[] {
	return (["encf", "type", "issuer", "total"] as const)
		.filter((what) => ecf[what] === undefined)
		.map((what) => ({ en: `${ECF} has no ${LABELS[what].en}`, es: `${ECF} no tiene ${LABELS[what].es}` }));
}

/** A summary has the beginning of its document's signature as security code. */
async function findForeignSummary(evidence: Evidence): Promise<Words[]> {
	if (!evidence.hasSummary()) return [];
	const code = textAt(evidence.xml(SUMMARY), HEAD, "CodigoSeguridadeCF");
	const { signatureValue } = await evidence.verification(ECF);
	const expected = signatureValue?.slice(0, SECURITY_CODE_CHARACTERS);
	if (code === expected) return [];
	return [
		{
			en: `${SUMMARY} is of a document with the security code ${code}, that of ${ECF} is ${expected}`,
			es: `${SUMMARY} es de un documento con el código de seguridad ${code}, el de ${ECF} es ${expected}`,
		},
	];
}

/** The text of the only element at a path of names; undefined if one is missing or repeated. */
function textAt(root: XmlElement, ...path: readonly string[]): string | undefined {
	let at: XmlElement | undefined = root;
	for (const name of path) {
		const found: XmlElement[] = at ? childElements(at).filter(({ localName }) => localName === name) : [];
		at = found.length === 1 ? found[0] : undefined;
	}
	return at && textOf(at);
}
