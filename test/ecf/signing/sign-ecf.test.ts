import { afterAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isSummaryPlan, planEcf } from "../../../src/ecf/mapping";
import { readSecurityCode, type SignatureProfile, signEcf, WrongIssuerError } from "../../../src/ecf/signing";
import { Problem } from "../../../src/platform/problem";
import { findJudge } from "../../support/judges";
import { verifyByReference } from "./reference";
import { anIdentity, buildInvoice, buildLine, readExample, readExamples, SIGNED_AT, toInput } from "./samples";

const PROFILES: readonly SignatureProfile[] = ["xades-bes", "xmldsig"];
/** A note without a reference is written all the same, and warned of; the schema wants one. */
const NOT_VALID = new Set(["33-minimal", "34-minimal"]);

const verify = findJudge("verify-signature");
const validate = findJudge("validate-ecf");
const folder = await mkdtemp(join(tmpdir(), "sello-signing-"));
afterAll(() => rm(folder, { recursive: true }));

/** Signs every example in a profile and writes the documents down, as they would be sent. */
async function writeSigned(profile: SignatureProfile): Promise<{ name: string; file: string; bytes: Uint8Array }[]> {
	const identity = await anIdentity();
	const written = readExamples().flatMap(({ name, input }) => {
		const signed = signEcf(input, identity, profile);
		const documents = [{ name, bytes: signed.ecf }];
		if (signed.summary) documents.push({ name: `${name}.summary`, bytes: signed.summary });
		return documents;
	});
	return Promise.all(
		written.map(async ({ name, bytes }) => {
			const file = join(folder, `${name}.${profile}.xml`);
			await writeFile(file, bytes);
			return { name, file, bytes };
		}),
	);
}

describe("every signed example", () => {
	for (const profile of PROFILES) {
		test.skipIf(!verify)(
			`in ${profile} verifies for xmlsec1`,
			async () => {
				const files = (await writeSigned(profile)).map((document) => document.file);
				const verdict = await verify?.(...files);
				expect(verdict).toMatchObject({ exitCode: 0 });
				const references = profile === "xades-bes" ? "2/2" : "1/1";
				expect(verdict?.output.match(new RegExp(`signature OK, references ${references}`, "g"))).toHaveLength(
					files.length,
				);
			},
			120_000,
		);

		test(`in ${profile} verifies for xadesjs with the key pinned`, async () => {
			const { certificateDer } = await anIdentity();
			const documents = await writeSigned(profile);
			const verdicts = await Promise.all(documents.map(({ bytes }) => verifyByReference(bytes, certificateDer)));
			expect(documents.filter((_, index) => !verdicts[index]).map(({ name }) => name)).toEqual([]);
		});

		test.skipIf(!validate)(
			`in ${profile} is valid against the authority's schema`,
			async () => {
				const documents = (await writeSigned(profile)).filter(({ name }) => !NOT_VALID.has(name));
				expect(await validate?.(...documents.map(({ file }) => file))).toMatchObject({ exitCode: 0 });
			},
			120_000,
		);
	}

	test("has no white space between elements and no character the authority wants escaped", async () => {
		for (const { bytes } of await writeSigned("xades-bes")) {
			const text = new TextDecoder().decode(bytes);
			expect(text).not.toMatch(/>\s+</);
			const content = text.replace(/<[^>]*>/g, "");
			expect(content).not.toMatch(/["'©€®]/);
		}
	});
});

describe("a signed e-CF", () => {
	test("gives digest, security code and instant of its documents", async () => {
		const signed = signEcf(readExample("31-minimal"), await anIdentity(), "xades-bes");
		expect(signed.ecfSha256).toBe(createHash("sha256").update(signed.ecf).digest("hex"));
		expect(signed.securityCode).toBe(readSecurityCode(signed.ecf));
		expect(signed.signedAt).toBe(SIGNED_AT);
		expect(signed.summary).toBeUndefined();
	});

	test("is the same bytes for the same input", async () => {
		const identity = await anIdentity();
		const sign = () => signEcf(readExample("31-rich"), identity, "xades-bes").ecfSha256;
		expect(sign()).toBe(sign());
	});

	test("for a consumer below 250,000.00 pesos has a summary with the e-CF's code", async () => {
		const input = readExample("32-minimal");
		expect(isSummaryPlan(planEcf(input))).toBe(true);
		const signed = signEcf(input, await anIdentity(), "xades-bes");
		const summary = new TextDecoder().decode(signed.summary);
		expect(summary).toContain(`<CodigoSeguridadeCF>${signed.securityCode}</CodigoSeguridadeCF>`);
		expect(signed.summarySha256).toBe(
			createHash("sha256")
				.update(signed.summary ?? "")
				.digest("hex"),
		);
	});

	test("of 250,000.00 pesos or more has none", async () => {
		const input = readExample("32-large");
		expect(isSummaryPlan(planEcf(input))).toBe(false);
		expect(signEcf(input, await anIdentity(), "xmldsig").summary).toBeUndefined();
	});

	test("is refused with all faults of the plan", async () => {
		const identity = await anIdentity();
		const invoice = buildInvoice({ type: "44", lines: [buildLine({ unit: "99" })] });
		const sign = () => signEcf(toInput(invoice), identity, "xades-bes");
		expect(sign).toThrow(Problem);
		expect(sign).toThrow("2 fields are invalid");
	});

	test("is not made without the sequence's last day where the type prints one", async () => {
		const identity = await anIdentity();
		const { sequenceExpiresOn: _, ...input } = readExample("31-minimal");
		expect(() => signEcf(input, identity, "xades-bes")).toThrow("sequenceExpiresOn");
		const { sequenceExpiresOn: __, ...note } = readExample("34-late");
		expect(signEcf(note, identity, "xades-bes").securityCode).toHaveLength(6);
	});

	// The last wall before a document of one company is signed as another's.
	test("is not made when the document would name another issuer", async () => {
		const identity = await anIdentity();
		const input = readExample("31-minimal");
		const anonymous = { ...input, issuer: { ...input.issuer, rnc: "" } };
		expect(() => signEcf(anonymous, identity, "xades-bes")).toThrow(WrongIssuerError);
	});
});
