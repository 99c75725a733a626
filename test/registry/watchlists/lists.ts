/** Lists and runs in the database, as the routes and the ingest write them. */
import { createHash } from "node:crypto";
import type { Sql } from "../../../src/platform/database";
import { newId } from "../../../src/platform/values";
import { recordChanges } from "../../../src/registry/changes";
import type { ChangeWithFields } from "../../../src/registry/changes/changes-store";
import { blockErasures } from "../../../src/registry/erasure/tombstones-store";
import { keyOf } from "../../../src/registry/index/document-key";
import { insertRun } from "../../../src/registry/runs/store";
import { packWatched } from "../../../src/registry/watchlists/numbers";
import {
	insertWatchlist,
	type Source,
	type WatchlistSettings,
	writeNumbers,
} from "../../../src/registry/watchlists/store";
import { runRow } from "../in-memory";

type NewList = Partial<WatchlistSettings> & {
	readonly digits: readonly string[];
	readonly source?: Source;
	/** For which its digest and its filling count as queued. */
	readonly day?: string;
};

/** A list of a new owner. Returns the ids of both. */
export async function addListTo(
	sql: Sql,
	{ digits, source, day = "2026-11-20", ...settings }: NewList,
): Promise<[string, string]> {
	const [ownerId, id] = [newId(), newId()];
	const usual = { name: "Proveedores", fields: ["status", "name"], emails: [], digest: null, locale: "es" } as const;
	await sql.begin(async (tx) => {
		await tx`insert into owners (id, label, created_at) values (${ownerId}, 'Cliente', now())`;
		await insertWatchlist(
			tx,
			{ ownerId, tenantId: null },
			{ ...usual, ...settings, id, source: source ?? null },
			{ digest: day, night: day },
		);
		const watched = digits.map((one) => ({ key: keyOf(one), reference: `R-${one}` }));
		await writeNumbers(tx, id, packWatched(watched));
	});
	return [ownerId, id];
}

const erased = { digestOf: (digits: string) => createHash("sha256").update(digits).digest(), blockErasures };

/** Returns the run's id. */
export async function addRunTo(sql: Sql, changes: readonly ChangeWithFields[]): Promise<string> {
	const run = runRow({ runId: newId() });
	await sql.begin(async (tx) => {
		await insertRun(tx, run);
		await recordChanges(tx, run, changes, erased);
	});
	return run.runId;
}
