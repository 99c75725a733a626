/** Checks that the archive signed the document's tree, and what the key proves. */

import { fromHex, toHex } from "../../platform/values";
import { LOG_COUNT, rootOfLogs, verifyConsistency } from "../merkle";
import { sha256Hex } from "./cryptography";
import { aCount, aDigest, aListOf, members, type Reader, readMembers } from "./formats";
import type { Evidence } from "./open-evidence";
import {
	type Checkpoint,
	checkNoteSignature,
	isSameKey,
	readCheckpoint,
	readVerifierKey,
	type VerifierKey,
} from "./signed-note";
import { type NotJudged, Refusal, refuseIfAny, type Words } from "./words";

/** What the reader has from another source. */
export type CompareOptions = {
	/** The expected verifier key: `name+hash+base64`. */
	readonly key?: string | undefined;
	/** The text of another checkpoint of the same archive. */
	readonly checkpoint?: string | undefined;
	/** Consistency proof between the two: parsed `{ from, to, logs }`, or `{ from, to, hashes }` of an archive of one tree; hex. */
	readonly consistency?: unknown;
};

/** The checkpoint is signed by its key and has the root of the proof. Throws: Refusal. */
export async function judgeCheckpoint(evidence: Evidence): Promise<Words> {
	const [checkpoint, key, { inclusion, log }] = [evidence.checkpoint(), evidence.key(), evidence.proof()];
	await checkNoteSignature(checkpoint, key);
	const { size, root, at, hasLogs } = checkpoint;
	const proven = log?.root ?? inclusion.root;
	const faults: Words[] = [];
	if (hasLogs !== (log !== undefined)) {
		faults.push({
			en: `the checkpoint is of ${describeTrees(hasLogs).en}, the proof of ${describeTrees(!hasLogs).en}`,
			es: `el punto de control es de ${describeTrees(hasLogs).es}, la prueba de ${describeTrees(!hasLogs).es}`,
		});
	}
	if (log ? size < inclusion.treeSize : size !== inclusion.treeSize) {
		faults.push({
			en: `the checkpoint has ${size} leaves, the proof ${inclusion.treeSize}`,
			es: `el punto de control es de ${size} hojas, la prueba de ${inclusion.treeSize}`,
		});
	}
	if (root !== proven) {
		faults.push({
			en: `the checkpoint's root is ${root}, the proof's ${proven}`,
			es: `la raíz del punto de control es ${root}, la de la prueba ${proven}`,
		});
	}
	refuseIfAny(faults);
	return {
		en: `${checkpoint.origin}, ${size} leaves, made ${at}, signed by ${key.name}`,
		es: `${checkpoint.origin}, ${size} hojas, hecho ${at}, firmado por ${key.name}`,
	};
}

function describeTrees(hasLogs: boolean): Words {
	return hasLogs ? { en: `${LOG_COUNT} logs`, es: `${LOG_COUNT} registros` } : { en: "one tree", es: "un solo árbol" };
}

/** The key is the one that the reader expects. Without an expected key it is only shown. Throws: Refusal. */
export function judgeKey(evidence: Evidence, { key: expected }: CompareOptions): Words | NotJudged {
	const key = evidence.key();
	const shown = describeKey(key);
	if (expected === undefined) {
		return {
			notJudged: {
				en: `${shown.en}. It came with the file and proves nothing by itself: compare it with the key that the service publishes, or with one that you kept`,
				es: `${shown.es}. Vino con el archivo y por sí sola no prueba nada: compárela con la que publica el servicio, o con la que usted guardó antes`,
			},
		};
	}
	const own = readVerifierKey(expected);
	if (isSameKey(own, key))
		return { en: `the key that you gave: ${shown.en}`, es: `la clave que usted dio: ${shown.es}` };
	const other = describeKey(own);
	throw new Refusal({
		en: `the file's key is ${shown.en}, you gave ${other.en}`,
		es: `la clave del archivo es ${shown.es}, usted dio ${other.es}`,
	});
}

/** The archive agrees with another checkpoint. Throws: Refusal. */
export async function judgeConsistency(evidence: Evidence, options: CompareOptions): Promise<Words | NotJudged> {
	if (options.checkpoint === undefined) {
		return {
			notJudged: {
				en: "no other checkpoint was given to compare with",
				es: "no se dio otro punto de control con que comparar",
			},
		};
	}
	const [own, other] = [evidence.checkpoint(), readCheckpoint(options.checkpoint)];
	if (other.origin !== own.origin) {
		throw new Refusal({
			en: `the given checkpoint is of another archive, ${other.origin}`,
			es: `el punto de control dado es de otro archivo, ${other.origin}`,
		});
	}
	const key = evidence.key();
	const isOwn = other.signatures.some(({ name, hash }) => name === key.name && hash === key.hash);
	const successor = other.signatures.find(({ name }) => name.startsWith(`${own.origin}/`));
	// Evidence forged under another key meets a genuine checkpoint here and is refused too.
	if (!isOwn && successor) {
		throw new Refusal({
			en: `another key, ${successor.name}, signed the given checkpoint. If the archive has changed its key, get the evidence again or compare with a checkpoint signed by ${key.name}`,
			es: `otra clave, ${successor.name}, firmó el punto de control dado. Si el archivo cambió su clave desde entonces, obtenga la evidencia de nuevo o compare con uno firmado por ${key.name}`,
		});
	}
	await checkNoteSignature(other, key);
	if (own.hasLogs !== other.hasLogs) {
		return {
			notJudged: {
				en: "one checkpoint is of one tree and the other of 64 logs: they cannot be compared",
				es: "un punto de control es de un solo árbol y el otro de 64 registros: no se pueden comparar",
			},
		};
	}
	const [small, large] = own.size <= other.size ? [own, other] : [other, own];
	const sizes = `${small.size}, ${large.size}`;
	if (small.size !== large.size && options.consistency === undefined) {
		return {
			notJudged: {
				en: `trees of ${sizes} leaves: comparing them needs a consistency proof`,
				es: `árboles de ${sizes} hojas: para compararlos hace falta una prueba de consistencia entre ellos`,
			},
		};
	}
	const holds = own.hasLogs
		? areLogsConsistent(small, large, options.consistency)
		: isTreeConsistent(small, large, options.consistency);
	if (holds) {
		return {
			en: `the archive of ${large.size} leaves begins with the one of ${small.size}`,
			es: `el archivo de ${large.size} hojas comienza con el de ${small.size}`,
		};
	}
	throw new Refusal({
		en: `the trees of ${sizes} leaves do not agree: one of them was rewritten, or the proof is of others`,
		es: `los árboles de ${sizes} hojas no concuerdan: uno fue reescrito, o la prueba es de otros`,
	});
}

/** For an archive of one tree. */
function isTreeConsistent(small: Checkpoint, large: Checkpoint, given: unknown): boolean {
	if (small.size === large.size) return small.root === large.root;
	const { hashes } = readConsistency(given, { hashes: aListOf(aDigest) }, small, large);
	return isGrown({ from: small.size, to: large.size, fromRoot: small.root, toRoot: large.root, hashes });
}

/** Every log begins with what it was, and the roots over all of them are those of the checkpoints. */
function areLogsConsistent(small: Checkpoint, large: Checkpoint, given: unknown): boolean {
	if (small.size === large.size) return small.root === large.root;
	const { logs } = readConsistency(given, { logs: aListOf(members(GROWTH)) }, small, large);
	const stateOf = (size: number, root: string) => ({ size, root: fromHex(root) ?? new Uint8Array() });
	return (
		logs.length === LOG_COUNT &&
		logs.every(isGrown) &&
		toHex(rootOfLogs(logs.map(({ from, fromRoot }) => stateOf(from, fromRoot)))) === small.root &&
		toHex(rootOfLogs(logs.map(({ to, toRoot }) => stateOf(to, toRoot)))) === large.root
	);
}

const GROWTH = { from: aCount, to: aCount, fromRoot: aDigest, toRoot: aDigest, hashes: aListOf(aDigest) };
type Growth = {
	readonly from: number;
	readonly to: number;
	readonly fromRoot: string;
	readonly toRoot: string;
	readonly hashes: readonly string[];
};

function isGrown({ from: size1, to: size2, fromRoot, toRoot, hashes }: Growth): boolean {
	const [root1, root2] = [fromHex(fromRoot), fromHex(toRoot)];
	const proof = hashes.map((hash) => fromHex(hash) ?? new Uint8Array());
	return root1 !== undefined && root2 !== undefined && verifyConsistency({ size1, size2, root1, root2, proof });
}

function readConsistency<Shape extends Record<string, Reader<unknown>>>(
	value: unknown,
	shape: Shape,
	{ size: size1 }: Checkpoint,
	{ size: size2 }: Checkpoint,
) {
	const file = "consistency proof";
	const { from, to } = readMembers(value, { from: aCount, to: aCount }, file);
	if (from === size1 && to === size2) return readMembers(value, shape, file);
	throw new Refusal({
		en: `the consistency proof is of ${from} and ${to} leaves, not of ${size1} and ${size2}`,
		es: `la prueba de consistencia es de ${from} y ${to} hojas, no de ${size1} y ${size2}`,
	});
}

function describeKey({ text, publicKey }: VerifierKey): Words {
	const fingerprint = sha256Hex(publicKey);
	return { en: `${text} (SHA-256 of the key ${fingerprint})`, es: `${text} (SHA-256 de la clave ${fingerprint})` };
}
