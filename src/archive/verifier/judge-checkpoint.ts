/** Checks that the archive signed the document's tree, and what the key proves. */

import { fromHex } from "../../platform/values";
import { verifyConsistency } from "../merkle";
import { sha256Hex } from "./cryptography";
import { aCount, aDigest, aListOf, readMembers } from "./formats";
import type { Evidence } from "./open-evidence";
import { checkNoteSignature, isSameKey, readCheckpoint, readVerifierKey, type VerifierKey } from "./signed-note";
import { type NotJudged, Refusal, refuseIfAny, type Words } from "./words";

/** What the reader has from another source. */
export type CompareOptions = {
	/** The expected verifier key: `name+hash+base64`. */
	readonly key?: string | undefined;
	/** The text of another checkpoint of the same archive. */
	readonly checkpoint?: string | undefined;
	/** Consistency proof between the two trees: parsed `{ from, to, hashes }` with hex. */
	readonly consistency?: unknown;
};

/** The checkpoint is signed by its key and has the tree of the proof. Throws: Refusal. */
export async function judgeCheckpoint(evidence: Evidence): Promise<Words> {
	const [checkpoint, key, { inclusion }] = [evidence.checkpoint(), evidence.key(), evidence.proof()];
	await checkNoteSignature(checkpoint, key);
	const { size, root, at } = checkpoint;
	const faults: Words[] = [];
	if (size !== inclusion.treeSize) {
		faults.push({
			en: `the checkpoint has ${size} leaves, the proof ${inclusion.treeSize}`,
			es: `el punto de control es de ${size} hojas, la prueba de ${inclusion.treeSize}`,
		});
	}
	if (root !== inclusion.root) {
		faults.push({
			en: `the checkpoint's root is ${root}, the proof's ${inclusion.root}`,
			es: `la raíz del punto de control es ${root}, la de la prueba ${inclusion.root}`,
		});
	}
	refuseIfAny(faults);
	return {
		en: `${checkpoint.origin}, ${size} leaves, made ${at}, signed by ${key.name}`,
		es: `${checkpoint.origin}, ${size} hojas, hecho ${at}, firmado por ${key.name}`,
	};
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
	const hashes = small.size === large.size ? [] : readConsistency(options.consistency, small.size, large.size);
	const [root1, root2] = [fromHex(small.root), fromHex(large.root)];
	const proof = hashes.map((hash) => fromHex(hash) ?? new Uint8Array());
	if (root1 && root2 && verifyConsistency({ size1: small.size, size2: large.size, root1, root2, proof })) {
		return {
			en: `the tree of ${large.size} leaves begins with the one of ${small.size}`,
			es: `el árbol de ${large.size} hojas comienza con el de ${small.size}`,
		};
	}
	throw new Refusal({
		en: `the trees of ${sizes} leaves do not agree: one of them was rewritten, or the proof is of others`,
		es: `los árboles de ${sizes} hojas no concuerdan: uno fue reescrito, o la prueba es de otros`,
	});
}

function readConsistency(value: unknown, size1: number, size2: number): readonly string[] {
	const file = "consistency proof";
	const proof = readMembers(value, { from: aCount, to: aCount, hashes: aListOf(aDigest) }, file);
	if (proof.from === size1 && proof.to === size2) return proof.hashes;
	throw new Refusal({
		en: `the consistency proof is of ${proof.from} and ${proof.to} leaves, not of ${size1} and ${size2}`,
		es: `la prueba de consistencia es de ${proof.from} y ${proof.to} hojas, no de ${size1} y ${size2}`,
	});
}

function describeKey({ text, publicKey }: VerifierKey): Words {
	const fingerprint = sha256Hex(publicKey);
	return { en: `${text} (SHA-256 of the key ${fingerprint})`, es: `${text} (SHA-256 de la clave ${fingerprint})` };
}
