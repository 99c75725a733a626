/**
 * Checks an archive proof in the browser: that the invoice's digest is a leaf under the root that the checkpoint names. The signature on the checkpoint is
 * the verifier's part. Source: RFC 9162, 2.1.3.2.
 */
import type { DocumentProof } from "../../api/generated";

const INT64_BYTES = 8;
const LEAF = new Uint8Array([0x00]);
const NODE = new Uint8Array([0x01]);

export async function checkPath(proof: DocumentProof): Promise<boolean> {
	const { docId, sha256, decidedAt, log, leafIndex, leafHash, inclusion, logs, checkpoint } = proof;
	const leaf = await hash(LEAF, fromHex(docId.replaceAll("-", "")), fromHex(sha256), toInt64(Date.parse(decidedAt)));
	if (toHex(leaf) !== leafHash) return false;
	const ownRoot = await climb(leaf, leafIndex, inclusion.treeSize, inclusion.hashes);
	if (ownRoot === undefined || toHex(ownRoot) !== inclusion.root) return false;
	const state = await hash(LEAF, toInt64(log), toInt64(inclusion.treeSize), fromHex(inclusion.root));
	const root = await climb(state, log, 2 ** logs.hashes.length, logs.hashes);
	// Source: C2SP signed note and checkpoint: origin, size, root in base64.
	const [, , named = ""] = checkpoint.split("\n");
	return root !== undefined && toHex(root) === logs.root && btoa(String.fromCharCode(...root)) === named;
}

/** The root that a path leads to; undefined if it is no path of such a tree. */
async function climb(
	leaf: Uint8Array,
	leafIndex: number,
	size: number,
	path: readonly string[],
): Promise<Uint8Array | undefined> {
	let [index, last, reached] = [leafIndex, size - 1, leaf];
	if (index > last) return undefined;
	for (const sibling of path.map(fromHex)) {
		if (last === 0) return undefined;
		if (index % 2 === 1 || index === last) {
			reached = await hash(NODE, sibling, reached);
			// A last node without a sibling moves up unchanged.
			while (index % 2 === 0 && index > 0) [index, last] = [index / 2, Math.floor(last / 2)];
		} else reached = await hash(NODE, reached, sibling);
		[index, last] = [Math.floor(index / 2), Math.floor(last / 2)];
	}
	return last === 0 ? reached : undefined;
}

async function hash(...parts: readonly Uint8Array[]): Promise<Uint8Array> {
	const bytes = Uint8Array.from(parts.flatMap((part) => [...part]));
	return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

const fromHex = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

const toHex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

function toInt64(value: number): Uint8Array {
	const bytes = new Uint8Array(INT64_BYTES);
	new DataView(bytes.buffer).setBigInt64(0, BigInt(value));
	return bytes;
}
