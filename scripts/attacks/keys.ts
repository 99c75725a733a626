/** RSA keys that are the same on every machine: test material derived from words, for no other use. */
import { checkPrimeSync, createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";

export type RsaKey = { readonly privateKey: KeyObject; readonly publicKey: KeyObject };

const EXPONENT = 65_537n;

/** The key for a seed. The same seed and length give the same key. */
export function makeRsaKey(seed: string, bits = 2_048): RsaKey {
	const p = findPrime(`${seed} p`, bits / 2);
	const q = findPrime(`${seed} q`, bits / 2);
	const d = invert(EXPONENT, (p - 1n) * (q - 1n));
	const jwk = {
		kty: "RSA",
		n: encode(p * q),
		e: encode(EXPONENT),
		d: encode(d),
		p: encode(p),
		q: encode(q),
		dp: encode(d % (p - 1n)),
		dq: encode(d % (q - 1n)),
		qi: encode(invert(q, p)),
	};
	return {
		privateKey: createPrivateKey({ key: jwk, format: "jwk" }),
		publicKey: createPublicKey({ key: { kty: "RSA", n: jwk.n, e: jwk.e }, format: "jwk" }),
	};
}

/** The first prime from a number derived from the seed; its two highest bits are set, so that a product has full length. */
function findPrime(seed: string, bits: number): bigint {
	const blocks = Array.from({ length: Math.ceil(bits / 256) }, (_, index) =>
		createHash("sha256").update(`${seed} ${index}`).digest("hex"),
	);
	const drawn = BigInt(`0x${blocks.join("")}`) & ((1n << BigInt(bits)) - 1n);
	let candidate = drawn | (3n << BigInt(bits - 2)) | 1n;
	while ((candidate - 1n) % EXPONENT === 0n || !checkPrimeSync(candidate)) candidate += 2n;
	return candidate;
}

/** Extended Euclid. */
function invert(value: bigint, modulus: bigint): bigint {
	let [before, now] = [modulus, value % modulus];
	let [beforeFactor, factor] = [0n, 1n];
	while (now !== 0n) {
		const quotient = before / now;
		[before, now] = [now, before - quotient * now];
		[beforeFactor, factor] = [factor, beforeFactor - quotient * factor];
	}
	return ((beforeFactor % modulus) + modulus) % modulus;
}

function encode(value: bigint): string {
	const hex = value.toString(16);
	return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex").toString("base64url");
}
