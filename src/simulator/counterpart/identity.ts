/**
 * The taxpayer that the simulator plays towards issuers and receivers, and the certificate that it signs with: made at its first
 * use, kept with the data. Nobody vouches for it.
 */
import { createPrivateKey, generateKeyPair, type KeyObject, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import type { Call } from "../http/call";
import type { Store } from "../store";

export const COUNTERPART = { rnc: "990000174", name: "CONTRIBUYENTE SIMULADO SRL" } as const;

/** `certificate`: base64 of its DER bytes. */
export type CounterpartIdentity = { readonly key: KeyObject; readonly certificate: string };

type Kept = { readonly key: string; readonly certificate: string };

const SETTING = "counterpart";
const ALGORITHM = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const LIFE_MS = 10 * 365 * 86_400_000;

/** Base address of the simulated taxpayer's services, as the caller reaches them. */
export function counterpartUrl(call: Call): string {
	return `http://${call.header("host") ?? "localhost"}/testecf/emisorreceptor`;
}

export async function openIdentity({ settings }: Pick<Store, "settings">): Promise<CounterpartIdentity> {
	// Of two that are made at the same time the first one that is kept is everybody's.
	const kept = settings.read(SETTING) ?? settings.keep(SETTING, Buffer.from(JSON.stringify(await make())));
	const { key, certificate }: Kept = JSON.parse(Buffer.from(kept).toString());
	return { key: createPrivateKey({ key: Buffer.from(key, "base64"), format: "der", type: "pkcs8" }), certificate };
}

async function make(): Promise<Kept> {
	await import("reflect-metadata");
	// Loaded here because only this needs it.
	const { X509CertificateGenerator } = await import("@peculiar/x509");
	const { publicKey, privateKey } = await promisify(generateKeyPair)("rsa", {
		modulusLength: 2048,
		publicKeyEncoding: { type: "spki", format: "der" },
		privateKeyEncoding: { type: "pkcs8", format: "der" },
	});
	const now = Date.now();
	const certificate = await X509CertificateGenerator.createSelfSigned({
		serialNumber: `40${randomBytes(15).toString("hex")}`,
		name: "CN=FIRMANTE SIMULADO, 2.5.4.5=IDCDO-00100000009",
		notBefore: new Date(now - 86_400_000),
		notAfter: new Date(now + LIFE_MS),
		signingAlgorithm: ALGORITHM,
		keys: {
			publicKey: await crypto.subtle.importKey("spki", new Uint8Array(publicKey), ALGORITHM, true, ["verify"]),
			privateKey: await crypto.subtle.importKey("pkcs8", new Uint8Array(privateKey), ALGORITHM, false, ["sign"]),
		},
	});
	return {
		key: Buffer.from(privateKey).toString("base64"),
		certificate: Buffer.from(certificate.rawData).toString("base64"),
	};
}
