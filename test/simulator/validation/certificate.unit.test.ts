import { expect, test } from "bun:test";
import { importKey, isInForce, readCertificate } from "../../../src/simulator/validation/signature";
import { sharedIdentity } from "../support/authority";

const der = async () => Buffer.from((await sharedIdentity()).certificate, "base64");

test("a certificate states its holder, its dates and its thumbprint", async () => {
	const certificate = readCertificate(await der());
	if (!certificate) throw new Error("expected a certificate");
	expect(certificate).toMatchObject({ holder: "00100000009", thumbprint: (await sharedIdentity()).thumbprint });
	expect(isInForce(certificate, new Date())).toBe(true);
	expect(isInForce(certificate, new Date(certificate.notAfter.getTime() + 1))).toBe(false);
	expect(isInForce({ ...certificate, notAfter: new Date("never") }, new Date())).toBe(false);
	expect(await importKey(certificate)).toMatchObject({ type: "public" });
});

test("bytes that are no certificate give none, whichever of them are broken", async () => {
	expect(readCertificate(new Uint8Array())).toBeUndefined();
	const whole = await der();
	expect(readCertificate(whole.subarray(0, 300))).toBeUndefined();
	for (let at = 0; at < whole.length; at++) {
		const broken = new Uint8Array(whole);
		broken[at] = (broken[at] ?? 0) ^ 0xff;
		const certificate = readCertificate(broken);
		const key = certificate && (await importKey(certificate));
		expect(key === undefined || key.type === "public").toBe(true);
	}
});
