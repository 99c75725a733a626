/** A TLS certificate for `localhost` that no authority has issued. */
import "reflect-metadata";
import { generateKeyPairSync } from "node:crypto";
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";

export type TlsFiles = { readonly key: string; readonly cert: string };

export async function makeTlsCertificate(): Promise<TlsFiles> {
	const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
	const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
	const pkcs8 = privateKey.export({ type: "pkcs8", format: "der" });
	const spki = publicKey.export({ type: "spki", format: "der" });
	const certificate = await X509CertificateGenerator.createSelfSigned(
		{
			serialNumber: "01",
			name: "CN=localhost",
			notBefore: new Date(Date.now() - 3600_000),
			notAfter: new Date(Date.now() + 3600_000),
			signingAlgorithm: algorithm,
			keys: {
				publicKey: await crypto.subtle.importKey("spki", spki, algorithm, true, ["verify"]),
				privateKey: await crypto.subtle.importKey("pkcs8", pkcs8, algorithm, false, ["sign"]),
			},
			extensions: [new SubjectAlternativeNameExtension([{ type: "dns", value: "localhost" }])],
		},
		crypto,
	);
	return { key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(), cert: certificate.toString("pem") };
}
