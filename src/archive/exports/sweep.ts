/**
 * Removes files of exports that have expired, failed or were deleted, and drafts of crashed makers. Each machine sweeps its own folder. Machines
 * with a shared folder find the same files, and removing one twice is harmless.
 */

import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Cron } from "croner";
import { doClocksAgree, type Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import { type Clock, isId, newId } from "../../platform/values";
import type { SharedFiles } from "../object-store/archive";
import { MAKING } from "./make-export";
import { expireExports, findLiving } from "./store";

type Sweeping = {
	readonly sql: Sql;
	readonly folder: string;
	readonly shared?: SharedFiles | undefined;
	readonly clock: Clock;
	readonly log: Log;
};

const EVERY_TEN_MINUTES = "5-55/10 * * * *";
/** A draft in work changes more often than this. */
const ABANDONED_AFTER_MS = 3_600_000;
const ID_LENGTH = 36;

/** Checks the folder once and starts the schedule. Returns a function that stops it. */
export function startExportSweeps(deps: Sweeping): () => void {
	// A hanging network folder must not delay the start.
	void checkFolder(deps.folder, deps.log);
	const job = new Cron(EVERY_TEN_MINUTES, { timezone: "UTC", protect: true }, async () => {
		try {
			if (!(await doClocksAgree(deps.sql, deps.clock))) {
				deps.log.warn({ event: "export.sweep_skipped" }, "clocks of machine and database differ; exports not swept");
				return;
			}
			const swept = await sweepExports(deps);
			if (swept.expired + swept.files > 0) deps.log.info({ event: "export.swept", ...swept }, "swept exports");
		} catch (error) {
			deps.log.warn({ event: "export.sweep_failed", err: error }, "sweeping exports failed; trying again");
		}
	});
	return () => job.stop();
}

/** Returns how many exports expired and how many files and folders were removed. */
export async function sweepExports({
	sql,
	folder,
	shared,
	clock,
}: Sweeping): Promise<{ expired: number; files: number }> {
	const expired = await expireExports(sql, clock.now());
	await mkdir(join(folder, MAKING), { recursive: true, mode: 0o750 });
	const local = { list: () => readdir(folder), remove: (name: string) => rm(join(folder, name), { force: true }) };
	const files = (await removeFiles(sql, local)) + (shared ? await removeFiles(sql, shared) : 0);
	return { expired, files: files + (await removeAbandoned(join(folder, MAKING), clock)) };
}

async function removeFiles(sql: Sql, files: Pick<SharedFiles, "list" | "remove">): Promise<number> {
	const names = (await files.list()).filter((name) => isId(name.slice(0, ID_LENGTH)));
	const living = await findLiving(
		sql,
		names.map((name) => name.slice(0, ID_LENGTH)),
	);
	const over = names.filter((name) => !living.has(name.slice(0, ID_LENGTH)));
	for (const name of over) await files.remove(name);
	return over.length;
}

async function removeAbandoned(folder: string, clock: Clock): Promise<number> {
	let removed = 0;
	for (const name of await readdir(folder)) {
		const path = join(folder, name);
		// Not a folder, or removed in the meantime.
		const files = await readdir(path).catch(() => []);
		const times = await Promise.all([path, ...files.map((file) => join(path, file))].map(changedAt));
		if (clock.now().getTime() - Math.max(...times) < ABANDONED_AFTER_MS) continue;
		await rm(path, { recursive: true, force: true });
		removed++;
	}
	return removed;
}

/** A file that was just removed counts as changed now. */
async function changedAt(path: string): Promise<number> {
	return (await stat(path).catch(() => undefined))?.mtimeMs ?? Number.POSITIVE_INFINITY;
}

/** A full disk still allows empty files. */
const PROBE_BYTES = 4_096;

/**
 * Logs an error if exports cannot be written to the folder. It stops nothing: invoices do not depend on it, and the sweep frees a full disk.
 * Never rejects.
 */
export async function checkFolder(folder: string, log: Pick<Log, "error">): Promise<void> {
	const probe = join(folder, MAKING, `probe-${newId()}`);
	try {
		await mkdir(join(folder, MAKING), { recursive: true, mode: 0o750 });
		await writeFile(probe, new Uint8Array(PROBE_BYTES), { flush: true });
	} catch (error) {
		log.error(
			{ event: "export.folder_unwritable", folder, err: error },
			"the folder of EXPORTS_DIR is not writable; exports will fail",
		);
	}
	await rm(probe, { force: true }).catch(() => undefined);
}
