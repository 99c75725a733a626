/**
 * Signs in threads of their own. Keys come sealed and are opened only there: the code that speaks HTTP never holds one.
 */
import { fileURLToPath } from "node:url";
import type { Log } from "../../platform/telemetry";
import { openPool } from "../../platform/worker-pool";
import type { EngineFallback } from "./engine";
import type { EngineChoice } from "./settings";
import type { SignedDocuments } from "./sign-ecf";
import {
	type EphemeralJob,
	type KeyOwner,
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
	/** The RSA engine that its threads use: `bun`, `openssl-3.0.19`. */
	readonly engine: string;
	/** Throws: service-unavailable when too much waits; SealedSecretError when the key does not open. */
	readonly signInvoice: (job: SignInvoiceJob) => Promise<SignedDocuments>;
	/** The bytes to send, checked. Throws: as `signInvoice`. */
	readonly signDocument: (job: SignDocumentJob) => Promise<Uint8Array>;
	readonly createEphemeral: (job: EphemeralJob) => Promise<SealedCertificate>;
	/** Throws: certificate-invalid. */
	readonly importPkcs12: (job: Pkcs12Job) => Promise<SealedCertificate>;
	/** Has every thread give back the memory of a key whose certificate goes. */
	readonly forgetKey: (owner: KeyOwner) => void;
	readonly stats: () => { threads: number; busy: number; queued: number; replaced: number };
	readonly close: () => Promise<void>;
};

type SignerOptions = SignerSetup & {
	readonly threads: number;
	readonly log: Log;
	/** Most jobs that wait; beyond it the caller is refused. */
	readonly queueMax: number;
	/** Longest time that a thread may take for what it has been given at once. */
	readonly deadlineMs: number;
};

/** Documents given to a thread at once: enough that handing them over costs little, few enough that nobody waits long for the others. */
const JOBS_MAX = 12;
/** Full messages that a thread has waiting besides the one that it works on: it goes on while the thread that asks is still planning invoices. */
const AHEAD_MAX = 1;

/** Making a key and trying the password of a container take a hundred times as long. */
const isSigning = (job: SignJob) => job.do === "sign-invoice" || job.do === "sign-document";

/** Starts the threads. Which engine they found is logged once. */
export async function openSigner(options: SignerOptions): Promise<Signer> {
	const { kek, engine, log } = options;
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
		setup: { kek, engine },
		log,
	});
	const found = await pool.run({ do: "name-engine" });
	if (!("engine" in found)) throw new Error("the signing thread answered another question");
	logEngine(log, engine, found.engine, found.fallback);
	const certificate = async (job: SignJob) => {
		const answer = await pool.run(job);
		if (!("certificate" in answer)) throw new Error("the signing thread answered another question");
		return answer.certificate;
	};
	return {
		engine: found.engine,
		async signInvoice(job) {
			const answer = await pool.run({ do: "sign-invoice", ...job });
			if (!("signed" in answer)) throw new Error("the signing thread answered another question");
			return answer.signed;
		},
		async signDocument(job) {
			const answer = await pool.run({ do: "sign-document", ...job });
			if (!("document" in answer)) throw new Error("the signing thread answered another question");
			return answer.document;
		},
		createEphemeral: (job) => certificate({ do: "create-ephemeral", ...job }),
		importPkcs12: (job) => certificate({ do: "import-pkcs12", ...job }),
		forgetKey: (owner) => pool.tell({ do: "forget-key", ...owner }),
		stats: pool.stats,
		close: pool.close,
	};
}

function logEngine(log: Log, wanted: EngineChoice, engine: string, fallback: EngineFallback | undefined): void {
	if (!fallback) return;
	const isNoteworthy = fallback.kind === "unfit" || wanted === "openssl";
	const told = { engine, reason: fallback.reason };
	if (isNoteworthy) log.warn(told, "OpenSSL cannot be used; the runtime's own engine signs");
	else log.info(told, "there is no OpenSSL 3; the runtime's own engine signs");
}
