import { describe, expect, test } from "bun:test";
import { createHash, createPrivateKey, X509Certificate } from "node:crypto";
import { describeCertificate } from "../../../src/ecf/certificate";
import { createEphemeralIdentity } from "../../../src/ecf/signing/ephemeral-identity";
import { Problem } from "../../../src/platform/problem";

const made = await createEphemeralIdentity({
	holderName: 'JOSÉ "PEPE" ÑÚÑEZ, hijo + nieto',
	holderDocument: "00100000009",
	notBefore: new Date("2026-11-20T00:00:00Z"),
	notAfter: new Date("2027-11-20T00:00:00Z"),
});

describe("an ephemeral identity", () => {
	test("names a person by name and Cédula, whatever characters the name holds", () => {
		const facts = describeCertificate(made.certificateDer);
		expect(facts).toMatchObject({
			subject: 'CN=JOSÉ "PEPE" ÑÚÑEZ, hijo + nieto, SERIALNUMBER=IDCDO-00100000009',
			holderName: 'JOSÉ "PEPE" ÑÚÑEZ, hijo + nieto',
			holderDocument: "00100000009",
			notBefore: "2026-11-20T00:00:00.000Z",
			notAfter: "2027-11-20T00:00:00.000Z",
			keyBits: 2048,
			allowsSigning: true,
		});
		expect(facts.issuer).toBe(facts.subject);
	});

	test("has a key that matches its self-signed certificate, which is no authority", () => {
		const certificate = new X509Certificate(made.certificateDer);
		const key = createPrivateKey({ key: Buffer.from(made.pkcs8Der), format: "der", type: "pkcs8" });
		expect(certificate.checkPrivateKey(key)).toBe(true);
		expect(certificate.verify(certificate.publicKey)).toBe(true);
		expect(certificate.ca).toBe(false);
	});

	test("is another one each time", async () => {
		const [a, b] = await Promise.all([1, 2].map(() => makeAnother()));
		const serials = [a, b].map(
			(identity) => describeCertificate(identity?.certificateDer ?? new Uint8Array()).serialNumber,
		);
		expect(new Set(serials).size).toBe(2);
	});
});

function makeAnother() {
	const notBefore = new Date("2026-11-20T00:00:00Z");
	return createEphemeralIdentity({ holderName: "X", holderDocument: "00100000009", notBefore, notAfter: notBefore });
}

describe("a certificate", () => {
	test("is identified by its thumbprint and its serial number in hex pairs", () => {
		const facts = describeCertificate(made.certificateDer);
		expect(facts.thumbprint).toBe(`sha256:${createHash("sha256").update(made.certificateDer).digest("hex")}`);
		expect(facts.serialNumber).toMatch(/^[0-9A-F]{2}(:[0-9A-F]{2})*$/);
		expect(facts.serialNumber.replaceAll(":", "")).toBe(new X509Certificate(made.certificateDer).serialNumber);
	});

	test("that is none is a problem, not a crash", () => {
		for (const bytes of [new Uint8Array(), new Uint8Array([1, 2, 3]), made.certificateDer.subarray(0, 200)]) {
			expect(() => describeCertificate(bytes)).toThrow(Problem);
		}
	});

	test("that names its holder or its issuer with a zero byte is a problem", async () => {
		const { certificateDer } = await createEphemeralIdentity({
			holderName: "JUANA\u0000 PRUEBA",
			holderDocument: "00100000009",
			notBefore: new Date("2026-11-20T00:00:00Z"),
			notAfter: new Date("2027-11-20T00:00:00Z"),
		});
		expect(() => describeCertificate(certificateDer)).toThrow("certificate-invalid");
	});
});
