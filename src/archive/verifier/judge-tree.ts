/** Checks the document's positions in the proof: as a leaf, as a link of its tenant's chain, and in the tree. */

import { fromHex, toHex } from "../../platform/values";
import { encodeLeaf, encodeLog, hashLeaf, LOG_COUNT, NO_LINK, nextLink, verifyInclusion } from "../merkle";
import { sha256Hex } from "./cryptography";
import { type Evidence, SEALED } from "./open-evidence";
import { Refusal, type Words } from "./words";

/** The leaf is the hash of this document's id, the sealed object in this file, and the time of its decision. Throws: Refusal. */
export function judgeLeaf(evidence: Evidence): Words {
	const { leafHash } = evidence.proof();
	const made = toHex(hashLeaf(encodeLeaf(leafOf(evidence))));
	if (made === leafHash) return { en: `leaf hash ${made}`, es: `hash de la hoja ${made}` };
	throw new Refusal({
		en: `the leaf of this document hashes to ${made}, the proof says ${leafHash}`,
		es: `la hoja de este documento tiene el hash ${made}, la prueba dice ${leafHash}`,
	});
}

/** The link follows from the previous one and this document. Throws: Refusal. */
export function judgeChain(evidence: Evidence): Words {
	const { chain, leafIndex } = evidence.proof();
	const made = toHex(nextLink(toBytes(chain.previous), leafOf(evidence)));
	if (made !== chain.hash) {
		throw new Refusal({
			en: `the next link is ${made}, the proof says ${chain.hash}`,
			es: `el eslabón que sigue es ${made}, la prueba dice ${chain.hash}`,
		});
	}
	// A tenant has at most as many documents as there are leaves, and the first link has no predecessor.
	if ((chain.index === 0) !== (chain.previous === toHex(NO_LINK)) || chain.index > leafIndex) {
		throw new Refusal({
			en: `link ${chain.index} after ${chain.previous} cannot be at leaf ${leafIndex}`,
			es: `un eslabón de número ${chain.index} tras ${chain.previous} no puede estar en la hoja ${leafIndex}`,
		});
	}
	return {
		en: `link ${chain.index} of the company's chain, ${chain.hash}`,
		es: `eslabón ${chain.index} de la cadena de la empresa, ${chain.hash}`,
	};
}

/** The proof leads from this document's leaf to the root, and from its log to the root over all logs. Throws: Refusal. */
export function judgeInclusion(evidence: Evidence): Words {
	const { leafIndex, inclusion, log } = evidence.proof();
	const { treeSize, root, hashes } = inclusion;
	const isIncluded = verifyInclusion({
		...{ leafHash: hashLeaf(encodeLeaf(leafOf(evidence))), leafIndex, treeSize },
		...{ proof: hashes.map(toBytes), root: toBytes(root) },
	});
	if (!isIncluded) {
		throw new Refusal({
			en: `the proof does not lead from this document, as leaf ${leafIndex} of ${treeSize}, to the root ${root}`,
			es: `la prueba no lleva de este documento, como hoja ${leafIndex} de ${treeSize}, a la raíz ${root}`,
		});
	}
	if (!log) {
		return {
			en: `leaf ${leafIndex} of the tree of ${treeSize} leaves with root ${root}`,
			es: `hoja ${leafIndex} del árbol de ${treeSize} hojas con raíz ${root}`,
		};
	}
	const isOfLogs = verifyInclusion({
		leafHash: hashLeaf(encodeLog(log.number, { size: treeSize, root: toBytes(root) })),
		...{ leafIndex: log.number, treeSize: LOG_COUNT },
		...{ proof: log.hashes.map(toBytes), root: toBytes(log.root) },
	});
	if (!isOfLogs) {
		throw new Refusal({
			en: `the proof does not lead from log ${log.number}, with root ${root} of ${treeSize} leaves, to the root of all logs ${log.root}`,
			es: `la prueba no lleva del registro ${log.number}, con raíz ${root} de ${treeSize} hojas, a la raíz de todos los registros ${log.root}`,
		});
	}
	return {
		en: `leaf ${leafIndex} of ${treeSize} in log ${log.number}, under the root of all logs ${log.root}`,
		es: `hoja ${leafIndex} de ${treeSize} en el registro ${log.number}, bajo la raíz de todos los registros ${log.root}`,
	};
}

/** Uses the sealed object itself, never the proof's statements about it. */
function leafOf(evidence: Evidence) {
	const { docId, decidedAt } = evidence.manifest();
	return { docId, sha256: toBytes(sha256Hex(evidence.file(SEALED))), decidedAt: new Date(decidedAt) };
}

/** Only for digests whose form was checked. */
function toBytes(hex: string): Uint8Array {
	return fromHex(hex) ?? new Uint8Array();
}
