/** A certificate authority for one test, and server certificates issued by it. */
import "reflect-metadata";
import * as x509 from "@peculiar/x509";

export type TestAuthority = {
	readonly ca: string;
	readonly issue: (name: string, notAfter?: Date) => Promise<{ key: string; cert: string }>;
};

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = 86_400_000;

export async function createTestAuthority(): Promise<TestAuthority> {
	const keys = await makeKeys();
	const root = await x509.X509CertificateGenerator.createSelfSigned({
		serialNumber: "01",
		name: "CN=Test authority",
		notBefore: new Date(Date.now() - 2 * DAY_MS),
		notAfter: new Date(Date.now() + DAY_MS),
		signingAlgorithm: ALGORITHM,
		keys,
		extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
	});
	return {
		ca: root.toString("pem"),
		async issue(name, notAfter = new Date(Date.now() + DAY_MS)) {
			const own = await makeKeys();
			const certificate = await x509.X509CertificateGenerator.create({
				serialNumber: "02",
				subject: `CN=${name}`,
				issuer: root.subject,
				notBefore: new Date(Date.now() - 2 * DAY_MS),
				notAfter,
				signingAlgorithm: ALGORITHM,
				publicKey: own.publicKey,
				signingKey: keys.privateKey,
				extensions: [new x509.SubjectAlternativeNameExtension([{ type: "dns", value: name }])],
			});
			const pkcs8 = await crypto.subtle.exportKey("pkcs8", own.privateKey);
			return { key: x509.PemConverter.encode(pkcs8, "PRIVATE KEY"), cert: certificate.toString("pem") };
		},
	};
}

async function makeKeys(): Promise<CryptoKeyPair> {
	return crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}
