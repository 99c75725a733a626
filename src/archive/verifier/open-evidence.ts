/**
 * The parts of an evidence file, each read when a check needs it, so a broken part fails only the checks that need it.
 *
 *     README.txt        for people
 *     sealed.zip        the sealed object, byte for byte: the tree's leaf, and the basis of every check
 *     document/…        its parts unpacked, for people
 *     certificate.pem   the signer's, for people and other programs
 *     proof.json        leaf, chain, inclusion, checkpoint, key
 *     receipt.json      the service's signed statement about the document
 */

import { type TrustedAuthority, type Verification, verifyDocumentOnWeb } from "../../ecf/verification";
import { isXmlElement, OWN_LIMITS, readXmlBytes, type XmlElement } from "../../platform/xml";
import { type Manifest, type Proof, readManifest, readProof } from "./formats";
import { type Files, readZip } from "./read-zip";
import { type Checkpoint, readCheckpoint, readVerifierKey, type VerifierKey } from "./signed-note";
import { type Part, Refusal, readOnce } from "./words";

export const SEALED = "sealed.zip";
export const UNPACKED = "document/";
export const MANIFEST = "manifest.json";
export const PROOF = "proof.json";
export const RECEIPT = "receipt.json";
export const CERTIFICATE = "certificate.pem";
export const README = "README.txt";
export const ECF = "ecf.xml";
export const SUMMARY = "summary.xml";
export const REQUEST = "request.json";
export const REGISTRY = "registry.json";

export type Evidence = {
	readonly files: Part<Files>;
	readonly file: (name: string) => Uint8Array;
	readonly sealed: Part<Files>;
	/** An entry of the sealed object. */
	readonly part: (name: string) => Uint8Array;
	readonly manifest: Part<Manifest>;
	readonly proof: Part<Proof>;
	readonly checkpoint: Part<Checkpoint>;
	readonly key: Part<VerifierKey>;
	/** The root element of an XML part. */
	readonly xml: (name: string) => XmlElement;
	readonly hasSummary: Part<boolean>;
	/** The result of verifying a part's signature. */
	readonly verification: (name: string) => Promise<Verification>;
};

type OpenOptions = { readonly now: Date; readonly authorities?: readonly TrustedAuthority[] | undefined };

/** Does not throw: each part throws its own faults as a Refusal. */
export function openEvidence(bytes: Uint8Array, { now, authorities }: OpenOptions): Evidence {
	const files = readOnce(() => readZip(bytes, "ZIP"));
	const file = (name: string) => entryOf(files(), name, "");
	const sealed = readOnce(() => readZip(file(SEALED), SEALED));
	const part = (name: string) => entryOf(sealed(), name, `${SEALED}: `);
	const proof = readOnce(() => readProof(file(PROOF), PROOF));
	const verifications = new Map<string, Promise<Verification>>();
	return {
		...{ files, file, sealed, part, proof },
		manifest: readOnce(() => readManifest(part(MANIFEST), MANIFEST)),
		checkpoint: readOnce(() => readCheckpoint(proof().checkpoint)),
		key: readOnce(() => readVerifierKey(proof().key)),
		xml: (name) => {
			const root = readXmlBytes(part(name), OWN_LIMITS);
			if (isXmlElement(root)) return root;
			throw new Refusal({
				en: `${name} cannot be read (${root.code}): ${root.detail}`,
				es: `${name} no se puede leer (${root.code}): ${root.detail}`,
			});
		},
		hasSummary: readOnce(() => sealed().has(SUMMARY)),
		verification: (name) => {
			const made = verifications.get(name) ?? verifyDocumentOnWeb(part(name), { now, authorities, limits: OWN_LIMITS });
			verifications.set(name, made);
			return made;
		},
	};
}

function entryOf(files: Files, name: string, where: string): Uint8Array {
	const bytes = files.get(name);
	if (bytes) return bytes;
	throw new Refusal({ en: `${where}${name} is missing`, es: `${where}falta ${name}` });
}
