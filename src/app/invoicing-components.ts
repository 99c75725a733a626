/** The parts of a process that issues or sends invoices: who signs, prints and examines, what is kept. */

import { type Archive, type Checkpoints, openArchive, openCheckpoints, startStoreWatch } from "../archive";
import { ensureDemoCompany } from "../companies";
import { createPrinter } from "../ecf/printing";
import { openSigner, type Signer } from "../ecf/signing";
import { createApprovalExaminer } from "../exchange/approvals";
import { createExaminer } from "../exchange/reception";
import { DEMO_TENANT_ID } from "../identity/auth";
import { isSandbox } from "../platform/values";
import type { Ground } from "./infrastructure";

export type InvoicingParts = {
	/** Absent where nothing is issued. */
	readonly signer: Signer | undefined;
	readonly approvalExaminer: ReturnType<typeof createApprovalExaminer>;
	readonly printer: ReturnType<typeof createPrinter>;
	readonly examiner: ReturnType<typeof createExaminer>;
	readonly archive: Archive;
	readonly checkpoints: Checkpoints;
};

export async function openInvoicingParts(ground: Ground, refuseUnwanted: () => void): Promise<InvoicingParts> {
	const { config, log, closers, metrics, clock, environment, envelope, sql } = ground;
	const { trustedCaFile } = config;
	const signer = ground.hasInvoices ? await openSignerOf(ground) : undefined;
	if (signer) metrics.signingEngine.set({ engine: signer.engine }, 1);
	if (signer) closers.add(signer.close);
	if (signer && isSandbox(environment)) {
		const plan = environment === "sandbox" ? "free" : "demo";
		await ensureDemoCompany({ sql, signer, environment, clock }, DEMO_TENANT_ID, plan);
	}

	const approvalExaminer = createApprovalExaminer({ trustedCaFile, log });
	closers.add(approvalExaminer.close);
	const printer = createPrinter({ log });
	closers.add(printer.close);
	const examiner = createExaminer({ trustedCaFile, log });
	closers.add(examiner.close);

	refuseUnwanted();
	const archive = await openArchive(config.archiveUrl, log);
	closers.add(startStoreWatch({ sql, archive, log }));
	const checkpoints = openCheckpoints({ sql, archive, envelope, environment, clock, log, metrics });
	return { signer, approvalExaminer, printer, examiner, archive, checkpoints };
}

async function openSignerOf({ config, kek, log }: Ground): Promise<Signer> {
	return openSigner({
		threads: config.signThreads,
		queueMax: config.signQueueMax,
		deadlineMs: config.signTimeoutSeconds * 1_000,
		kek,
		engine: config.signEngine,
		log,
	});
}
