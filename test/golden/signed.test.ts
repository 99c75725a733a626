/**
 * Signed documents, kept byte for byte. The key that signed them was thrown away: what is signed again here has another key's
 * value in `SignatureValue` and must be equal in everything else, and the kept value must verify with the kept certificate.
 */
import { describe, expect, test } from "bun:test";
import { verify, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readSecurityCode, type SignatureProfile, type SigningIdentity, signXml, verifyOwnSignature } from "../../src/ecf/signing";
import { ECF_TYPES, isSummaryPlan, planEcf, writeEcf, writeSummary } from "../../src/ecf/mapping";
import { anIdentity, readExample, SIGNED_AT } from "../ecf/signing/samples";
import { findJudge } from "../support/judges";

const GOLDEN = join(import.meta.dir, "../../data/golden/signed");
const CERTIFICATE = join(GOLDEN, "certificate.der");
const isUpdate = process.env.UPDATE === "1";
const PROFILES: readonly SignatureProfile[] = ["xades-bes", "xmldsig"];
const NAMES = ECF_TYPES.flatMap((type) => [`${type}-minimal`, `${type}-everything`]);
/** A note without a reference is written all the same, and warned of; the schema wants one. */
const NOT_VALID = ["33-minimal", "34-minimal"];

const verifySignature = findJudge("verify-signature");
const validate = findJudge("validate-ecf");

const made = await anIdentity();
if (isUpdate) {
	mkdirSync(GOLDEN, { recursive: true });
	writeFileSync(CERTIFICATE, made.certificateDer);
}
const certificateDer = new Uint8Array(readFileSync(CERTIFICATE));
const { publicKey } = new X509Certificate(certificateDer);
/** The kept certificate with a key that is not its own: what it signs does not verify with it, what is kept does. */
const identity: SigningIdentity = {
	certificateDer,
	rsa: { ...made.rsa, verify: (data, signature) => verify("sha256", data, publicKey, signature) },
};

const withoutValue = (bytes: Uint8Array) =>
	new TextDecoder().decode(bytes).replace(/<SignatureValue>[^<]+</, "<SignatureValue><");

function compare(file: string, canonicalXml: string, profile: SignatureProfile): Uint8Array {
	const signed = signXml(canonicalXml, identity, { profile, signedAt: new Date(SIGNED_AT) });
	const path = join(GOLDEN, file);
	if (isUpdate) writeFileSync(path, signed);
	if (!existsSync(path)) throw new Error(`no golden file ${file}; run with UPDATE=1`);
	const kept = new Uint8Array(readFileSync(path));
	expect(withoutValue(signed)).toBe(withoutValue(kept));
	verifyOwnSignature(kept, identity);
	return kept;
}

describe("a signed document", () => {
	for (const profile of PROFILES) {
		for (const name of NAMES) {
			test(`${name} in ${profile} is what it was, and verifies`, () => {
				const input = readExample(name);
				const plan = planEcf(input);
				const ecf = compare(`${name}.${profile}.xml`, writeEcf(plan), profile);
				if (!isSummaryPlan(plan)) return;
				compare(`${name}.summary.${profile}.xml`, writeSummary(plan, readSecurityCode(ecf)), profile);
			});
		}
	}

	test("is kept for each type, profile and summary, and no other", () => {
		const summaries = PROFILES.flatMap((profile) => [
			`32-everything.summary.${profile}.xml`,
			`32-minimal.summary.${profile}.xml`,
		]);
		const documents = NAMES.flatMap((name) => PROFILES.map((profile) => `${name}.${profile}.xml`));
		const kept = readdirSync(GOLDEN).filter((file) => file.endsWith(".xml"));
		expect(kept.sort()).toEqual([...documents, ...summaries].sort());
	});

	test.skipIf(!verifySignature)("verifies for xmlsec1", async () => {
		const files = readdirSync(GOLDEN).filter((file) => file.endsWith(".xml"));
		expect(await verifySignature?.(...files.map((file) => join(GOLDEN, file)))).toMatchObject({ exitCode: 0 });
	}, 120_000);

	test.skipIf(!validate)("is valid against the authority's schema", async () => {
		const files = readdirSync(GOLDEN).filter(
			(file) => file.endsWith(".xml") && !NOT_VALID.some((name) => file.startsWith(name)),
		);
		expect(await validate?.(...files.map((file) => join(GOLDEN, file)))).toMatchObject({ exitCode: 0 });
	}, 120_000);
});
