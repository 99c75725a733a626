/** The parts of one process that operations and background work share: who calls, what is known, who signs and examines, what is kept. */
import { join } from "node:path";
import { type Access, DEMO_TENANT_ID, openAccess } from "./access";
import { createApprovalExaminer } from "./approvals";
import { type Archive, type Checkpoints, openArchive, openCheckpoints } from "./archive";
import { ensureDemoCompany } from "./companies";
import { connect } from "./database";
import { createPrinter } from "./documents";
import { keepTombstonePepper } from "./key-encryption";
import { type Limits, openLimits } from "./limits";
import type { Ground } from "./open-ground";
import { createExaminer } from "./reception";
import { openRegistry, type Registry } from "./registry";
import { openSigner, type Signer } from "./signing";
import { openUsage, type Usage } from "./usage";
import { isSandbox } from "./values";

export type Parts = {
	readonly access: Access;
	readonly limits: Limits;
	readonly usage: Usage;
	/** Absent in workers. */
	readonly registry: Registry | undefined;
	/** Absent where nothing is issued. */
	readonly signer: Signer | undefined;
	readonly approvalExaminer: ReturnType<typeof createApprovalExaminer>;
	readonly printer: ReturnType<typeof createPrinter>;
	readonly examiner: ReturnType<typeof createExaminer>;
	/** Absent where nothing is issued or sent. */
	readonly archive: Archive | undefined;
	readonly checkpoints: Checkpoints | undefined;
};

const DIRECTORY_CONNECTIONS = 2;

export async function openParts(ground: Ground, refuseUnwanted: () => void): Promise<Parts> {
	const { config, log, closers, metrics, clock, environment, envelope, sql, url, databaseUrl } = ground;
	const { role, trustedCaFile } = config;
	refuseUnwanted();
	const directorySql = connect({ url: databaseUrl, name: "sello callers", connectionsMax: DIRECTORY_CONNECTIONS });
	closers.add(() => directorySql.end({ timeout: 2 }));
	const access = await openAccess({ sql, directorySql, envelope, environment, baseUrl: url, clock, log });
	closers.add(access.close);
	const limits = openLimits({ sql, log });
	closers.add(limits.close);
	const usage = openUsage({ sql, clock, log });
	closers.add(usage.close);
	const registry = role === "worker" ? undefined : await openRegistryOf(ground, access);
	if (registry) closers.add(registry.close);

	refuseUnwanted();
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
	const archive = ground.hasInvoices || ground.hasOutbox ? await openArchive(config.archiveUrl, log) : undefined;
	const checkpoints = archive && openCheckpoints({ sql, archive, envelope, environment, clock, log, metrics });
	return { access, limits, usage, registry, signer, approvalExaminer, printer, examiner, archive, checkpoints };
}

async function openRegistryOf(ground: Ground, access: Access): Promise<Registry> {
	const { config, log, clock, envelope, sql, firstKek } = ground;
	return openRegistry({
		sql,
		source: config.registrySource,
		directory: join(config.dataDir, "registry"),
		schedule: config.registrySchedule,
		pepper: await keepTombstonePepper({ sql, envelope }, firstKek),
		clock,
		log,
		signReceipt: access.signReceipt,
	});
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
