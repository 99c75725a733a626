/** Rewritten histories, each consistent in itself: only signed statements contradict them. */
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { strFromU8, strToU8 } from "fflate";
import { openSealed, toZip } from "../../../src/archive";

/** The rows of archive objects as stored, in leaf order. */
export type Past = readonly Row[];

export type Row = {
	readonly object_key: string;
	readonly doc_id: string;
	readonly tenant_id: string;
	readonly shard: number;
	/** As the database writes bytes: `\\x` and hex. */
	readonly sha256: string;
	readonly bytes: number;
	readonly decided_at: string;
	readonly retain_until: string;
	readonly version_id?: string | null;
	readonly encf?: string | null;
	readonly type?: string | null;
	readonly status?: string | null;
};

export type Forger = {
	readonly read: (key: string) => Uint8Array;
	readonly write: (key: string, bytes: Uint8Array) => void;
};

/** Rewrites the history at a leaf of its first half. */
type Forge = (past: Past, leaf: number, forger: Forger) => Past;

export const FORGERIES: readonly (readonly [name: string, forge: Forge])[] = [
	["another request of the document", (past, leaf, forger) => replace(past, leaf, forger, {})],
	[
		"a document decided at another time",
		(past, leaf, forger) => {
			const was = new Date(past[leaf]?.decided_at ?? 0);
			return replace(past, leaf, forger, { decidedAt: new Date(was.getTime() - 60_000).toISOString() });
		},
	],
	["another document", (past, leaf, forger) => replace(past, leaf, forger, { docId: crypto.randomUUID() })],
	["a document that never was", (past, leaf) => past.toSpliced(leaf, 1)],
	[
		"two documents in each other's places",
		(past, leaf) => past.map((one, i) => past[i === leaf ? leaf + 1 : i === leaf + 1 ? leaf : i] ?? one),
	],
	["the newest documents gone", (past) => past.slice(0, -3)],
	[
		"a document slipped in",
		(past, leaf, forger) => {
			const more = replace(past, leaf, forger, { docId: crypto.randomUUID() })[leaf];
			return more ? past.toSpliced(leaf, 0, more) : past;
		},
	],
];

/** The history with another sealed object at a leaf, intact and under its own name. */
function replace(
	past: Past,
	leaf: number,
	{ read, write }: Forger,
	over: { readonly docId?: string; readonly decidedAt?: string },
): Past {
	const was = past[leaf];
	if (!was) throw new Error(`there is no leaf ${leaf}`);
	const { "manifest.json": head, ...entries } = openSealed(read(was.object_key));
	const changed: Record<string, Uint8Array> = { ...entries, "request.json": strToU8('{"type":"31","totals":{}}') };
	const sha256 = Object.fromEntries(Object.entries(changed).map(([name, bytes]) => [name, hash(bytes)]));
	const manifest = { ...(JSON.parse(strFromU8(head ?? new Uint8Array())) as object), ...over, sha256 };
	const sealed = toZip([["manifest.json", strToU8(JSON.stringify(manifest))], ...Object.entries(changed)]);
	const digest = hash(sealed);
	const docId = over.docId ?? was.doc_id;
	const objectKey = `${dirname(was.object_key)}/${docId}-${digest.slice(0, 16)}.zip`;
	write(objectKey, sealed);
	const changes = { doc_id: docId, object_key: objectKey, sha256: `\\x${digest}`, bytes: sealed.length };
	return past.with(leaf, { ...was, ...changes, decided_at: over.decidedAt ?? was.decided_at });
}

function hash(bytes: Uint8Array): string {
	return createHash("sha256").update(bytes).digest("hex");
}
