/**
 * SHA-256 without `node:crypto`: the browser's own is asynchronous, and the tree's arithmetic is not. The page's build replaces `node:crypto` with
 * this. Source: FIPS 180-4, 5.1.1, 5.3.3 and 6.2.2.
 */
import { joinBytes, toBase64, toHex } from "../../../platform/values";

type Hash = {
	readonly update: (part: Uint8Array | string) => Hash;
	readonly digest: (() => Uint8Array) & ((spelling: "hex" | "base64") => string);
};

/** `createHash` of `node:crypto`, for this algorithm only. */
export function createHash(algorithm: string): Hash {
	if (algorithm !== "sha256") throw new Error(`expected sha256, got ${algorithm}`);
	const parts: Uint8Array[] = [];
	const hash: Hash = {
		update: (part) => {
			parts.push(typeof part === "string" ? new TextEncoder().encode(part) : part);
			return hash;
		},
		digest: ((spelling?: "hex" | "base64") => {
			const bytes = digest(joinBytes(...parts));
			return spelling === undefined ? bytes : spelling === "hex" ? toHex(bytes) : toBase64(bytes);
		}) as Hash["digest"],
	};
	return hash;
}

const BLOCK_BYTES = 64;
const ROUNDS = 64;
const PRIMES = firstPrimes(ROUNDS);
/** The first 32 bits behind the point of the primes' cube roots, and of the first eight square roots. */
const CONSTANTS = Uint32Array.from(PRIMES, (prime) => fractionOf(prime, 3));
const START = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fractionOf(prime, 2));

function digest(message: Uint8Array): Uint8Array<ArrayBuffer> {
	const padded = new Uint8Array(Math.ceil((message.length + 9) / BLOCK_BYTES) * BLOCK_BYTES);
	padded.set(message);
	padded[message.length] = 0x80;
	const view = new DataView(padded.buffer);
	view.setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
	const state = Uint32Array.from(START);
	const words = new Uint32Array(ROUNDS);
	for (let at = 0; at < padded.length; at += BLOCK_BYTES) compress(state, words, view, at);
	const bytes = new Uint8Array(32);
	const out = new DataView(bytes.buffer);
	state.forEach((word, n) => {
		out.setUint32(n * 4, word);
	});
	return bytes;
}

/** Plain variables and no arrays on the way: this is where the time goes. */
function compress(state: Uint32Array, words: Uint32Array, view: DataView, at: number): void {
	for (let n = 0; n < 16; n++) words[n] = view.getUint32(at + n * 4);
	for (let n = 16; n < ROUNDS; n++) {
		const x = words[n - 15] ?? 0;
		const y = words[n - 2] ?? 0;
		const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
		const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
		words[n] = ((words[n - 16] ?? 0) + s0 + (words[n - 7] ?? 0) + s1) | 0;
	}
	let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
	for (let n = 0; n < ROUNDS; n++) {
		const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
		const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (CONSTANTS[n] ?? 0) + (words[n] ?? 0)) | 0;
		const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
		const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
		h = g;
		g = f;
		f = e;
		e = (d + t1) | 0;
		d = c;
		c = b;
		b = a;
		a = (t1 + t2) | 0;
	}
	state[0] = (state[0] ?? 0) + a;
	state[1] = (state[1] ?? 0) + b;
	state[2] = (state[2] ?? 0) + c;
	state[3] = (state[3] ?? 0) + d;
	state[4] = (state[4] ?? 0) + e;
	state[5] = (state[5] ?? 0) + f;
	state[6] = (state[6] ?? 0) + g;
	state[7] = (state[7] ?? 0) + h;
}

function rotate(word: number, bits: number): number {
	return (word >>> bits) | (word << (32 - bits));
}

function firstPrimes(count: number): number[] {
	const primes: number[] = [];
	for (let candidate = 2; primes.length < count; candidate++) {
		if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
	}
	return primes;
}

/** floor(prime^(1/degree) · 2^32) mod 2^32, in whole numbers: a float's last bits may differ from machine to machine. */
function fractionOf(prime: number, degree: 2 | 3): number {
	const target = BigInt(prime) << BigInt(32 * degree);
	let low = 0n;
	let high = 1n << 40n;
	while (high - low > 1n) {
		const middle = (low + high) / 2n;
		if (middle ** BigInt(degree) <= target) low = middle;
		else high = middle;
	}
	return Number(low & 0xffffffffn);
}
