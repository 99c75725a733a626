/** From an invoice to signed bytes: plan, write, sign, check, and for a small consumer invoice its summary as well. */
import { createHash } from "node:crypto";
import { Problem } from "../problem";
import { parseTaxpayerDocument } from "../values";
import type { EcfInput } from "./ecf-input";
import { writeEcf } from "./ecf-xml";
import type { Warning } from "./findings";
import type { SigningIdentity } from "./identity";
import { type EcfPlan, isSummaryRoad, needsSequenceExpiry, planEcf } from "./plan-ecf";
import { readSecurityCode } from "./security-code";
import type { SignatureProfile } from "./signature-frame";
import { writeSummary } from "./summary-xml";
import { verifyOwnSignature } from "./verify-own";
import { type SignOptions, signXml } from "./xades";

/** What is stored, sent and printed. Plain data. */
export type SignedEcf = {
	readonly ecf: Uint8Array;
	/** Hex. */
	readonly ecfSha256: string;
	readonly securityCode: string;
	/** The instant of the input. */
	readonly signedAt: string;
	/** Present for consumer invoices below 250,000.00: this is sent, the e-CF is kept. */
	readonly summary?: Uint8Array;
	readonly summarySha256?: string;
	readonly warnings: readonly Warning[];
};

/** The document would name another issuer than the one it is signed for. Never signed, whatever the cause. */
export class WrongIssuerError extends Error {
	constructor(
		readonly expected: string,
		readonly got: string | undefined,
	) {
		super(`expected a document of issuer ${expected}, got one of ${got ?? "nobody"}`);
		this.name = "WrongIssuerError";
	}
}

/**
 * Signs the e-CF of an invoice. Nothing leaves unchecked: each document is read back and verified.
 * Throws: validation-error when the plan has faults. A missing sequence expiry, a foreign issuer and a signature that does
 * not verify are defects, not problems.
 */
export function signEcf(input: EcfInput, identity: SigningIdentity, profile: SignatureProfile): SignedEcf {
	const plan = planEcf(input);
	if (plan.faults.length > 0) throw new Problem("validation-error", { faults: plan.faults });
	if (needsSequenceExpiry(plan.type) && plan.sequenceExpiresOn === undefined) {
		throw new Error(`expected sequenceExpiresOn, which documents of type ${plan.type} print`);
	}
	const options: SignOptions = { profile, signedAt: new Date(input.signedAt) };
	const ecf = signChecked(writeEcf(plan), input, identity, options);
	const securityCode = readSecurityCode(ecf);
	return {
		ecf,
		ecfSha256: sha256Hex(ecf),
		securityCode,
		signedAt: input.signedAt,
		...(isSummaryRoad(input) ? signSummary(plan, securityCode, input, identity, options) : {}),
		warnings: plan.warnings,
	};
}

function signSummary(
	plan: EcfPlan,
	securityCode: string,
	input: EcfInput,
	identity: SigningIdentity,
	options: SignOptions,
): Pick<SignedEcf, "summary" | "summarySha256"> {
	const summary = signChecked(writeSummary(plan, securityCode), input, identity, options);
	return { summary, summarySha256: sha256Hex(summary) };
}

function signChecked(xml: string, input: EcfInput, identity: SigningIdentity, options: SignOptions): Uint8Array {
	checkIssuerOf(xml, input.issuer.rnc);
	const signed = signXml(xml, identity, options);
	verifyOwnSignature(signed, identity);
	return signed;
}

/** Reads the issuer from the document itself, by its place in it: a text of the invoice cannot stand there. */
function checkIssuerOf(xml: string, expectedRnc: string): void {
	const expected = parseTaxpayerDocument(expectedRnc)?.digits ?? expectedRnc;
	const got = /^<(?:ECF|RFCE)><Encabezado>.*?<\/IdDoc><Emisor><RNCEmisor>([^<]*)<\/RNCEmisor>/s.exec(xml)?.[1];
	if (!got || got !== expected) throw new WrongIssuerError(expected, got);
}

function sha256Hex(bytes: Uint8Array): string {
	return createHash("sha256").update(bytes).digest("hex");
}
