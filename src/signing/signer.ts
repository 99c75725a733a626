/**
 * Signs in threads of their own. Keys come sealed and are opened only there: the code that speaks HTTP never holds one.
 */
import { fileURLToPath } from "node:url";
import type { Log } from "../telemetry";
import { openPool } from "../worker-pool";
import type { CertificateFacts } from "./certificate";
import type { EcfInput } from "./ecf-input";
import type { SignedEcf } from "./sign-ecf";
import type { SignatureProfile } from "./xades";

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
	readonly input: EcfInput;
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
	readonly now: string;
};
export type SealedCertificate = { readonly identity: SealedIdentity; readonly facts: CertificateFacts };

export type SignJob =
	| ({ readonly do: "sign-invoice" } & SignInvoiceJob)
	| ({ readonly do: "create-ephemeral" } & EphemeralJob)
	| ({ readonly do: "import-pkcs12" } & Pkcs12Job);
export type SignAnswer = { readonly signed: SignedEcf } | { readonly certificate: SealedCertificate };

export type Signer = {
	/** Throws: service-unavailable when too much waits; SealedSecretError when the key does not open. */
	readonly signInvoice: (job: SignInvoiceJob) => Promise<SignedEcf>;
	readonly createEphemeral: (job: EphemeralJob) => Promise<SealedCertificate>;
	/** Throws: certificate-invalid. */
	readonly importPkcs12: (job: Pkcs12Job) => Promise<SealedCertificate>;
	readonly stats: () => { threads: number; busy: number; queued: number; replaced: number };
	readonly close: () => Promise<void>;
};

export type SignerSetup = { readonly kek: Uint8Array };

const QUEUE_MAX = 2_000;
const DEADLINE_MS = 15_000;

export async function openSigner(options: { threads: number; kek: Uint8Array; log: Log }): Promise<Signer> {
	const pool = await openPool<SignerSetup, SignJob, SignAnswer>({
		name: "sign",
		entry: fileURLToPath(new URL("./sign.thread.ts", import.meta.url)),
		threads: options.threads,
		queueMax: QUEUE_MAX,
		deadlineMs: DEADLINE_MS,
		setup: { kek: options.kek },
		log: options.log,
	});
	const certificate = async (job: SignJob) => {
		const answer = await pool.run(job);
		if (!("certificate" in answer)) throw new Error("the signing thread answered another question");
		return answer.certificate;
	};
	return {
		async signInvoice(job) {
			const answer = await pool.run({ do: "sign-invoice", ...job });
			if (!("signed" in answer)) throw new Error("the signing thread answered another question");
			return answer.signed;
		},
		createEphemeral: (job) => certificate({ do: "create-ephemeral", ...job }),
		importPkcs12: (job) => certificate({ do: "import-pkcs12", ...job }),
		stats: pool.stats,
		close: pool.close,
	};
}
