/**
 * Reads all of a file that this host has lying there, and takes a damaged one out of service: what a disk has changed would be told as
 * the truth. Nobody waits for it who wants an answer: the file is served from its opening on, and read behind that, in a thread.
 */
import { SnapshotError } from "../index/format";
import { findFileId, type Snapshot } from "../index/open";
import { verifyMapped } from "../index/verify-pieces";
import { findLastGoodRun, findRun, listKeptRuns } from "../store";
import { runVerify } from "./in-thread";
import type { IngestDeps } from "./ingest-deps";
import type { VerifyAnswer } from "./kept-files";
import { tryOpen } from "./load-run";

/** Verifies the file in use unless that was done. False when it had to go, and an older one or none is in use. */
export async function verifyInUse(deps: IngestDeps): Promise<boolean> {
	const loaded = deps.current.get();
	if (!loaded || loaded.isVerified) return true;
	const { snapshot } = loaded;
	let answer = await verify(deps, snapshot);
	// Another process has removed it, perhaps because it is damaged. What is mapped here is still that file.
	if (answer.found === "gone") answer = await verifyHere(deps, snapshot);
	if (answer.found === "damaged") {
		await discard(deps, { ...snapshot, fault: answer.fault });
		return false;
	}
	const now = deps.current.get();
	if (now?.snapshot === snapshot) deps.current.swap({ ...now, isVerified: true });
	return true;
}

/** The file of a run, verified; undefined when there is none that is whole, and a damaged one is gone by then. */
export async function findWhole(deps: IngestDeps, runId: string): Promise<Snapshot | undefined> {
	const path = deps.directory.find(runId);
	const snapshot = path === undefined ? undefined : tryOpen(deps, path);
	if (!snapshot) return undefined;
	const answer = await verify(deps, snapshot);
	if (answer.found === "damaged") await discard(deps, { ...snapshot, fault: answer.fault });
	return answer.found === "whole" ? snapshot : undefined;
}

/**
 * Removes a damaged file, by nobody's turn: it can be built anew from its source. When it was in use, the newest older run with a whole file is served instead,
 * and nothing where there is none: no answer is better than a wrong one. True when it was in use.
 */
export async function discard(
	deps: IngestDeps,
	{ path, fileId, fault }: Pick<Snapshot, "path" | "fileId"> & { readonly fault: string },
): Promise<boolean> {
	const wasInUse = deps.current.drop(fileId);
	deps.log.error({ path, fault, wasInUse }, "a damaged registry snapshot is removed");
	// A disk that is damaged may take no change any more; what is whole on it can still be served.
	if (findFileId(path) === fileId) await deps.directory.remove([path]).catch((err) => setAside(deps, path, err));
	if (wasInUse) await serveOlder(deps);
	return wasInUse;
}

function setAside({ log, directory }: IngestDeps, path: string, err: unknown): void {
	directory.setAside(path);
	log.error({ path, err }, "a damaged registry snapshot could not be removed");
}

async function serveOlder(deps: IngestDeps): Promise<void> {
	const lastGood = (await findLastGoodRun(deps.sql))?.runId;
	for (const runId of await listKeptRuns(deps.sql)) {
		const run = await findRun(deps.sql, runId);
		const snapshot = run && (await findWhole(deps, runId));
		if (!snapshot) continue;
		deps.current.swap({ run, snapshot, isVerified: true });
		tellOlder(deps, runId, lastGood);
		return;
	}
	deps.log.error("no registry snapshot is whole: look-ups are unavailable until one is built");
}

/** Says that what is served is not what was ingested last. */
export function tellOlder({ log }: Pick<IngestDeps, "log">, runId: string, lastGood: string | undefined): void {
	if (runId === lastGood) return;
	log.error({ runId, lastGood }, "the last good run has no usable file: an older run is served");
}

function verify({ signal }: IngestDeps, { path, fileId, manifest }: Snapshot): Promise<VerifyAnswer> {
	return runVerify({ do: "verify", file: { path, fileId, sections: manifest.sections } }, signal);
}

async function verifyHere({ signal }: IngestDeps, snapshot: Snapshot): Promise<VerifyAnswer> {
	try {
		await verifyMapped(snapshot, signal);
		return { found: "whole" };
	} catch (error) {
		if (!(error instanceof SnapshotError)) throw error;
		return { found: "damaged", fault: error.fault };
	}
}
