/** Signs in worker threads. Keys arrive sealed and are opened only there: the code that speaks HTTP never holds one. */
import { fileURLToPath } from "node:url";
import { inSpan, type Log } from "../../platform/telemetry";
import { openPool } from "../../platform/worker-pool";
import type { EngineFallback } from "./engine";
import type { EngineChoice } from "./settings";
import type { SignedDocuments } from "./sign-ecf";
import {
	type EphemeralJob,
	type KeyOwner,
	type PackedDocuments,
	type Pkcs12Job,
	type SealedCertificate,
	type SignAnswer,
	type SignDocumentJob,
	type SignerSetup,
	type SignInvoiceJob,
	type SignJob,
	signSpelling,
} from "./sign-job";

export type Signer = {
	/** The RSA engine of the threads: `bun`, `openssl-3.0.19`. */
	readonly engine: string;
	/** Throws: service-unavailable if too many jobs wait; SealedSecretError if the key does not open. */
	readonly signInvoice: (job: Omit<SignInvoiceJob, "packedWith">) => Promise<SignedDocuments>;
	/** The same, packed for storing. */
	readonly signAndPack: (job: SignInvoiceJob & { readonly packedWith: string }) => Promise<PackedDocuments>;
	/** The checked bytes to send. Throws: as `signInvoice`. */
	readonly signDocument: (job: SignDocumentJob) => Promise<Uint8Array>;
	readonly createEphemeral: (job: EphemeralJob) => Promise<SealedCertificate>;
	/** Throws: certificate-invalid, certificate-untrusted. */
	readonly importPkcs12: (job: Pkcs12Job) => Promise<SealedCertificate>;
	/** Makes every thread free the key of a removed certificate. */
	readonly forgetKey: (owner: KeyOwner) => void;
	readonly stats: () => { threads: number; busy: number; queued: number; replaced: number };
	readonly close: () => Promise<void>;
};

type SignerOptions = SignerSetup & {
	readonly threads: number;
	readonly log: Log;
	/** Maximum number of waiting jobs; further ones are refused. */
	readonly queueMax: number;
	/** Maximum time that a thread may take for one message. */
	readonly deadlineMs: number;
};

/** Documents in one message to a thread: enough to make sending cheap, few enough to keep the wait short. */
const JOBS_MAX = 12;
/** Full messages that wait at a thread besides the current one, so that it continues while the main thread plans invoices. */
const AHEAD_MAX = 1;

/** Creating a key and trying the password of a container take a hundred times as long. */
const isSigning = (job: SignJob) => job.do === "sign-invoice" || job.do === "sign-document";

/** Starts the threads and logs once which engine they use. */
export async function openSigner(options: SignerOptions): Promise<Signer> {
	const { kek, engine, certificates, log } = options;
	const pool = await openPool<SignerSetup, SignJob, SignAnswer>({
		name: "sign",
		entry: fileURLToPath(new URL("./sign.thread.ts", import.meta.url)),
		threads: options.threads,
		queueMax: options.queueMax,
		deadlineMs: options.deadlineMs,
		jobsMax: JOBS_MAX,
		aheadMax: AHEAD_MAX,
		isLong: (job) => !isSigning(job),
		spelling: signSpelling,
		setup: { kek, engine, certificates },
		log,
	});
	const sign = (job: SignJob) => inSpan({ name: job.do }, () => pool.run(job));
	const found = await pool.run({ do: "name-engine" });
	if (!("engine" in found)) throw new Error("the signing thread sent an answer of another kind");
	logEngine(log, engine, found.engine, found.fallback);
	const certificate = async (job: SignJob) => {
		const answer = await pool.run(job);
		if (!("certificate" in answer)) throw new Error("the signing thread sent an answer of another kind");
		return answer.certificate;
	};
	return {
		engine: found.engine,
		async signInvoice(job) {
			const answer = await sign({ do: "sign-invoice", ...job });
			if (!("signed" in answer)) throw new Error("the signing thread sent an answer of another kind");
			return answer.signed;
		},
		async signAndPack(job) {
			const answer = await sign({ do: "sign-invoice", ...job });
			if (!("packed" in answer)) throw new Error("the signing thread sent an answer of another kind");
			return answer.packed;
		},
		async signDocument(job) {
			const answer = await sign({ do: "sign-document", ...job });
			if (!("document" in answer)) throw new Error("the signing thread sent an answer of another kind");
			return answer.document;
		},
		createEphemeral: (job) => certificate({ do: "create-ephemeral", ...job }),
		importPkcs12: (job) => certificate({ do: "import-pkcs12", ...job }),
		forgetKey: (owner) => pool.broadcast({ do: "forget-key", ...owner }),
		stats: pool.stats,
		close: pool.close,
	};
}

function logEngine(log: Log, wanted: EngineChoice, engine: string, fallback: EngineFallback | undefined): void {
	if (!fallback) return;
	const isNoteworthy = fallback.kind === "unfit" || wanted === "openssl";
	const { reason } = fallback;
	if (isNoteworthy)
		log.warn(
			{ event: "signer.openssl_unfit", engine, reason },
			"OpenSSL cannot be used; the runtime's own engine signs",
		);
	else
		log.info(
			{ event: "signer.openssl_missing", engine, reason },
			"OpenSSL 3 is missing; the runtime's own engine signs",
		);
}
