import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { FreedKeyError, type RsaEngine } from "./engine";

/** The runtime's own engine: always there. A freed key's memory is wiped and given back when the collector comes by. */
export const bunEngine: RsaEngine = {
	name: "bun",
	importPair({ pkcs8Der, spkiDer }) {
		let keys: { own: KeyObject; certified: KeyObject } | undefined = {
			own: createPrivateKey({ key: view(pkcs8Der), format: "der", type: "pkcs8" }),
			certified: createPublicKey({ key: view(spkiDer), format: "der", type: "spki" }),
		};
		for (const { asymmetricKeyType } of Object.values(keys)) {
			if (asymmetricKeyType !== "rsa") throw new Error(`expected an RSA key, got ${asymmetricKeyType}`);
		}
		return {
			sign(data) {
				if (!keys) throw new FreedKeyError();
				return sign("sha256", data, keys.own);
			},
			verify(data, signature) {
				if (!keys) throw new FreedKeyError();
				return verify("sha256", data, keys.certified, signature);
			},
			free() {
				keys = undefined;
			},
		};
	},
};

/** The same bytes, not a copy: a copy would outlive the caller's wiping. */
function view(bytes: Uint8Array): Buffer {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
