/** Goes back to the data of an earlier run, when what was ingested since is wrong although the gates let it pass. */
import { operatorActor, recordAudit } from "../identity/audit-log";
import { recordBreak, recordChanges } from "./changes/changes-store";
import { unpackChanges } from "./changes/packed-changes";
import { forgetReturnsAfter } from "./erasure/tombstones-store";
import { runReturn } from "./ingest/in-thread";
import type { IngestDeps } from "./ingest/ingest-deps";
import { openFile } from "./ingest/load-run";
import { inIngestTurn } from "./ingest-lock";
import { findLastGoodRun, findRun, type RunRow, rollBackTo } from "./store";

/** The run cannot be gone back to. */
export class RollbackError extends Error {
	constructor(
		readonly runId: string,
		reason: string,
	) {
		super(`cannot go back to registry run ${runId}: ${reason}`);
		this.name = "RollbackError";
	}
}

/**
 * Serves an earlier run's data again, here and in every process. Later runs count as refused from now on, and an ingest takes their
 * sources again only by force. Erased entries stay erased. `onWait` hears when an ingest is waited for. Throws: RollbackError.
 */
export async function rollBack(deps: IngestDeps, runId: string, onWait?: () => void): Promise<RunRow> {
	const run = await inIngestTurn({ ...deps, ...(onWait ? { onWait } : {}) }, true, async (tx, signal) => {
		const left = await findLastGoodRun(tx);
		const target = await findRun(tx, runId);
		if (target?.result !== "ok") throw new RollbackError(runId, "there is no good run with this id");
		const path = deps.directory.find(runId);
		if (path === undefined) throw new RollbackError(runId, "its data is no longer kept here");
		const isOther = left !== undefined && left.runId !== runId;
		const leftPath = isOther ? deps.directory.find(left.runId) : undefined;
		const job = { do: "return" as const, path, ...(leftPath === undefined ? {} : { leftPath }) };
		const prepared = await runReturn(job, signal);
		if (prepared.fault !== undefined) throw new RollbackError(runId, `its file is damaged: ${prepared.fault}`);
		await forgetReturnsAfter(tx, runId);
		await rollBackTo(tx, runId);
		await recordAudit(tx, {
			at: deps.clock.now(),
			actor: operatorActor(),
			action: "registry.rollback",
			subject: runId,
			details: { left: left?.runId ?? null },
		});
		// Going back changes entries as an ingest does, so the feed tells it.
		if (isOther && prepared.changes) {
			await recordChanges(tx, runId, unpackChanges(prepared.changes), deps.tombstones.digestOf);
		} else if (isOther) await recordBreak(tx, runId);
		return target;
	});
	if (!run || !openFile(deps, run, true)) throw new RollbackError(runId, "its file cannot be used");
	return run;
}
