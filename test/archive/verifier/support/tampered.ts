/** Evidence files with something wrong in each, and the checks that must say so. */
import { createHash } from "node:crypto";
import { toZip } from "../../../../src/archive";
import { encodeLeaf, hashLeaf } from "../../../../src/archive/merkle";
import type { CheckName } from "../../../../src/archive/verifier";
import {
	createTree,
	type Entries,
	fromJson,
	type LogKey,
	makeEntries,
	makeLogKey,
	pack,
	type Signed,
	signReceipt,
	TREE_SIZE,
	toHex,
	toJson,
	toLeaf,
	toPem,
	toVerifierKey,
	unzip,
	writeCheckpoint,
} from "./build-evidence";

export type Tampering = {
	readonly name: string;
	readonly bytes: Uint8Array;
	/** Exactly the checks that fail. */
	readonly fails: readonly CheckName[];
	/** Part of the message of the first of them. */
	readonly says: string;
};

const ALL_OF_OBJECT: readonly CheckName[] = ["sealed-object", "leaf", "chain", "inclusion"];

/** `other` is another document of the same archive, both with the same key. */
export function tamper(document: Signed, other: Signed, key: LogKey): Tampering[] {
	const good = () => makeEntries({ document, key });
	const changed = (name: string, change: (entries: Entries) => void, fails: readonly CheckName[], says: string) => {
		const entries = good();
		change(entries);
		return { name, bytes: pack(entries), fails, says };
	};
	const editJson = (entries: Entries, name: string, edit: (value: Record<string, unknown>) => unknown) => {
		const value = fromJson(entries.get(name));
		entries.set(name, toJson(edit(value) ?? value));
	};
	const payloadOf = (entries: Entries) =>
		fromJson(Buffer.from(fromJson(entries.get("receipt.json")).payload, "base64url"));
	const resealed = (change: (parts: Entries) => void, isManifestKept = false) => {
		const parts = unzip(document.sealed);
		change(parts);
		if (!isManifestKept) hashAnew(parts);
		return toZip([...parts]);
	};
	const setSealed = (entries: Entries, sealed: Uint8Array) => {
		entries.set("sealed.zip", sealed);
		for (const name of [...entries.keys()]) if (name.startsWith("document/")) entries.delete(name);
		for (const [name, bytes] of unzip(sealed)) entries.set(`document/${name}`, bytes);
	};
	const flip = (bytes: Uint8Array | undefined, text: string) => {
		const copy = Buffer.from(bytes ?? []);
		const at = copy.indexOf(text);
		if (at < 0) throw new Error(`expected ${text} to flip a bit in`);
		copy[at] = (copy[at] ?? 0) ^ 1;
		return copy;
	};
	const swapAnswers = (parts: Entries) => {
		const names = ["answers/001-submit.json", "answers/002-result.json"] as const;
		const [one, two] = names.map((name) => parts.get(name));
		if (one && two)
			for (const [name, bytes] of [
				[names[0], two],
				[names[1], one],
			] as const)
				parts.set(name, bytes);
	};
	const forged = makeLogKey(key.name);
	return [
		changed(
			"a bit of document/ecf.xml",
			(entries) => entries.set("document/ecf.xml", flip(entries.get("document/ecf.xml"), "EL PROGRESO")),
			["unpacked"],
			"document/ecf.xml is not the one in sealed.zip",
		),
		changed(
			"a bit of sealed.zip",
			(entries) => {
				const sealed = Buffer.from(document.sealed);
				// Within the packed bytes of the largest entry.
				const at = sealed.indexOf("ecf.xml") + 300;
				sealed[at] = (sealed[at] ?? 0) ^ 1;
				entries.set("sealed.zip", sealed);
			},
			[
				"entries",
				"sealed-object",
				"manifest",
				"unpacked",
				"signature",
				"summary-signature",
				"certificate",
				"issuer",
			].concat(["document", "answers", "registry", "leaf", "chain", "inclusion", "agreement"]) as CheckName[],
			"is damaged",
		),
		changed(
			"another total in the sealed e-CF, the manifest's digests made anew",
			(entries) =>
				setSealed(
					entries,
					resealed((parts) => {
						const text = Buffer.from(parts.get("ecf.xml") ?? []).toString();
						parts.set("ecf.xml", Buffer.from(text.replace(/<MontoTotal>[^<]+</, "<MontoTotal>9118.00<")));
					}),
				),
			["sealed-object", "signature", "document", "leaf", "chain", "inclusion"],
			"the SHA-256 of sealed.zip is",
		),
		changed(
			"swapped answers",
			(entries) => setSealed(entries, resealed(swapAnswers, true)),
			["sealed-object", "manifest", "leaf", "chain", "inclusion"],
			"the SHA-256 of sealed.zip is",
		),
		changed(
			"swapped answers, the manifest's digests made anew",
			(entries) => setSealed(entries, resealed(swapAnswers)),
			ALL_OF_OBJECT,
			"the SHA-256 of sealed.zip is",
		),
		changed(
			"another status in the manifest, all digests and the proof made anew",
			(entries) => {
				const sealed = resealed((parts) =>
					editJson(parts, "manifest.json", (manifest) => ({ ...manifest, status: "rejected" })),
				);
				const made = makeEntries({ document, key, sealed });
				for (const [name, bytes] of made) entries.set(name, bytes);
				editJson(entries, "receipt.json", () => fromJson(good().get("receipt.json")));
			},
			["sealed-object", "answers", "agreement"],
			"receipt.json says",
		),
		changed(
			"the answers of another document, everything made anew and signed by the archive's own key",
			(entries) => {
				const foreign = unzip(other.sealed).get("answers/002-result.json") ?? new Uint8Array();
				const sealed = resealed((parts) => parts.set("answers/002-result.json", foreign));
				for (const [name, bytes] of makeEntries({ document, key, sealed })) entries.set(name, bytes);
			},
			["answers"],
			`answers/002-result.json is about ${other.encf}`,
		),
		changed(
			"the request of another document, everything made anew and signed by the archive's own key",
			(entries) => {
				const foreign = unzip(other.sealed).get("request.json") ?? new Uint8Array();
				const sealed = resealed((parts) => parts.set("request.json", foreign));
				for (const [name, bytes] of makeEntries({ document, key, sealed })) entries.set(name, bytes);
			},
			["document"],
			"the e-NCF differs",
		),
		changed(
			"another certificate.pem",
			(entries) => {
				const certificate = /<X509Certificate>([^<]+)</.exec(Buffer.from(other.signed.ecf).toString())?.[1] ?? "";
				entries.set("certificate.pem", Buffer.from(toPem(certificate)));
			},
			["certificate"],
			"is not the certificate in ecf.xml",
		),
		changed(
			"the proof of another leaf",
			(entries) =>
				editJson(entries, "proof.json", () =>
					fromJson(makeEntries({ document: other, key, leafIndex: 4 }).get("proof.json")),
				),
			["sealed-object", "leaf", "chain", "inclusion", "agreement"],
			"proof.json says",
		),
		changed(
			"a neighbour's inclusion hashes",
			(entries) =>
				editJson(entries, "proof.json", (proof) => ({
					...proof,
					inclusion: { ...(proof.inclusion as object), hashes: createTree(document, 7).hashes.slice(0, 4).map(toHex) },
				})),
			["inclusion"],
			"the proof does not lead from this document",
		),
		changed(
			"the number of another log",
			(entries) => editJson(entries, "proof.json", (proof) => ({ ...proof, log: 8 })),
			["inclusion", "agreement"],
			"the proof does not lead from log 8",
		),
		changed(
			"the proof of a single tree under the root of logs",
			(entries) => editJson(entries, "proof.json", (proof) => ({ ...proof, format: "sello-proof/1" })),
			["checkpoint", "agreement"],
			"the checkpoint is of 64 logs, the proof of one tree",
		),
		changed(
			"a wrong tree size",
			(entries) =>
				editJson(entries, "proof.json", (proof) => ({
					...proof,
					inclusion: { ...(proof.inclusion as object), treeSize: TREE_SIZE + 60 },
				})),
			["inclusion", "checkpoint", "agreement"],
			"the proof does not lead from this document",
		),
		changed(
			"a checkpoint of the same text signed with a key of one's own",
			(entries) =>
				editJson(entries, "proof.json", (proof) => ({
					...proof,
					checkpoint: writeCheckpoint(TREE_SIZE, createTree(document, 7).root, forged),
				})),
			["checkpoint"],
			"has not signed the checkpoint",
		),
		changed(
			"checkpoint, key and receipt of one's own, under the archive's name, with the archive's key given",
			(entries) => {
				for (const [name, bytes] of makeEntries({ document, key: forged })) entries.set(name, bytes);
			},
			["key"],
			"you gave",
		),
		changed(
			"a changed root in the checkpoint",
			(entries) =>
				editJson(entries, "proof.json", (proof) => {
					const leaf = toHex(hashLeaf(encodeLeaf(toLeaf(other, other.sealed))));
					const base64 = Buffer.from(leaf, "hex").toString("base64");
					return { ...proof, checkpoint: String(proof.checkpoint).replace(/\n[A-Za-z0-9+/]{43}=\n/, `\n${base64}\n`) };
				}),
			["checkpoint"],
			"the checkpoint's signature does not match",
		),
		changed(
			"the receipt of another document",
			(entries) =>
				entries.set("receipt.json", makeEntries({ document: other, key }).get("receipt.json") ?? new Uint8Array()),
			["sealed-object", "agreement"],
			"receipt.json says",
		),
		changed(
			"a receipt with the algorithm none",
			(entries) => {
				const header = Buffer.from(JSON.stringify({ alg: "none", kid: key.name })).toString("base64url");
				editJson(entries, "receipt.json", (receipt) => ({ ...receipt, protected: header, signature: "" }));
			},
			["receipt"],
			"the receipt's algorithm is none",
		),
		changed(
			"a receipt that keeps the document for longer, not signed anew",
			(entries) => {
				const payload = { ...payloadOf(entries), retainUntil: "2046-11-20T14:20:00.902Z" };
				const encoded = Buffer.from(JSON.stringify(payload)).toString("base64url");
				editJson(entries, "receipt.json", (receipt) => ({ ...receipt, payload: encoded }));
			},
			["receipt"],
			"the receipt's signature does not match",
		),
		changed(
			"a receipt signed by another key",
			(entries) => entries.set("receipt.json", toJson(signReceipt(payloadOf(entries), makeLogKey("sello/other/key")))),
			["receipt"],
			"the receipt names the key sello/other/key",
		),
		changed(
			"another link of the chain",
			(entries) =>
				editJson(entries, "proof.json", (proof) => ({
					...proof,
					chain: { ...(proof.chain as object), previous: toHex(new Uint8Array(32).fill(7)) },
				})),
			["chain"],
			"the next link is",
		),
		changed(
			"a removed entry",
			(entries) => entries.delete("document/events.json"),
			["entries"],
			"document/events.json is missing",
		),
		changed(
			"an added entry",
			(entries) => entries.set("document/note.txt", Buffer.from("hello")),
			["entries", "unpacked"],
			"document/note.txt does not belong there",
		),
		changed(
			"a verifier key whose hash is not its own",
			(entries) =>
				editJson(entries, "proof.json", (proof) => ({
					...proof,
					key: toVerifierKey(key).replace(/\+[0-9a-f]{8}\+/, "+00000000+"),
				})),
			["checkpoint", "key", "receipt"],
			"not a verifier key",
		),
	];
}

function hashAnew(parts: Entries): void {
	const manifest = fromJson(parts.get("manifest.json"));
	const names = [...parts.keys()].filter((name) => name !== "manifest.json");
	const sha256 = (name: string) =>
		createHash("sha256")
			.update(parts.get(name) ?? "")
			.digest("hex");
	manifest.sha256 = Object.fromEntries(names.map((name) => [name, sha256(name)]));
	parts.set("manifest.json", toJson(manifest));
}
