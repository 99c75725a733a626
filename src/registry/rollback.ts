/** Goes back to the data of an earlier run, when what was ingested since is wrong although the gates let it pass. */
import { type IngestDeps, openFile } from "./ingest/run";
import { findRun, type RunRow, rollBackTo, takeIngestTurn } from "./store";

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
 * sources again only by force. Erased entries stay erased. Throws: RollbackError.
 */
export async function rollBack(deps: IngestDeps, runId: string): Promise<RunRow> {
	const run = await deps.sql.begin(async (tx) => {
		await takeIngestTurn(tx, true, deps.signal);
		const target = await findRun(tx, runId);
		if (!target || target.result !== "ok") throw new RollbackError(runId, "there is no good run with this id");
		if (deps.directory.find(runId) === undefined) throw new RollbackError(runId, "its data is no longer kept here");
		await rollBackTo(tx, runId);
		return target;
	});
	if (!openFile(deps, run)) throw new RollbackError(runId, "its file cannot be used");
	return run;
}
