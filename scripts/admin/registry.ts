/** Operator commands on the registry's data. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Args } from "../../src/cli";
import { createEnvelope, keepTombstonePepper, readKek } from "../../src/platform/secrets";
import { createLog } from "../../src/platform/telemetry";
import { isIsoDate, parseTaxpayerDocument, systemClock } from "../../src/platform/values";
import {
	describeSubject,
	HistoryImportError,
	listRefusedLines,
	listRuns,
	RollbackError,
	rotateRegistryKey,
	runHistoryImport,
	runIngest,
	runRollback,
	SourceError,
	toSourceName,
} from "../../src/registry";
import { showProgress } from "../progress";
import { type Context, needId, type Result, type Runs, refuseAsUsage, UsageError } from "./command";

export const registryCommands = {
	"registry ingest": ingest,
	"registry runs": async ({ sql }) => ({ data: await listRuns(sql) }),
	"registry refused": showRefused,
	"registry rollback": goBack,
	"registry subject": showSubject,
	"registry rotate-key": rotateKey,
	"registry history import": importHistory,
} satisfies Runs;

/** Exits with 1 if the source was refused. */
async function ingest(context: Context, args: Args): Promise<Result> {
	const source = toSource(args.text("source") ?? context.config.registrySource);
	if (!args.has("source") && !process.env.REGISTRY_SOURCE) await refuseOtherSource(context, source);
	const progress = showProgress(process.stderr);
	const run = await runIngest(await ingestDeps(context), {
		source,
		force: args.has("force"),
		onProgress: progress.show,
	}).finally(progress.end);
	return { data: run, exitCode: run.result === "ok" || run.result === "unchanged" ? 0 : 1 };
}

/** The default is the sample, which must not replace the data of a service with a source of its own. Throws: UsageError. */
async function refuseOtherSource({ sql }: Context, source: string): Promise<void> {
	const last = (await listRuns(sql)).find(({ result }) => result === "ok");
	if (!last || last.source === source) return;
	throw new UsageError(
		`no source is named: set REGISTRY_SOURCE as the service has it, or use --source PATH (the last run read ${last.source})`,
	);
}

async function showRefused(context: Context, args: Args): Promise<Result> {
	const runId = args.operand === undefined ? undefined : needId(args, "expected a run's id");
	const refused = await listRefusedLines(await ingestDeps(context), runId);
	if (!refused) throw new UsageError(`no refused lines are kept${runId === undefined ? "" : ` of run ${runId}`}`);
	return { data: { run_id: refused.runId, count: refused.lines.length, lines: refused.lines } };
}

async function showSubject(context: Context, args: Args): Promise<Result> {
	const document = parseTaxpayerDocument(args.operand ?? "");
	if (!document) throw new UsageError(`expected a number of 9 or 11 digits, got ${args.operand ?? "nothing"}`);
	return { data: await describeSubject(await ingestDeps(context), document) };
}

async function goBack(context: Context, args: Args): Promise<Result> {
	const runId = needId(args, "expected a run's id; see registry runs");
	const onWait = () => console.error("waiting for an ingest to end");
	const deps = await ingestDeps(context);
	return { data: await runRollback(deps, runId, onWait).catch(refuseAsUsage(RollbackError)) };
}

async function rotateKey({ sql, kekFile }: Context): Promise<Result> {
	const envelope = createEnvelope({ file: kekFile });
	return { data: await rotateRegistryKey({ sql, envelope, clock: systemClock }) };
}

/** Without --apply it shows what it would write. */
async function importHistory(context: Context, args: Args): Promise<Result> {
	const day = args.text("as-of");
	if (args.operand === undefined || day === undefined || !isIsoDate(day)) {
		throw new UsageError("the file and --as-of YYYY-MM-DD, the day at whose end it was current, are needed");
	}
	const onWait = () => console.error("waiting for an ingest to end");
	const options = { source: toSource(args.operand), day, apply: args.has("apply") };
	const deps = await ingestDeps(context);
	return {
		data: await runHistoryImport(deps, options, onWait)
			.catch(refuseAsUsage(HistoryImportError))
			.catch(refuseAsUsage(SourceError)),
	};
}

function toSource(given: string): string {
	try {
		return toSourceName(given);
	} catch (error) {
		if (error instanceof RangeError) throw new UsageError(error.message);
		throw error;
	}
}

/** Throws: UsageError. */
async function ingestDeps({ config, sql, kekFile }: Context) {
	const directory = join(config.dataDir, "registry");
	// A relative default folder may belong to no service: erased data would stay there and the previous run would not be found.
	if (config.databaseUrl !== undefined && !process.env.DATA_DIR && !existsSync(directory)) {
		throw new UsageError(
			"DATA_DIR is needed beside DATABASE_URL: the registry's files are those of a host that serves it",
		);
	}
	return {
		sql,
		directory,
		store: config.registryStore,
		pepper: await keepTombstonePepper({ sql, envelope: createEnvelope({ file: kekFile }) }, readKek(kekFile)),
		clock: systemClock,
		log: createLog("silent", "admin"),
	};
}
