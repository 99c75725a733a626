/** Checks that the files are complete, and every digest. */
import { isSameBytes } from "../../platform/values";
import { sha256Hex } from "./cryptography";
import { readReceiptPayload } from "./judge-receipt";
import { CERTIFICATE, type Evidence, MANIFEST, PROOF, README, RECEIPT, SEALED, UNPACKED } from "./open-evidence";
import { refuseIfAny, type Words } from "./words";

/** The evidence file is readable and has exactly the expected entries. Throws: Refusal. */
export function judgeEntries({ files, sealed }: Evidence): Words {
	const names = [...files().keys()];
	const expected = [
		README,
		SEALED,
		CERTIFICATE,
		PROOF,
		RECEIPT,
		...[...sealed().keys()].map((name) => UNPACKED + name),
	];
	refuseIfAny(compareNames(names, expected));
	return {
		en: `${names.length} entries, none missing, none unexpected`,
		es: `${names.length} entradas, ninguna falta ni sobra`,
	};
}

/** The sealed object is the one in proof and receipt. Throws: Refusal. */
export function judgeSealedObject(evidence: Evidence): Words {
	const bytes = evidence.file(SEALED);
	const sha256 = sha256Hex(bytes);
	const [proof, receipt] = [evidence.proof(), readReceiptPayload(evidence)];
	const faults: Words[] = [];
	for (const [name, stated] of [
		[PROOF, proof.sha256],
		[RECEIPT, receipt.sha256],
	]) {
		if (stated === sha256) continue;
		faults.push({
			en: `the SHA-256 of ${SEALED} is ${sha256}, ${name} says ${stated}`,
			es: `el SHA-256 de ${SEALED} es ${sha256}, ${name} dice ${stated}`,
		});
	}
	if (receipt.bytes !== bytes.length) {
		faults.push({
			en: `${SEALED} has ${bytes.length} bytes, ${RECEIPT} says ${receipt.bytes}`,
			es: `${SEALED} tiene ${bytes.length} bytes, ${RECEIPT} dice ${receipt.bytes}`,
		});
	}
	refuseIfAny(faults);
	return { en: `SHA-256 ${sha256}, ${bytes.length} bytes`, es: `SHA-256 ${sha256}, ${bytes.length} bytes` };
}

/** The sealed object has exactly the entries of its manifest, with their digests. Throws: Refusal. */
export function judgeManifest({ sealed, manifest }: Evidence): Words {
	const { sha256 } = manifest();
	const entries = new Map([...sealed()].filter(([name]) => name !== MANIFEST));
	const changed = [...entries].filter(
		([name, bytes]) => Object.hasOwn(sha256, name) && sha256Hex(bytes) !== sha256[name],
	);
	refuseIfAny([
		...compareNames([...entries.keys()], Object.keys(sha256)),
		...changed.map(([name]) => ({
			en: `${name} differs from the manifest: it was changed`,
			es: `${name} no es lo que dice el manifiesto: fue cambiado`,
		})),
	]);
	return {
		en: `${entries.size} entries of the sealed object have the SHA-256 of its manifest`,
		es: `${entries.size} entradas del objeto sellado tienen el SHA-256 que dice su manifiesto`,
	};
}

/** The unpacked files equal the sealed ones. Throws: Refusal. */
export function judgeUnpacked({ files, sealed }: Evidence): Words {
	const unpacked = [...files()].filter(([name]) => name.startsWith(UNPACKED));
	const faults: Words[] = [];
	for (const [name, bytes] of unpacked) {
		const original = sealed().get(name.slice(UNPACKED.length));
		if (original && isSameBytes(original, bytes)) continue;
		faults.push({
			en: `${name} is not the one in ${SEALED}`,
			es: `${name} no es el que está en ${SEALED}`,
		});
	}
	if (unpacked.length === 0) faults.push({ en: `${UNPACKED} is empty`, es: `no hay nada en ${UNPACKED}` });
	refuseIfAny(faults);
	return {
		en: `${unpacked.length} files in ${UNPACKED} are byte for byte those in ${SEALED}`,
		es: `${unpacked.length} archivos en ${UNPACKED} son byte por byte los de ${SEALED}`,
	};
}

function compareNames(names: readonly string[], expected: readonly string[]): Words[] {
	const [there, wanted] = [new Set(names), new Set(expected)];
	const missing = expected.filter((name) => !there.has(name));
	const unexpected = names.filter((name) => !wanted.has(name));
	return [
		...missing.map((name) => ({ en: `${name} is missing`, es: `falta ${name}` })),
		...unexpected.map((name) => ({ en: `${name} does not belong there`, es: `${name} no debería estar` })),
	];
}
