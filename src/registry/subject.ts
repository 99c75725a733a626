/**
 * All that the registry holds on one number, for the request of a data subject. It reads what is stored, whatever would be answered: an
 * erased entry is shown until the files without it have replaced the others.
 */
import type { Sql } from "../platform/database";
import type { TaxpayerDocument } from "../platform/values";
import { listChangesOf } from "./changes";
import type { RegistryEntry } from "./entry";
import { createTombstones, findTombstoneOf, type TombstoneRow } from "./erasure";
import { type EarlierValues, listHistoryOf } from "./history-rows";
import { keyOf, lookupEntry, openSnapshot, type RegistryChange, SnapshotError, startedOnOf } from "./index/index";
import { readRefusedLines } from "./ingest";
import { openSnapshotDirectory } from "./runs";
import { listWatching, type WatchedBy } from "./watchlists";

type SubjectDeps = { readonly sql: Sql; readonly directory: string; readonly pepper: Uint8Array };

export type Subject = {
	readonly document: string;
	/** From each snapshot file of this host that has the number, newest run first. */
	readonly entries: readonly {
		readonly run_id: string;
		readonly entry: RegistryEntry;
		readonly started_on: string | null;
	}[];
	/** What runs changed about it, newest first; only the latest 32 runs are kept. */
	readonly changes: readonly { readonly run_id: string; readonly kind: RegistryChange["kind"] }[];
	/** What it held earlier, newest first. */
	readonly history: readonly EarlierValues[];
	/** The customers' watchlists that it is on. */
	readonly watchlists: readonly WatchedBy[];
	/** Refused lines of sources that contain the digits, as kept by this host. */
	readonly refused_lines: readonly { readonly run_id: string; readonly line: number; readonly text: string }[];
	/** Null if the number was never erased. */
	readonly erasure: TombstoneRow | null;
};

export async function describeSubject(
	{ sql, directory, pepper }: SubjectDeps,
	{ digits }: TaxpayerDocument,
): Promise<Subject> {
	const digest = createTombstones(sql, pepper).digestOf(digits);
	const files = openSnapshotDirectory(directory);
	// The ids of runs ascend with time.
	const snapshots = files.list().toSorted((a, b) => (a.runId < b.runId ? 1 : -1));
	return {
		document: digits,
		entries: snapshots.flatMap(({ runId, path }) => readHeld(path, digits).map((held) => ({ run_id: runId, ...held }))),
		changes: await listChangesOf(sql, digest),
		history: await listHistoryOf(sql, keyOf(digits)),
		watchlists: await sql.begin((tx) => listWatching(tx, digits)),
		refused_lines: files.listRefused().flatMap((path) => {
			const { runId, lines } = readRefusedLines(path);
			const found = lines.filter(({ text }) => text.replace(/[- ]/g, "").includes(digits));
			return found.map(({ line, text }) => ({ run_id: runId, line, text }));
		}),
		erasure: (await findTombstoneOf(sql, digest)) ?? null,
	};
}

/** Empty for a file without the number, and for one that cannot be read. */
function readHeld(path: string, digits: string) {
	try {
		const snapshot = openSnapshot(path);
		const entry = lookupEntry(snapshot, digits);
		return entry ? [{ entry, started_on: startedOnOf(snapshot, keyOf(digits)) ?? null }] : [];
	} catch (error) {
		if (error instanceof SnapshotError) return [];
		throw error;
	}
}
