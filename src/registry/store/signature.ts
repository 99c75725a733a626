/** The signature of a deployment's files in the store. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { deriveKey } from "../../platform/secrets";

type Signature = {
	/** An object's text: the payload and its signature. */
	readonly sign: (payload: string) => string;
	/** The payload of an object's text; undefined unless this deployment has signed it. */
	readonly open: (text: string) => string | undefined;
};

/** The key derives from the pepper, which only this deployment has. */
export function createSignature(pepper: Uint8Array): Signature {
	const key = deriveKey(pepper, "registry-store");
	const signatureOf = (payload: string) => createHmac("sha256", key).update(payload).digest();
	return {
		sign: (payload) => JSON.stringify({ payload, signature: signatureOf(payload).toString("hex") }),
		open: (text) => {
			try {
				const { payload, signature } = JSON.parse(text) as { readonly payload: string; readonly signature: string };
				const given = Buffer.from(signature, "hex");
				const wanted = signatureOf(payload);
				return given.length === wanted.length && timingSafeEqual(given, wanted) ? payload : undefined;
			} catch {
				return undefined;
			}
		},
	};
}
