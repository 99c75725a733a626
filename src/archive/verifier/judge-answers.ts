/**
 * Checks that the authority's answers are about this document and lead to its status. They are stored as received, in JSON, XML or plain text, and
 * are not signed: only the service says that the authority sent them. The verdict must be in an answer that names this document's e-NCF and no other
 * issuer.
 */
import { childElements, isXmlElement, readXmlText, textOf } from "../../platform/xml";
import { toRecord } from "./formats";
import { readIdentity } from "./judge-document";
import type { Evidence } from "./open-evidence";
import { joinWords, type NotJudged, refuseIfAny, type Words } from "./words";

const FOLDER = "answers/";

/** Name in lower case → text. */
type Members = ReadonlyMap<string, string>;

/** Source: the authority's technical description of its services, result query. */
const STATUS_BY_CODE: Readonly<Record<string, string>> = { "1": "accepted", "2": "rejected", "4": "accepted" };
const NAMES_OF_NUMBER: readonly string[] = ["encf", "ncfelectronico"];
const NAMES_OF_ISSUER: readonly string[] = ["rnc", "rncemisor"];

/** Throws: Refusal. */
export function judgeAnswers(evidence: Evidence): Words | NotJudged {
	const { answers, status } = evidence.manifest();
	const { encf, issuer } = readIdentity(evidence);
	const listed = answers.map(({ entry }) => entry);
	const present = [...evidence.sealed().keys()].filter((name) => name.startsWith(FOLDER));
	const faults: Words[] = [];
	if ([...listed].sort().join("\n") !== [...present].sort().join("\n")) {
		const [expected, found] = [joinNames(listed), joinNames(present)];
		faults.push({
			en: `the manifest lists the answers ${expected}, but the object has ${found}`,
			es: `el manifiesto enumera las respuestas ${expected}, están ${found}`,
		});
	}
	const foreign: Words[] = [];
	const verdicts = new Set<string>();
	for (const entry of present) {
		const members = readMembersOf(new TextDecoder().decode(evidence.part(entry)));
		const others = [
			...findForeign(entry, members, NAMES_OF_NUMBER, encf),
			...findForeign(entry, members, NAMES_OF_ISSUER, issuer),
		];
		foreign.push(...others);
		const verdict = STATUS_BY_CODE[(members.get("codigo") ?? "").replace(/^0+(?=\d)/, "")];
		const isOwn = others.length === 0 && NAMES_OF_NUMBER.some((name) => members.has(name));
		if (verdict && isOwn) verdicts.add(verdict);
	}
	const isDecided = ["accepted", "rejected"].includes(status);
	if (isDecided && verdicts.size > 0 && !verdicts.has(status)) {
		const found = [...verdicts].join(", ");
		faults.push({
			en: `the document's status is ${status}, but the authority's answers say ${found}`,
			es: `se dice que el documento está ${status}, las respuestas de la autoridad dicen ${found}`,
		});
	}
	// The authority sometimes answers with another document. Such an answer is stored and decides nothing.
	if (isDecided && verdicts.size === 0) faults.push(...foreign);
	refuseIfAny(faults);
	const aside = joinWords(foreign.map(({ en, es }) => ({ en: `ignored: ${en}`, es: `sin contar: ${es}` })));
	const summary = {
		en: [`${listed.length} answers of the authority`, aside.en, `the status is ${status}`].filter(Boolean).join("; "),
		es: [`${listed.length} respuestas de la autoridad`, aside.es, `el estado es ${status}`].filter(Boolean).join("; "),
	};
	if (verdicts.size > 0) return summary;
	return {
		notJudged: {
			en: `they contain no readable verdict on this document: ${summary.en}`,
			es: `no se puede leer en ellas un veredicto sobre este documento: ${summary.es}`,
		},
	};
}

function joinNames(names: readonly string[]): string {
	return names.slice(0, 20).join(", ").slice(0, 1_000) || "—";
}

function findForeign(entry: string, members: Members, names: readonly string[], expected: string): Words[] {
	const fold = (text: string) => text.replace(/[- ]/g, "").toUpperCase();
	const named = names.flatMap((name) => members.get(name) ?? []).filter((text) => fold(text) !== fold(expected));
	return named.map((text) => ({
		en: `${entry} is about ${text.slice(0, 60)}, but the document is ${expected}`,
		es: `${entry} trata de ${text.slice(0, 60)}, el documento es ${expected}`,
	}));
}

/** The top-level members of an answer; empty for another form. */
function readMembersOf(text: string): Members {
	const trimmed = text.replace(/^\uFEFF/, "").trim();
	if (trimmed.startsWith("<")) {
		const root = readXmlText(trimmed);
		if (!isXmlElement(root)) return new Map();
		return new Map(childElements(root).map((one) => [one.localName.toLowerCase(), textOf(one).trim()]));
	}
	let value = parse(trimmed);
	// Some answers are a document in a string, or in a list of one.
	if (typeof value === "string") value = parse(value);
	if (Array.isArray(value) && value.length === 1) value = value[0];
	const entries = Object.entries(toRecord(value) ?? {}).flatMap(([name, member]): [string, string][] =>
		typeof member === "string" || typeof member === "number" ? [[name.toLowerCase(), String(member).trim()]] : [],
	);
	return new Map(entries.filter(([, member]) => member !== ""));
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		// Plain text, or a proxy's page: it has no members.
		return undefined;
	}
}
