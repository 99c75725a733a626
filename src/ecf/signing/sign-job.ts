/** The jobs of the signing threads and their answers, and how they are sent to a thread: as text where that is faster. */
import type { Kek } from "../../platform/secrets";
import { packFrame, unpackFrame } from "../../platform/values";
import type { Spelling } from "../../platform/worker-pool";
import type { CertificateFacts } from "../certificate";
import type { Warning } from "../mapping";
import type { EngineFallback } from "./engine";
import type { EngineChoice } from "./settings";
import type { EcfDraft, SignedDocuments } from "./sign-ecf";
import type { SignatureProfile } from "./signature-frame";

/** Maximum size of a PKCS#12 container. */
export const PKCS12_BYTES_MAX = 64 * 1024;

/** A certificate with its key sealed for its tenant; plain data, safe to pass on. */
export type SealedIdentity = {
	readonly tenantId: string;
	/** `sha256:` and the hex digest of the certificate. */
	readonly thumbprint: string;
	readonly certificateDer: Uint8Array;
	readonly sealedKey: Uint8Array;
};

export type SignInvoiceJob = {
	readonly tenantId: string;
	readonly draft: EcfDraft;
	readonly identity: SealedIdentity;
	readonly profile: SignatureProfile;
	/** What the documents were made from: they are packed with it, and do not come back as text. */
	readonly packedWith?: string;
};

/** Signed documents as they are stored. Plain data. */
export type PackedDocuments = Omit<SignedDocuments, "ecf" | "summary"> & {
	/** See `packDocuments`. */
	readonly packed: Uint8Array;
};

/** One frame of packed texts: the request, the e-CF, and the summary, which is empty if there is none. */
export function packDocuments(request: string, { ecf, summary }: Pick<SignedDocuments, "ecf" | "summary">): Uint8Array {
	return packFrame([request, ecf, summary ?? ""]);
}

/** Throws: Error for bytes of another form. */
export function unpackDocuments(frame: Uint8Array): {
	readonly request: string;
	readonly ecf: string;
	readonly summary: string | undefined;
} {
	const [request = "", ecf = "", summary = ""] = unpackFrame(frame);
	return { request, ecf, summary: summary || undefined };
}

/** A small document of our own: an acknowledgement or an approval. */
export type SignDocumentJob = {
	readonly tenantId: string;
	/** Canonical form. */
	readonly xml: string;
	/** ISO instant. */
	readonly signedAt: string;
	readonly identity: SealedIdentity;
	readonly profile: SignatureProfile;
};
export type EphemeralJob = {
	readonly tenantId: string;
	readonly holderName: string;
	readonly holderDocument: string;
	/** ISO instants. */
	readonly notBefore: string;
	readonly notAfter: string;
};
export type Pkcs12Job = {
	readonly tenantId: string;
	readonly bytes: Uint8Array;
	readonly password: string;
	/** ISO instants: when it is imported, and when the certificate must be valid, the same or later. */
	readonly now: string;
	readonly validAt: string;
};
export type SealedCertificate = {
	readonly identity: SealedIdentity;
	readonly facts: CertificateFacts;
	readonly warnings: readonly Warning[];
};

export type KeyOwner = Pick<SealedIdentity, "tenantId" | "thumbprint">;

export type SignJob =
	| ({ readonly do: "sign-invoice" } & SignInvoiceJob)
	| ({ readonly do: "sign-document" } & SignDocumentJob)
	| ({ readonly do: "create-ephemeral" } & EphemeralJob)
	| ({ readonly do: "import-pkcs12" } & Pkcs12Job)
	| ({ readonly do: "forget-key" } & KeyOwner)
	| { readonly do: "name-engine" };
export type SignAnswer =
	| { readonly signed: SignedDocuments }
	| { readonly packed: PackedDocuments }
	| { readonly document: Uint8Array }
	| { readonly certificate: SealedCertificate }
	| { readonly engine: string; readonly fallback: EngineFallback | undefined }
	| { readonly forgotten: true };

/** What a company's certificate must be, besides usable: strict in production and staging, where a violation refuses it and does not only warn. */
export type CertificateRules = {
	readonly isStrict: boolean;
	/** The bundle of authorities that certificates must lead to; undefined demands none. */
	readonly trustedCaFile: string | undefined;
};

export type SignerSetup = { readonly kek: Kek; readonly engine: EngineChoice; readonly certificates: CertificateRules };

type JobHead = Pick<SignInvoiceJob, "tenantId" | "profile"> &
	Pick<SignInvoiceJob["draft"], "issuerRnc" | "signedAt"> & {
		readonly owner: Pick<SealedIdentity, "tenantId" | "thumbprint">;
	};
type IdentityText = readonly [certificate: string, sealedKey: string];

/** An identity stays the same object until its company changes. */
const identityTexts = new WeakMap<SealedIdentity, IdentityText>();

function writeIdentity(identity: SealedIdentity): IdentityText {
	const known = identityTexts.get(identity);
	if (known) return known;
	const text = [toBase64(identity.certificateDer), toBase64(identity.sealedKey)] as const;
	identityTexts.set(identity, text);
	return text;
}

/** The thread has nearly always opened the key already and only needs its name. */
function readIdentity(owner: JobHead["owner"], certificate: string, sealedKey: string): SealedIdentity {
	return {
		...owner,
		get certificateDer() {
			return Uint8Array.from(Buffer.from(certificate, "base64"));
		},
		get sealedKey() {
			return Uint8Array.from(Buffer.from(sealedKey, "base64"));
		},
	};
}

const jobs: Spelling<SignJob> = {
	write(job) {
		if (job.do !== "sign-invoice") return undefined;
		const { tenantId, profile, identity, draft, packedWith } = job;
		const { issuerRnc, signedAt, ecf, summary } = draft;
		const owner = { tenantId: identity.tenantId, thumbprint: identity.thumbprint };
		const head: JobHead = { tenantId, profile, issuerRnc, signedAt, owner };
		return { head, texts: [...writeIdentity(identity), ecf, summary ?? "", packedWith ?? ""] };
	},
	read({ head, texts }) {
		const { tenantId, profile, issuerRnc, signedAt, owner } = head as JobHead;
		const [certificate = "", sealedKey = "", ecf = "", summary = "", packedWith = ""] = texts;
		const draft = { issuerRnc, signedAt, ecf, ...(summary === "" ? {} : { summary }) };
		const identity = readIdentity(owner, certificate, sealedKey);
		return {
			do: "sign-invoice",
			...{ tenantId, profile, identity, draft },
			...(packedWith === "" ? {} : { packedWith }),
		};
	},
};

const answers: Spelling<SignAnswer> = {
	write(answer) {
		if (!("packed" in answer)) return undefined;
		const { packed, ...head } = answer.packed;
		// One character for each byte.
		return { head, texts: [toBuffer(packed).toString("latin1")] };
	},
	read({ head, texts }) {
		const [packed = ""] = texts;
		return { packed: { ...(head as Omit<PackedDocuments, "packed">), packed: Buffer.from(packed, "latin1") } };
	},
};

export const signSpelling = { jobs, answers };

function toBase64(bytes: Uint8Array): string {
	return toBuffer(bytes).toString("base64");
}

function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
	return Buffer.from(buffer, byteOffset, byteLength);
}
