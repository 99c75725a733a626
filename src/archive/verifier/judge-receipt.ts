/**
 * Checks the receipt: a flattened JWS with EdDSA. Only the protected header counts, and it must name this algorithm and key.
 * Source: RFC 7515, 7.2.2; RFC 8037, 3.1.
 */
import { fromBase64, joinBytes } from "../../platform/values";
import { verifyEd25519 } from "./cryptography";
import { aText, parseJsonBytes, type Receipt, readMembers, readReceipt, toRecord } from "./formats";
import { type Evidence, PROOF, RECEIPT, SEALED } from "./open-evidence";
import { Refusal, refuseIfAny, type Words } from "./words";

const HEADER_MEMBERS: readonly string[] = ["alg", "kid", "typ"];

/** The receipt's payload, without checking its signature. Throws: Refusal. */
export function readReceiptPayload(evidence: Evidence): Receipt {
	return readReceipt(decode(readJws(evidence).payload, "payload"), RECEIPT);
}

/** The receipt is signed with the checkpoint's key. Throws: Refusal. */
export async function judgeReceiptSignature(evidence: Evidence): Promise<Words> {
	const jws = readJws(evidence);
	const key = evidence.key();
	const header = toRecord(parseJsonBytes(decode(jws.protected, "protected"), `${RECEIPT}, protected`)) ?? {};
	const faults: Words[] = [];
	if (header.alg !== "EdDSA") {
		const alg = toText(header.alg);
		faults.push({
			en: `the receipt's algorithm is ${alg}, not EdDSA`,
			es: `el algoritmo del recibo es ${alg}, no EdDSA`,
		});
	}
	if (header.kid !== key.name) {
		const kid = toText(header.kid);
		faults.push({
			en: `the receipt names the key ${kid}, the checkpoint's is ${key.name}`,
			es: `el recibo nombra la clave ${kid}, la del punto de control es ${key.name}`,
		});
	}
	for (const name of Object.keys(header).filter((one) => !HEADER_MEMBERS.includes(one))) {
		faults.push({ en: `the receipt's header has ${name}`, es: `la cabecera del recibo tiene ${name}` });
	}
	refuseIfAny(faults);
	const signed = new TextEncoder().encode(`${jws.protected}.${jws.payload}`);
	if (!(await verifyEd25519(key.publicKey, signed, decode(jws.signature, "signature")))) {
		throw new Refusal({
			en: "the receipt's signature does not match its text and the key",
			es: "la firma del recibo no corresponde a su texto y a la clave",
		});
	}
	const { issuedAt } = readReceiptPayload(evidence);
	return { en: `signed by ${key.name}, issued ${issuedAt}`, es: `firmado por ${key.name}, emitido ${issuedAt}` };
}

/** Receipt, proof and sealed object agree on document and position. Throws: Refusal. */
export function judgeAgreement(evidence: Evidence): Words {
	const [receipt, proof, manifest] = [readReceiptPayload(evidence), evidence.proof(), evidence.manifest()];
	const { origin } = evidence.checkpoint();
	const compare = (
		what: string,
		stated: readonly (readonly [name: string, value: string | number | undefined])[],
	): Words[] => {
		if (new Set(stated.map(([, value]) => value)).size <= 1) return [];
		const list = stated.map(([name, value]) => `${name} ${toText(value)}`).join(", ");
		return [{ en: `${what} differs: ${list}`, es: `${what} difiere: ${list}` }];
	};
	const inSealed = `${SEALED} manifest`;
	const ofAll = ["docId", "tenantId", "decidedAt"] as const;
	const ofObject = ["encf", "type", "status"] as const;
	const environment = /^sello\/archive\/([a-z-]+)\//.exec(origin)?.[1];
	refuseIfAny([
		...ofAll.flatMap((name) =>
			compare(name, [
				[inSealed, manifest[name]],
				[PROOF, proof[name]],
				[RECEIPT, receipt[name]],
			]),
		),
		...ofObject.flatMap((name) =>
			compare(name, [
				[inSealed, manifest[name]],
				[RECEIPT, receipt[name]],
			]),
		),
		...compare("sha256", [
			[PROOF, proof.sha256],
			[RECEIPT, receipt.sha256],
		]),
		...compare("log", [
			[PROOF, proof.log?.number],
			[RECEIPT, receipt.log],
		]),
		...compare("leafIndex", [
			[PROOF, proof.leafIndex],
			[RECEIPT, receipt.leafIndex],
		]),
		...compare("chainHash", [
			[PROOF, proof.chain.hash],
			[RECEIPT, receipt.chainHash],
		]),
		...compare("treeSize", [
			[PROOF, proof.inclusion.treeSize],
			[RECEIPT, receipt.treeSize],
		]),
		...compare("root", [
			[PROOF, proof.inclusion.root],
			[RECEIPT, receipt.root],
		]),
		...(environment === undefined
			? []
			: compare("environment", [
					[inSealed, manifest.environment],
					["checkpoint", environment],
				])),
		...(receipt.retainUntil >= manifest.retainUntil
			? []
			: compare("retainUntil", [
					[inSealed, manifest.retainUntil],
					[RECEIPT, receipt.retainUntil],
				])),
	]);
	return {
		en: `all are about document ${manifest.docId}, leaf ${proof.leafIndex}; archived ${receipt.archivedAt}, kept until ${receipt.retainUntil}`,
		es: `todos hablan del documento ${manifest.docId}, hoja ${proof.leafIndex}; archivado ${receipt.archivedAt}, se conserva hasta ${receipt.retainUntil}`,
	};
}

function readJws({ file }: Evidence) {
	const value = parseJsonBytes(file(RECEIPT), RECEIPT);
	const unexpected = Object.keys(toRecord(value) ?? {}).filter(
		(name) => !["payload", "protected", "signature"].includes(name),
	);
	// Nothing signs an unprotected header.
	refuseIfAny(unexpected.map((name) => ({ en: `${RECEIPT} has ${name}`, es: `${RECEIPT} tiene ${name}` })));
	return readMembers(value, { payload: aText, protected: aText, signature: aText }, RECEIPT);
}

function decode(text: string, what: string): Uint8Array {
	const isUrlSafe = /^[A-Za-z0-9_-]*$/.test(text);
	const bytes = fromBase64(text.replaceAll("-", "+").replaceAll("_", "/") + "=".repeat((4 - (text.length % 4)) % 4));
	if (isUrlSafe && bytes) return joinBytes(bytes);
	throw new Refusal({
		en: `${RECEIPT}: ${what} is not base64url`,
		es: `${RECEIPT}: ${what} no está en base64url`,
	});
}

function toText(value: unknown): string {
	return (typeof value === "string" ? value : (JSON.stringify(value) ?? "—")).slice(0, 100);
}
