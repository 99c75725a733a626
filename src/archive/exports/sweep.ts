/**
 * Removes what nobody can ask for any more: files of exports that have expired, failed or were forgotten, and what crashed makers left. Each
 * machine looks after its own folder; several that share one find the same, and removing twice is removing once.
 */

import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Cron } from "croner";
import { doClocksAgree, type Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import { type Clock, isId, newId } from "../../platform/values";
import { MAKING } from "./make-export";
import { expireExports, findLiving } from "./store";

export type ExportSweepDeps = {
	readonly sql: Sql;
	readonly folder: string;
	readonly clock: Clock;
	readonly log: Log;
};

const EVERY_TEN_MINUTES = "5-55/10 * * * *";
/** Whoever still writes has written something meanwhile. */
const ABANDONED_AFTER_MS = 3_600_000;
const ID_LENGTH = 36;

/** Looks at the folder once, and starts the schedule; the answer stops it. */
export function startExportSweeps(deps: ExportSweepDeps): () => void {
	// A folder on a network that hangs keeps no start waiting.
	void lookAtFolder(deps.folder, deps.log);
	const job = new Cron(EVERY_TEN_MINUTES, { timezone: "UTC", protect: true }, async () => {
		try {
			if (!(await doClocksAgree(deps.sql, deps.clock))) {
				deps.log.warn("this machine's clock and the database's are apart: no export is swept");
				return;
			}
			const swept = await sweepExports(deps);
			if (swept.expired + swept.files > 0) deps.log.info(swept, "exports swept");
		} catch (error) {
			deps.log.warn({ err: error }, "sweeping exports failed and is tried again at the next turn");
		}
	});
	return () => job.stop();
}

/** Answers how many exports have expired, and how many files and folders were removed. */
export async function sweepExports({
	sql,
	folder,
	clock,
}: ExportSweepDeps): Promise<{ expired: number; files: number }> {
	const expired = await expireExports(sql, clock.now());
	await mkdir(join(folder, MAKING), { recursive: true, mode: 0o750 });
	const files = await removeFiles(sql, folder);
	return { expired, files: files + (await removeAbandoned(join(folder, MAKING), clock)) };
}

async function removeFiles(sql: Sql, folder: string): Promise<number> {
	const names = (await readdir(folder)).filter((name) => isId(name.slice(0, ID_LENGTH)));
	const living = await findLiving(
		sql,
		names.map((name) => name.slice(0, ID_LENGTH)),
	);
	const over = names.filter((name) => !living.has(name.slice(0, ID_LENGTH)));
	for (const name of over) await rm(join(folder, name), { force: true });
	return over.length;
}

async function removeAbandoned(folder: string, clock: Clock): Promise<number> {
	let removed = 0;
	for (const name of await readdir(folder)) {
		const path = join(folder, name);
		// What is no folder, or has just gone, has no files.
		const files = await readdir(path).catch(() => []);
		const times = await Promise.all([path, ...files.map((file) => join(path, file))].map(changedAt));
		if (clock.now().getTime() - Math.max(...times) < ABANDONED_AFTER_MS) continue;
		await rm(path, { recursive: true, force: true });
		removed++;
	}
	return removed;
}

/** What has just gone was changed just now. */
async function changedAt(path: string): Promise<number> {
	return (await stat(path).catch(() => undefined))?.mtimeMs ?? Number.POSITIVE_INFINITY;
}

/** A disk that is full to the last block still makes files, as long as nothing is in them. */
const PROBE_BYTES = 4_096;

/** Never rejects. */
export async function lookAtFolder(folder: string, log: Pick<Log, "error">): Promise<void> {
	const probe = join(folder, MAKING, `probe-${newId()}`);
	try {
		await mkdir(join(folder, MAKING), { recursive: true, mode: 0o750 });
		await writeFile(probe, new Uint8Array(PROBE_BYTES), { flush: true });
	} catch (error) {
		log.error(
			{ folder, err: error },
			"nothing can be written in the folder of EXPORTS_DIR: exports of the archive fail",
		);
	}
	await rm(probe, { force: true }).catch(() => undefined);
}
