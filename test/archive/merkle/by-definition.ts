/**
 * The judge: roots and proofs straight from the text of RFC 6962, 2.1, slow and without any thought of its own, over Node's own SHA-256.
 *
 *   MTH({}) = SHA-256()                       MTH({d(0)}) = SHA-256(0x00 || d(0))
 *   MTH(D[n]) = SHA-256(0x01 || MTH(D[0:k]) || MTH(D[k:n])), k the largest power of two smaller than n
 */
import { createHash } from "node:crypto";

export type Data = readonly Buffer[];

const digest = (...parts: readonly Uint8Array[]): Buffer => createHash("sha256").update(Buffer.concat(parts)).digest();

function largestPowerBelow(n: number): number {
	let k = 1;
	while (2 * k < n) k = 2 * k;
	return k;
}

export function mth(d: Data): Buffer {
	const n = d.length;
	if (n === 0) return digest();
	if (n === 1) return digest(Buffer.from([0]), d[0] ?? Buffer.alloc(0));
	const k = largestPowerBelow(n);
	return digest(Buffer.from([1]), mth(d.slice(0, k)), mth(d.slice(k, n)));
}

export function path(m: number, d: Data): Buffer[] {
	const n = d.length;
	if (n === 1) return [];
	const k = largestPowerBelow(n);
	return m < k ? [...path(m, d.slice(0, k)), mth(d.slice(k, n))] : [...path(m - k, d.slice(k, n)), mth(d.slice(0, k))];
}

export function proof(m: number, d: Data): Buffer[] {
	return subproof(m, d, true);
}

function subproof(m: number, d: Data, isComplete: boolean): Buffer[] {
	const n = d.length;
	if (m === n) return isComplete ? [] : [mth(d)];
	const k = largestPowerBelow(n);
	return m <= k
		? [...subproof(m, d.slice(0, k), isComplete), mth(d.slice(k, n))]
		: [...subproof(m - k, d.slice(k, n), false), mth(d.slice(0, k))];
}
