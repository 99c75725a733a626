import "reflect-metadata";
import { createPublicKey, X509Certificate as NodeCertificate, verify } from "node:crypto";
import { PublicKey, X509Certificate } from "@peculiar/x509";

/**
 * The public-key operations that a verification needs. The examination yields its questions and continues with the answers, so the same code runs on
 * a server, where crypto is synchronous, and in a browser, where it is not.
 */
export type Question =
	/** Did this key (SubjectPublicKeyInfo, DER) make the signature, by RSASSA-PKCS1-v1_5 with SHA-256? */
	| {
			readonly kind: "signed";
			readonly publicKey: Uint8Array;
			readonly signed: Uint8Array;
			readonly signature: Uint8Array;
	  }
	/** Did this key sign the certificate (DER), by the algorithm that the certificate names? */
	| { readonly kind: "issued"; readonly publicKey: Uint8Array; readonly certificate: Uint8Array };

/** Work that yields questions and returns a result. */
export type Examination<Result> = Generator<Question, Result, boolean>;

/** Runs an examination with Node's synchronous crypto. */
export function answerAtOnce<Result>(examination: Examination<Result>): Result {
	let step = examination.next();
	while (!step.done) step = examination.next(answerByNode(step.value));
	return step.value;
}

function answerByNode(question: Question): boolean {
	try {
		const key = createPublicKey({ key: Buffer.from(question.publicKey), format: "der", type: "spki" });
		if (question.kind === "issued") return new NodeCertificate(question.certificate).verify(key);
		return verify("sha256", question.signed, key, question.signature);
	} catch {
		// The engine refuses the key, or the key is of another kind than the signature: nothing is proved.
		return false;
	}
}

const RSA_SHA256 = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

export async function answerInTurn<Result>(examination: Examination<Result>): Promise<Result> {
	let step = examination.next();
	while (!step.done) step = examination.next(await answerOnWeb(step.value));
	return step.value;
}

async function answerOnWeb(question: Question): Promise<boolean> {
	const publicKey = new Uint8Array(question.publicKey);
	try {
		if (question.kind === "issued") {
			const certificate = new X509Certificate(new Uint8Array(question.certificate));
			return await certificate.verify({ publicKey: new PublicKey(publicKey), signatureOnly: true }, crypto);
		}
		const key = await crypto.subtle.importKey("spki", publicKey, RSA_SHA256, false, ["verify"]);
		const { signature, signed } = question;
		return await crypto.subtle.verify(RSA_SHA256, key, new Uint8Array(signature), new Uint8Array(signed));
	} catch {
		// The engine refuses the key, or the key is of another kind than the signature: nothing is proved.
		return false;
	}
}
