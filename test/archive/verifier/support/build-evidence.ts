/** Makes whole evidence files by the published formats: real signatures, a log of some leaves among empty ones, a checkpoint, a receipt. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { unzipSync } from "fflate";
import { sealDocument, toZip } from "../../../../src/archive";
import {
	encodeLeaf,
	hashLeaf,
	hashNothing,
	LOG_COUNT,
	type LogState,
	NO_LINK,
	nextLink,
	pathOfLog,
	rootOfLogs,
} from "../../../../src/archive/merkle";
import type { EcfInput } from "../../../../src/ecf/mapping";
import { type SignedEcf, type SigningIdentity, signEcf } from "../../../../src/ecf/signing";
import { anotherIdentity, buildInvoice, toInput } from "../../../ecf/signing/samples";
import { consistencyProof, inclusionProof, rootOf } from "../../../support/merkle-proofs";

export type LogKey = { readonly name: string; readonly privateKey: KeyObject; readonly publicKey: Uint8Array };
export type Entries = Map<string, Uint8Array>;

export const ORIGIN = "sello/archive/sandbox/5f0c2b7d9e4a41c38b6d0f1e2a3b4c5d";
export const NOW = new Date("2026-11-21T12:00:00Z");
const TENANT = "0192f0a1-b2c3-7d4e-8f00-112233445566";
const CHECKPOINT_AT = "2026-11-21T00:10:00.000Z";
/** The log with the document. */
export const LOG = 7;
/** Of a tree that is not complete, so that the proofs have their odd ends. */
export const TREE_SIZE = 11;

export function makeLogKey(name = `${ORIGIN}/9b1d2e3f`): LogKey {
	const { privateKey, publicKey } = generateKeyPairSync("ed25519");
	return {
		name,
		privateKey,
		publicKey: new Uint8Array(publicKey.export({ format: "der", type: "spki" }).subarray(-32)),
	};
}

/** Source: c2sp.org/signed-note. */
export function toVerifierKey({ name, publicKey }: LogKey): string {
	const encoded = Buffer.concat([Buffer.of(1), publicKey]);
	return `${name}+${hashKey(name, encoded).toString("hex")}+${encoded.toString("base64")}`;
}

export function signNote(text: string, key: LogKey): string {
	const hash = hashKey(key.name, Buffer.concat([Buffer.of(1), key.publicKey]));
	const signature = sign(null, Buffer.from(text), key.privateKey);
	return `${text}\n\u2014 ${key.name} ${Buffer.concat([hash, signature]).toString("base64")}\n`;
}

export function signReceipt(payload: object, key: LogKey, header: object = { alg: "EdDSA", kid: key.name }): object {
	const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
	const [head, body] = [encode(header), encode(payload)];
	const signature = sign(null, Buffer.from(`${head}.${body}`), key.privateKey).toString("base64url");
	return { payload: body, protected: head, signature };
}

/** All logs, of which one has leaves. */
export function statesOf(size: number, root: string): LogState[] {
	const empty = { size: 0, root: hashNothing() };
	return Array.from({ length: LOG_COUNT }, (_, log) =>
		log === LOG ? { size, root: Buffer.from(root, "hex") } : empty,
	);
}

/** A checkpoint of a log with that root. */
export function writeCheckpoint(size: number, root: string, key: LogKey): string {
	const base64 = Buffer.from(rootOfLogs(statesOf(size, root))).toString("base64");
	return signNote(
		`${ORIGIN}\n${size}\n${base64}\nlogs ${LOG_COUNT}\nprevious ${"0".repeat(64)}\nat ${CHECKPOINT_AT}\n`,
		key,
	);
}

/** The consistency proof from the tree of the evidence to one that has grown to `size` leaves, as the service returns it. */
export function makeConsistency(document: Signed, size: number) {
	const [small, large] = [createTree(document, 7), createTree(document, 7, size)];
	const before = statesOf(TREE_SIZE, small.root);
	const logs = statesOf(size, large.root).map(({ size: to, root }, log) => ({
		...{ log, from: before[log]?.size, to, fromRoot: toHex(before[log]?.root ?? root), toRoot: toHex(root) },
		hashes: log === LOG ? consistencyProof(TREE_SIZE, large.hashes).map(toHex) : [],
	}));
	return { from: TREE_SIZE, to: size, logs };
}

/** A signed document and what lies in its file. */
export type Signed = {
	readonly n: number;
	readonly signed: SignedEcf;
	readonly sealed: Uint8Array;
	readonly docId: string;
	readonly encf: string;
	readonly type: string;
	readonly status: string;
};

export type SealOptions = {
	/** A fiscal-credit invoice by default. */
	readonly input?: EcfInput;
	readonly status?: "accepted" | "rejected" | "failed";
	/** What the authority's last answer says; absent when it gave none. */
	readonly codigo?: string | undefined;
	/** The e-NCF of another document, about which the authority has answered before. */
	readonly stray?: string;
	/** What the registry held about the parties; absent as in documents of earlier versions. */
	readonly registry?: Readonly<Record<string, unknown>>;
};

/** Signs an invoice and seals it; its summary too, where it has one. */
export async function signAndSeal(n: number, options: SealOptions = {}): Promise<Signed> {
	const { input = inputOf(n), status = "accepted" } = options;
	const codigo = "codigo" in options ? options.codigo : "1";
	const signed = signEcf(input, await identityOf(n), "xades-bes");
	const { encf, type } = input.invoice;
	const docId = `0192f110-0000-7000-8000-${String(n).padStart(12, "0")}`;
	const answer = {
		rnc: input.issuer.rnc,
		encf,
		codigo,
		estado: codigo === "2" ? "Rechazado" : "Aceptado",
		mensajes: [],
	};
	const received = {
		...answerAt(1),
		operation: "submit",
		mediaType: "application/json",
		body: '{"trackId":"d2b6e27c","error":null}',
	};
	const result = { ...answerAt(2), operation: "result", mediaType: "application/json", body: JSON.stringify(answer) };
	const stray =
		options.stray === undefined ? [] : [{ ...result, body: JSON.stringify({ ...answer, encf: options.stray }) }];
	const decisive = codigo === undefined ? [] : [result];
	const sealed = sealDocument({
		...{ docId, tenantId: TENANT, environment: "sandbox", encf, type, status },
		decidedAt: decidedAtOf(n),
		retainUntil: new Date("2036-11-20T14:20:00.902Z"),
		ecf: signed.ecf,
		...(signed.summary ? { summary: signed.summary } : {}),
		request: JSON.stringify(input.invoice),
		...(options.registry ? { registry: options.registry } : {}),
		answers: [received, ...stray, ...decisive],
		events: [{ version: 1, at: new Date("2026-11-20T14:20:00Z"), status: "pending", detail: null }],
	});
	return { n, signed, sealed, docId, encf, type, status };
}

/** Type 31, or 32 below the amount from which it has no summary. */
export function inputOf(n: number, type: "31" | "32" = "31"): EcfInput {
	return toInput({ ...buildInvoice({ type }), encf: `E${type}${String(n).padStart(10, "0")}` });
}

const identities = new Map<number, Promise<SigningIdentity>>();

/** Another one for each number: making an RSA key takes its time. */
function identityOf(n: number): Promise<SigningIdentity> {
	const made = identities.get(n) ?? anotherIdentity();
	identities.set(n, made);
	return made;
}

function answerAt(second: number) {
	return { at: new Date(Date.UTC(2026, 10, 20, 14, 20, second)), httpStatus: 200 };
}

function decidedAtOf(n: number): Date {
	return new Date(Date.UTC(2026, 10, 20, 14, 20, 3, n));
}

/** The tree in which a sealed object is the leaf of that index, its neighbours being documents of others. */
export function createTree(document: Signed, leafIndex: number, size = TREE_SIZE) {
	const leaves = Array.from({ length: size }, (_, n) => {
		if (n === leafIndex) return toLeaf(document, document.sealed);
		const docId = `0192f110-0000-7000-9000-${String(n).padStart(12, "0")}`;
		return { docId, sha256: digest(Buffer.from(docId)), decidedAt: decidedAtOf(n) };
	});
	const hashes = leaves.map((leaf) => hashLeaf(encodeLeaf(leaf)));
	return { hashes, root: toHex(rootOf(hashes)), proof: inclusionProof(leafIndex, hashes).map(toHex) };
}

export function toLeaf({ docId, n }: Signed, sealed: Uint8Array) {
	return { docId, sha256: digest(sealed), decidedAt: decidedAtOf(n) };
}

export type BundleParts = {
	readonly document: Signed;
	readonly key: LogKey;
	/** Index of the leaf in the tree; 7 by default. */
	readonly leafIndex?: number;
	/** Put in place of the sealed object everywhere, all digests and proofs made anew. */
	readonly sealed?: Uint8Array;
};

/** The entries of a good evidence file. */
export function makeEntries({ document, key, leafIndex = 7, sealed = document.sealed }: BundleParts): Entries {
	const whole = { ...document, sealed };
	const { root, proof, hashes } = createTree(whole, leafIndex);
	const leaf = toLeaf(document, sealed);
	const previous = digest(Buffer.from("the link before"));
	const chain = { index: 3, previous: toHex(previous), hash: toHex(nextLink(previous, leaf)) };
	const { docId, encf, type, status } = document;
	const decidedAt = leaf.decidedAt.toISOString();
	const sha256 = toHex(leaf.sha256);
	const inclusion = { treeSize: TREE_SIZE, root, hashes: proof };
	const states = statesOf(TREE_SIZE, root);
	const logs = { root: toHex(rootOfLogs(states)), hashes: pathOfLog(states, LOG).map(toHex) };
	const files = unzip(sealed);
	const certificate = /<X509Certificate>([^<]+)</.exec(Buffer.from(document.signed.ecf).toString())?.[1] ?? "";
	return new Map<string, Uint8Array>([
		["README.txt", Buffer.from("README")],
		["sealed.zip", sealed],
		...[...files].map(([name, bytes]): [string, Uint8Array] => [`document/${name}`, bytes]),
		["certificate.pem", Buffer.from(toPem(certificate))],
		[
			"proof.json",
			toJson({
				...{ format: "sello-proof/2", docId, tenantId: TENANT, sha256, decidedAt, log: LOG, leafIndex },
				...{ leafHash: toHex(hashes[leafIndex] ?? NO_LINK), chain, inclusion, logs },
				...{ checkpoint: writeCheckpoint(TREE_SIZE, root, key), key: toVerifierKey(key) },
			}),
		],
		[
			"receipt.json",
			toJson(
				signReceipt(
					{
						...{ format: "sello-receipt/2", docId, tenantId: TENANT, encf, type, status, sha256 },
						...{ bytes: sealed.length, decidedAt, archivedAt: decidedAt, retainUntil: "2036-11-20T14:20:00.902Z" },
						...{ log: LOG, leafIndex, chainHash: chain.hash, treeSize: TREE_SIZE, root, issuedAt: CHECKPOINT_AT },
					},
					key,
				),
			),
		],
	]);
}

export function pack(entries: Entries): Uint8Array {
	return toZip([...entries]);
}

export function toPem(base64: string): string {
	return `-----BEGIN CERTIFICATE-----\n${(base64.match(/.{1,64}/g) ?? []).join("\n")}\n-----END CERTIFICATE-----\n`;
}

export function toJson(value: unknown): Uint8Array {
	return Buffer.from(`${JSON.stringify(value, undefined, "\t")}\n`);
}

export function fromJson(bytes: Uint8Array | undefined) {
	return JSON.parse(Buffer.from(bytes ?? []).toString());
}

export function digest(bytes: Uint8Array): Uint8Array {
	return new Uint8Array(createHash("sha256").update(bytes).digest());
}

export function toHex(bytes: Uint8Array): string {
	return Buffer.from(bytes).toString("hex");
}

function hashKey(name: string, encoded: Uint8Array): Buffer {
	return createHash("sha256").update(`${name}\n`).update(encoded).digest().subarray(0, 4);
}

export function unzip(bytes: Uint8Array): Entries {
	return new Map(Object.entries(unzipSync(bytes)));
}
