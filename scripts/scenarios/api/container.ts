/** A PKCS#12 container with a fresh key and certificate, as a company would upload it. */
import { createPrivateKey } from "node:crypto";
import forge from "node-forge";
import { createEphemeralIdentity } from "../../../src/ecf/signing/ephemeral-identity";

export type Container = { readonly pkcs12: string; readonly password: string };

export async function makeContainer(): Promise<Container> {
	const password = "scenario";
	const made = await createEphemeralIdentity({
		holderName: "JUANA PEREZ",
		holderDocument: "00100000009",
		notBefore: new Date("2026-01-01T00:00:00Z"),
		notAfter: new Date("2036-01-01T00:00:00Z"),
	});
	const key = createPrivateKey({ key: Buffer.from(made.pkcs8Der), format: "der", type: "pkcs8" });
	const certificate = Buffer.from(made.certificateDer).toString("base64");
	const asn1 = forge.pkcs12.toPkcs12Asn1(
		forge.pki.privateKeyFromPem(key.export({ type: "pkcs8", format: "pem" }).toString()),
		[forge.pki.certificateFromPem(`-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----`)],
		password,
		{ algorithm: "aes256" },
	);
	return { pkcs12: Buffer.from(forge.asn1.toDer(asn1).getBytes(), "binary").toString("base64"), password };
}
