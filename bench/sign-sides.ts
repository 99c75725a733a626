/** The sides of `sign`: an engine's bare operation, our signature, the whole path from the invoice, and xadesjs. */
import { randomBytes } from "node:crypto";
import { DOMImplementation, DOMParser, XMLSerializer } from "@xmldom/xmldom";
import { Application, Parse, SignedXml, setNodeDependencies } from "xadesjs";
import { type EcfInput, planEcf, writeEcf } from "../src/ecf/mapping";
import {
	type IdentityBytes,
	type RsaEngine,
	signEcf,
	signXml,
	toSigningIdentity,
	verifyOwnSignature,
} from "../src/ecf/signing";
import { buildInvoice } from "./invoice";

const ISSUER = { rnc: "990000001", name: "FERRETERIA EL PROGRESO SRL" };
const SIGNED_AT = "2026-11-20T14:20:00.121Z";
/** About the size of a SignedInfo. */
const INPUT_BYTES = 900;
const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
/** Few, so that they stay in the cache: the service signs a document just after writing it. */
const DOCUMENTS = 20;
const OPTIONS = { profile: "xades-bes", signedAt: new Date(SIGNED_AT) } as const;

const inputs = Array.from({ length: DOCUMENTS }, (_, i) => toInput(i + 1));

/** The key operation alone. */
export function openRaw(engine: RsaEngine, made: IdentityBytes): () => Uint8Array {
	const { rsa } = toSigningIdentity(made, engine);
	const noise = randomBytes(INPUT_BYTES);
	return () => rsa.sign(noise);
}

export function openOurs(engine: RsaEngine, made: IdentityBytes) {
	const identity = toSigningIdentity(made, engine);
	const texts = inputs.map((input) => writeEcf(planEcf(input)));
	return {
		signature: signAgain(texts, (text) => {
			const signed = signXml(text, identity, OPTIONS);
			verifyOwnSignature(signed, identity);
			return signed;
		}),
		whole: signAgain(inputs, (input) => signEcf(input, identity, OPTIONS.profile).ecf),
	};
}

function toInput(number: number): EcfInput {
	return {
		invoice: buildInvoice(ISSUER, `E31${String(number).padStart(10, "0")}`),
		issuer: ISSUER,
		sequenceExpiresOn: "2028-12-31",
		signedAt: SIGNED_AT,
	};
}

/** Signs the given documents repeatedly; keeps the first signature of each, and `prove` compares every later one with it. */
function signAgain<Given>(given: readonly Given[], signOne: (one: Given) => Uint8Array) {
	const firsts = given.map((one) => Buffer.from(signOne(one)));
	let count = 0;
	let unproven: Uint8Array[] = [];
	return {
		next: (): void => {
			const one = given[count++ % given.length];
			if (one !== undefined) unproven.push(signOne(one));
		},
		all: firsts as readonly Uint8Array[],
		prove(): void {
			const from = count - unproven.length;
			const different = unproven.filter((one, i) => !firsts[(from + i) % given.length]?.equals(one));
			if (different.length > 0) throw new Error(`${different.length} signatures are not the ones that are verified`);
			unproven = [];
		},
	};
}

/** The same documents through xadesjs. */
export async function openXadesjs({ certificateDer, pkcs8Der }: IdentityBytes) {
	setNodeDependencies({ DOMImplementation, DOMParser, XMLSerializer });
	Application.setEngine("WebCrypto", crypto);
	const key = await crypto.subtle.importKey("pkcs8", new Uint8Array(pkcs8Der), RSA, false, ["sign"]);
	const certificate = Buffer.from(certificateDer).toString("base64");
	const texts = inputs.map((input) => writeEcf(planEcf(input)));
	let count = 0;
	let last = "";
	return {
		next: async (): Promise<void> => {
			const document = Parse(texts[count++ % texts.length] ?? "");
			const signed = new SignedXml();
			await signed.Sign(RSA, key, document, {
				x509: [certificate],
				signingCertificate: certificate,
				references: [{ hash: "SHA-256", uri: "", transforms: ["enveloped", "c14n"] }],
			});
			last = signed.toString();
		},
		last(): Uint8Array {
			if (!last.includes("SigningCertificate")) throw new Error("xadesjs made no XAdES-BES signature");
			return new TextEncoder().encode(last);
		},
	};
}
