/** Answers an examination's questions with Web Cryptography, which browsers have. */
import "reflect-metadata";
import { PublicKey, X509Certificate } from "@peculiar/x509";
import type { Examination, Question } from "./question";

const RSA_SHA256 = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

/** The examination's result. */
export async function answerInTurn<Result>(examination: Examination<Result>): Promise<Result> {
	let step = examination.next();
	while (!step.done) step = examination.next(await answer(step.value));
	return step.value;
}

async function answer(question: Question): Promise<boolean> {
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
		// A key that the engine will not have, or one of another kind than the signature: nothing has been proved.
		return false;
	}
}
