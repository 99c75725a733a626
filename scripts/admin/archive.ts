/** Operator commands on the archive as a whole, and on the archived objects of one document or company. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
	extendRetention,
	findTenantOf,
	getArchiveObject,
	openArchive,
	openSealed,
	RestoreRefusedError,
	restoreArchive,
	rotateKey,
	type VerifyProgress,
	verifyArchive,
} from "../../src/archive";
import type { Args } from "../../src/cli";
import { operatorActor } from "../../src/identity/audit-log";
import { createEnvelope } from "../../src/platform/secrets";
import { isId, isIsoDate, systemClock } from "../../src/platform/values";
import { atPath, type Context, endOfDay, needId, type Result, type Runs, UsageError } from "./command";

export const archiveCommands = {
	"archive verify": verify,
	"archive restore": restore,
	"archive export": exportDocument,
	"archive rotate-key": rotateArchiveKey,
	"archive retain": retain,
} satisfies Runs;

/** Exits with 1 on any fault. */
async function verify({ config, sql }: Context): Promise<Result> {
	const progress = showObjects(process.stderr);
	const archive = await openArchive(config.archiveUrl);
	const report = await verifyArchive({ sql, archive, onProgress: progress.show }).finally(progress.end);
	return { data: report, exitCode: report.faults.length > 0 ? 1 : 0 };
}

/** Creates a new signing key for checkpoints and signs the first one at once. Earlier checkpoints stay verifiable. */
async function rotateArchiveKey({ config, sql, kekFile }: Context): Promise<Result> {
	const { environment } = config;
	const archive = await openArchive(config.archiveUrl);
	const deps = { sql, archive, envelope: createEnvelope({ file: kekFile }), environment, clock: systemClock };
	return { data: await rotateKey(deps) };
}

/** Exits with 1 on any fault, and if the archive or database is unsuitable for a restore. */
async function restore({ config, sql }: Context): Promise<Result> {
	const { environment } = config;
	const progress = showObjects(process.stderr);
	const archive = await openArchive(config.archiveUrl);
	const deps = { sql, archive, environment, onProgress: progress.show };
	try {
		const report = await restoreArchive(deps);
		return { data: report, exitCode: report.faults.length > 0 ? 1 : 0 };
	} catch (error) {
		if (!(error instanceof RestoreRefusedError)) throw error;
		return { data: { refused: error.reason }, exitCode: 1 };
	} finally {
		progress.end();
	}
}

/** Writes the signed XML and the authority's answers as files. Exits with 1 if the stored object differs from the archived one. */
async function exportDocument({ config, sql }: Context, args: Args): Promise<Result> {
	const docId = needId(args, "expected a document's id");
	const out = args.need("out");
	const tenantId = await findTenantOf(sql, docId);
	const object = tenantId === undefined ? undefined : await getArchiveObject(sql, tenantId, docId);
	if (!object) throw new UsageError(`document ${docId} is not in the archive`);
	const archive = await openArchive(config.archiveUrl);
	// A swapped object of another document is sound by itself, and other bytes may name files anywhere. Only the index reveals it.
	const fault = await archive.verify(object.objectKey, object.sha256, { versionId: object.versionId });
	const isWhole = fault === undefined || fault === "hidden" || fault === "unlocked";
	if (!isWhole) return { data: { docId, key: object.objectKey, fault }, exitCode: 1 };
	const sealed = await archive.get(object.objectKey, object.versionId);
	atPath("--out", out, () => mkdirSync(out, { recursive: true }));
	const files: string[] = [];
	for (const [name, bytes] of Object.entries(openSealed(sealed))) {
		const file = join(out, name);
		atPath("--out", file, () => {
			mkdirSync(dirname(file), { recursive: true });
			writeFileSync(file, bytes);
		});
		files.push(file);
	}
	return { data: { docId, files } };
}

/** Exits with 1 if there was nothing to do. */
async function retain({ config, sql }: Context, args: Args): Promise<Result> {
	const [tenantId, docId] = [args.text("tenant"), args.text("document")];
	const id = tenantId ?? docId;
	if (id === undefined || !isId(id) || (tenantId !== undefined && docId !== undefined)) {
		throw new UsageError("--tenant or --document is needed, with the id of one");
	}
	const day = args.need("until");
	if (!isIsoDate(day)) throw new UsageError(`expected --until to be a day, YYYY-MM-DD, got ${day}`);
	const owner = tenantId ?? (await findTenantOf(sql, id));
	if (owner === undefined) throw new UsageError(`the archive has nothing of ${id}`);
	const extension = {
		target: tenantId === undefined ? { tenantId: owner, docId: id } : { tenantId: owner },
		until: endOfDay(day),
		doer: { actor: operatorActor(), at: systemClock.now() },
	};
	const archive = await openArchive(config.archiveUrl);
	const { objects, extended } = await extendRetention({ sql, archive }, extension);
	if (objects === 0) throw new UsageError(`the archive has nothing of ${id}`);
	const data = { id, until: extension.until.toISOString(), objects, extended };
	if (extended > 0) return { data };
	const remark = "nothing was shortened: everything of it is kept to that day or longer";
	return { data: { ...data, remark }, exitCode: 1 };
}

type Output = { readonly isTTY?: boolean; readonly write: (text: string) => unknown };

/** Redraws one progress line on a terminal; prints nothing elsewhere. */
export function showObjects(output: Output): { readonly show: (at: VerifyProgress) => void; readonly end: () => void } {
	if (!output.isTTY) return { show: () => undefined, end: () => undefined };
	const startedMs = performance.now();
	return {
		show: ({ objects, of, faults }) => {
			const seconds = (performance.now() - startedMs) / 1000;
			const left = objects > 0 ? `, ${Math.ceil((seconds * (of - objects)) / objects)} s left` : "";
			const share = of > 0 ? Math.floor((100 * objects) / of) : 100;
			const count = objects.toLocaleString("en-US");
			output.write(`\r\x1b[2K${String(share).padStart(3)} % ${count} objects, ${faults} faults${left}`);
		},
		end: () => output.write("\n"),
	};
}
