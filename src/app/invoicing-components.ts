/** Opens the components of invoicing: signer, printer, examiners and archive. Loaded by processes that issue or send. */
import {
	type Archive,
	type Checkpoints,
	checkStoreAtStart,
	createCheckpoints,
	createReadSealed,
	openArchive,
	type ReadSealed,
	startStoreWatch,
} from "../archive";
import { type ClockSkew, createClockSkew, NO_SKEW } from "../authority/client";
import { ensureDemoCompany } from "../companies";
import { createPrinter, type Printer } from "../ecf/printing";
import { openSigner, type Signer } from "../ecf/signing";
import { type ApprovalExaminer, createApprovalExaminer } from "../exchange/approvals";
import { createExaminer, type Examiner } from "../exchange/reception";
import { DEMO_TENANT_ID } from "../identity/auth";
import { isSandbox } from "../platform/values";
import type { Infrastructure } from "./infrastructure";

export type InvoicingComponents = {
	/** Absent in workers. */
	readonly signer: Signer | undefined;
	readonly approvalExaminer: ApprovalExaminer;
	readonly printer: Printer;
	readonly examiner: Examiner;
	readonly archive: Archive;
	readonly readSealed: ReadSealed;
	readonly checkpoints: Checkpoints;
	/** Of this process's clock against the authority's. */
	readonly clockSkew: ClockSkew;
};

/** Throws when `signal` aborts. */
export async function openInvoicingComponents(
	infrastructure: Infrastructure,
	signal: AbortSignal,
): Promise<InvoicingComponents> {
	const { config, log, shutdownHooks, metrics, clock, environment, envelope, kek, sql } = infrastructure;
	const { trustedCaFile } = config;
	const signer = infrastructure.hasInvoices
		? await openSigner({
				...{ kek, log, threads: config.signThreads, queueMax: config.signQueueMax, engine: config.signEngine },
				deadlineMs: config.signTimeoutSeconds * 1_000,
				certificates: { isStrict: !isSandbox(environment), trustedCaFile },
			})
		: undefined;
	if (environment === "staging" && trustedCaFile === undefined) {
		log.warn(
			{ event: "certificate.trust_unchecked" },
			"without TRUSTED_CA_FILE, certificates of any issuer are accepted",
		);
	}
	if (signer) {
		metrics.signingEngine.set({ engine: signer.engine }, 1);
		shutdownHooks.add(signer.close);
		if (isSandbox(environment)) {
			const plan = environment === "sandbox" ? "free" : "demo";
			await ensureDemoCompany({ sql, signer, environment, clock }, DEMO_TENANT_ID, plan);
		}
	}

	const approvalExaminer = createApprovalExaminer({ trustedCaFile, log });
	shutdownHooks.add(approvalExaminer.close);
	const printer = createPrinter({ log });
	shutdownHooks.add(printer.close);
	const examiner = createExaminer({ trustedCaFile, log });
	shutdownHooks.add(examiner.close);

	signal.throwIfAborted();
	const archive = await openArchive(config.archiveUrl, log);
	await checkStoreAtStart({ sql, archive });
	shutdownHooks.add(startStoreWatch({ sql, archive, log }));
	const checkpoints = createCheckpoints({ sql, archive, envelope, environment, clock, log, metrics });
	return {
		signer,
		approvalExaminer,
		printer,
		examiner,
		archive,
		readSealed: createReadSealed({ sql, archive }),
		checkpoints,
		clockSkew: openClockSkew(infrastructure),
	};
}

/** A seed that takes longer leaves the skew unknown. */
const SEED_LIMITS = { connectTimeoutMs: 1_000, answerTimeoutMs: 1_000 };

function openClockSkew({ authorityUrls, releaseIssuer, clock, log }: Infrastructure): ClockSkew {
	const isOwnSimulator = releaseIssuer !== undefined;
	if (!authorityUrls || isOwnSimulator) return NO_SKEW;
	return createClockSkew({ urls: authorityUrls, clock, log, ...SEED_LIMITS });
}
