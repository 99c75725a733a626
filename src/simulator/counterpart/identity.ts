/**
 * The taxpayer that the simulator plays towards issuers and receivers. Its certificate is created on first use, stored with the data, and certified
 * by no authority.
 */
import {
	createHash,
	createPrivateKey,
	generateKeyPair,
	type KeyObject,
	randomBytes,
	sign as signBytes,
} from "node:crypto";
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
	// If two are created at the same time, both callers use the first one stored.
	const kept = settings.read(SETTING) ?? settings.keep(SETTING, Buffer.from(JSON.stringify(await make())));
	const { key, certificate }: Kept = JSON.parse(Buffer.from(kept).toString());
	return { key: createPrivateKey({ key: Buffer.from(key, "base64"), format: "der", type: "pkcs8" }), certificate };
}

async function make(): Promise<Kept> {
	await import("reflect-metadata");
	// Loaded here, because only this needs it.
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

export type CanonicalDocument = {
	readonly root: string;
	/** Declarations on the root, in canonical order, each preceded by a space; empty for none. */
	readonly declarations: string;
	/** The content of the root. */
	readonly content: string;
};

const SIGNATURE_NAMESPACE = ' xmlns="http://www.w3.org/2000/09/xmldsig#"';

/** The document with its signature as the root's last child, without an XML declaration. */
export function signCanonical(document: CanonicalDocument, { key, certificate }: CounterpartIdentity): string {
	const { root, declarations, content } = document;
	const wrap = (inner: string) => `<${root}${declarations}>${inner}</${root}>`;
	const digest = createHash("sha256").update(wrap(content)).digest("base64");
	const signedInfo = [
		'<CanonicalizationMethod Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"></CanonicalizationMethod>',
		'<SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"></SignatureMethod>',
		'<Reference URI=""><Transforms>',
		'<Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"></Transform></Transforms>',
		'<DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"></DigestMethod>',
		`<DigestValue>${digest}</DigestValue></Reference>`,
	].join("");
	// Its canonical form includes the inherited namespaces.
	const canonical = `<SignedInfo${SIGNATURE_NAMESPACE}${declarations}>${signedInfo}</SignedInfo>`;
	const value = signBytes("sha256", Buffer.from(canonical), key).toString("base64");
	return wrap(
		[
			`${content}<Signature${SIGNATURE_NAMESPACE}><SignedInfo>${signedInfo}</SignedInfo>`,
			`<SignatureValue>${value}</SignatureValue>`,
			`<KeyInfo><X509Data><X509Certificate>${certificate}</X509Certificate></X509Data></KeyInfo></Signature>`,
		].join(""),
	);
}

export function leaf(name: string, text: string | number): string {
	const escaped = String(text).replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;" })[c] ?? "&gt;");
	return `<${name}>${escaped}</${name}>`;
}
