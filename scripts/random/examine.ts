/**
 * Takes random invoices through to signed documents and checks each with every available oracle:
 *
 *   the published schema               accepts the request
 *   request validation                 accepts it, and refuses it with a forbidden character in one of its texts
 *   the mapping                        finds no violation and puts every adjustment in the totals; the document fits the element table
 *   an XML parser                      reads the texts exactly as sent
 *   our verifier, xmlsec1, a JDK       verify each signature
 *   the authority's schema             accepts each document
 *
 * Two kinds of documents are excused from the element table and the authority's schema: a note without a reference, and a number of eleven
 * or
 * twelve characters. The caller gets a warning for both.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DOMParser } from "@xmldom/xmldom";
import { createSchemaWriter } from "../../src/api/openapi";
import { checkBusinessRules } from "../../src/authority/rules";
import { ECF, RFCE } from "../../src/ecf/format";
import {
	cutText,
	ECF_TYPES,
	type EcfInput,
	type EcfInvoice,
	type EcfType,
	planEcf,
	toEcfType,
	toTypeSchema,
} from "../../src/ecf/mapping";
import { type SignedEcf, type SigningIdentity, signEcf } from "../../src/ecf/signing";
import { type VerifyOptions, verifyDocument } from "../../src/ecf/verification";
import { checkRequest } from "../../src/invoicing/invoices";
import { Problem } from "../../src/platform/problem";
import { OWN_LIMITS } from "../../src/platform/xml";
import { findUnfit, onError } from "../../test/ecf/signing/fits-table";
import { createChance } from "../../test/support/chance";
import { FORBIDDEN } from "../../test/support/hostile-text";
import { describeViolation, findSchemaViolations } from "../../test/support/json-schema";
import { findJudge, type Judge } from "../../test/support/judges";
import { randomInvoice } from "./random-invoice";

export type Examination = {
	readonly invoices: number;
	readonly byType: Readonly<Record<string, number>>;
	readonly documents: number;
	readonly lines: number;
	readonly refusedAtTheDoor: number;
	/** Documents that xmlsec1 and a JDK verified and the authority's schemas accepted; undefined if the oracle is missing. */
	readonly verified: number | undefined;
	readonly verifiedByJdk: number | undefined;
	readonly valid: number | undefined;
	readonly excused: number;
	/** Number of invoices for each warning. */
	readonly warnings: Readonly<Record<string, number>>;
	/** Failures with the invoice number; empty if all is well. */
	readonly violations: readonly string[];
};

const NOW = new Date("2026-11-20T14:20:00.121Z");
const ISSUERS: readonly EcfInput["issuer"][] = [
	{ rnc: "990000001", name: "FERRETERIA EL PROGRESO SRL" },
	{
		...{ rnc: "990000001", name: "FERRETERIA «EL PROGRESO» & CÍA ]]> SRL", tradeName: "EL PROGRESO <24 h>" },
		address: { street: 'Av. Duarte 100, esq. "El Sol"', municipalityCode: "010100", provinceCode: "010000" },
		...{ phone: "+1 809 555 0101", email: "facturas@elprogreso.example", economicActivity: "Venta al por menor" },
	},
];
const byOurselves: VerifyOptions = { now: NOW, limits: OWN_LIMITS };
/** Files given to an oracle in one call. */
const BATCH = 50;

type Document = { readonly number: number; readonly file: string; readonly isExcused: boolean };

export async function examineRandomInvoices(options: {
	readonly seed: number;
	readonly count: number;
	readonly folder: string;
	readonly identity: SigningIdentity;
	readonly onProgress?: (done: number) => void;
}): Promise<Examination> {
	const { seed, count, folder, identity } = options;
	const schemas = new Map(ECF_TYPES.map((type) => [type, createSchemaWriter().toPlain(toTypeSchema(type))]));
	const violations: string[] = [];
	const documents: Document[] = [];
	const byType = new Map<string, number>();
	const warnings = new Map<string, number>();
	let lines = 0;
	let refusedAtTheDoor = 0;
	for (let number = 0; number < count; number++) {
		const blame = (what: string) => violations.push(`invoice ${number} of seed ${seed}: ${what}`);
		const invoice = randomInvoice(seed, number);
		const type = toEcfType(invoice.type);
		lines += invoice.lines.length;
		byType.set(type, (byType.get(type) ?? 0) + 1);
		for (const found of findSchemaViolations(schemas.get(type) ?? {}, invoice).slice(0, 3))
			blame(`the schema refuses ${describeViolation(found)}`);
		for (const fault of refusalOf(invoice)) blame(`the door refuses ${fault}`);
		if (refusalOf(poison(invoice, seed + number)).some((fault) => fault.startsWith("validation-error")))
			refusedAtTheDoor++;
		else blame("the door lets a forbidden character in");

		const input = toInput(invoice, number);
		const plan = planEcf(input);
		for (const { code, pointer } of plan.faults) blame(`the mapping finds ${code} at ${pointer}`);
		if (plan.faults.length > 0) continue;
		const codes = [...plan.warnings, ...checkBusinessRules({ plan })].map(({ code }) => code);
		for (const code of new Set(codes)) warnings.set(code, (warnings.get(code) ?? 0) + 1);

		if (codes.includes("adjustments-not-in-totals")) blame("the mapping leaves out adjustments that the totals hold");

		const signed = signEcf(input, identity, number % 2 === 0 ? "xades-bes" : "xmldsig");
		const isExcused = codes.includes("reference-missing") || codes.includes("encf-length");
		if (!isExcused) for (const unfit of findUnfitIn(signed, type).slice(0, 3)) blame(unfit);
		for (const lost of findLostTexts(signed, invoice).slice(0, 3)) blame(lost);
		for (const [kind, bytes] of [["ecf", signed.ecf] as const, ["summary", signed.summary] as const]) {
			if (!bytes) continue;
			const file = join(folder, `${number}.${kind}.xml`);
			const { trust, faults } = verifyDocument(bytes, { ...byOurselves, expectedCertificate: identity.certificateDer });
			for (const { code, detail } of faults.slice(0, 3)) blame(`our verifier finds ${code} in the ${kind}: ${detail}`);
			if (trust !== "trusted") blame(`our verifier does not trust the ${kind}`);
			writeFileSync(file, bytes);
			documents.push({ number, file, isExcused });
		}
		options.onProgress?.(number + 1);
	}
	const judged = documents.filter((document) => !document.isExcused);
	return {
		invoices: count,
		byType: Object.fromEntries(byType),
		documents: documents.length,
		lines,
		refusedAtTheDoor,
		verified: await askJudge(findJudge("verify-signature"), documents, /: signature OK, /g, violations),
		verifiedByJdk: await askJudge(findJudge("jdk"), documents, /: signature OK, /g, violations),
		valid: await askJudge(findJudge("validate-ecf"), judged, / validates$/gm, violations),
		excused: documents.length - judged.length,
		warnings: Object.fromEntries([...warnings].sort()),
		violations,
	};
}

function toInput(invoice: EcfInvoice, number: number): EcfInput {
	const issuer = ISSUERS[number % ISSUERS.length] ?? { rnc: "990000001", name: "X" };
	return { invoice, issuer, sequenceExpiresOn: "2028-12-31", signedAt: NOW.toISOString() };
}

/** The refusals of a body sent over the wire; empty if it is accepted. */
function refusalOf(body: unknown): string[] {
	try {
		checkRequest(JSON.parse(JSON.stringify(body)), NOW);
		return [];
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		return error.faults.slice(0, 3).map(({ pointer, code }) => `${error.slug} ${pointer} ${code}`);
	}
}

/** The invoice with a forbidden character in one of its texts. */
function poison(invoice: EcfInvoice, seed: number): unknown {
	const chance = createChance(seed);
	const character = chance.pick(FORBIDDEN);
	const [first, ...others] = invoice.lines;
	return chance.percent(50)
		? { ...invoice, company: { ...invoice.company, name: `a${character}b` } }
		: { ...invoice, lines: [{ ...first, description: `a${character}` }, ...others] };
}

function findUnfitIn({ ecf, summary }: SignedEcf, type: EcfType): string[] {
	const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
	return [...findUnfit(text(ecf), ECF, type), ...(summary ? findUnfit(text(summary), RFCE, type) : [])];
}

/** Texts that a parser does not read as sent. Truncation is allowed: the caller gets a warning. */
function findLostTexts({ ecf }: SignedEcf, invoice: EcfInvoice): string[] {
	const document = new DOMParser({ onError }).parseFromString(new TextDecoder().decode(ecf), "text/xml");
	const read = (name: string) => Array.from(document.getElementsByTagName(name)).map((element) => element.textContent);
	const expected = invoice.lines.map((line) => cutText(line.description, 1_000));
	const descriptions = read("DescripcionItem");
	const lost = expected.flatMap((text, index) =>
		descriptions[index] === text ? [] : [`line ${index + 1} reads ${JSON.stringify(descriptions[index])}`],
	);
	const name = invoice.customer?.name?.trim();
	if (name !== undefined && read("RazonSocialComprador")[0] !== cutText(name, 150))
		lost.push("the buyer's name reads otherwise");
	return lost;
}

/** The number of documents that the oracle accepts; each other one is a violation. */
async function askJudge(
	judge: Judge | undefined,
	documents: readonly Document[],
	content: RegExp,
	violations: string[],
): Promise<number | undefined> {
	if (!judge) return undefined;
	let good = 0;
	for (let from = 0; from < documents.length; from += BATCH) {
		const batch = documents.slice(from, from + BATCH);
		const { exitCode, output } = await judge(...batch.map(({ file }) => file));
		good += output.match(content)?.length ?? 0;
		if (exitCode === 0) continue;
		const complaints = output.split("\n").filter((line) => line !== "" && !new RegExp(content.source).test(line));
		violations.push(...complaints.slice(0, 10));
	}
	if (good !== documents.length) violations.push(`${documents.length - good} documents were not approved`);
	return good;
}
