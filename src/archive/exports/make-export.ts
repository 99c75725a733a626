/**
 * Handler of `archive.export`: makes the file of an ordered export, or records why there is none.
 *
 *   .making/<export>-<attempt>/  whole, directory, index, chain ──fsync──▶ one transaction: still held? rename to <export>.zip, status ready
 *
 * The file appears whole or not at all. If a holder has lost its message without knowing, both holders write in folders of their own; the file
 * that appears is the current holder's, and the row describes that file.
 */

import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { done, type Handler, LeaseLostError, type Message } from "../../platform/outbox";
import type { Log } from "../../platform/telemetry";
import { type Clock, newId } from "../../platform/values";
import type { Selection } from "../documents/store";
import type { SharedFiles } from "../object-store/archive";
import { type Failure, FILES, type Format, isSealed } from "./export";
import { fillFiles, type InvoiceFiles, writeTable } from "./fill-files";
import { type Contents, describeDamage, type Filling, fillPack, ObjectFaultError } from "./fill-pack";
import { openSink, type Sink } from "./sink";
import { beginExport, completeExport, failExport, type Made } from "./store";
import { openTarPack } from "./tar-pack";
import { openZipPack } from "./zip-pack";

type Making = Omit<Filling, "rest" | "isLastAttempt"> & {
	readonly invoices: InvoiceFiles;
	/** Where the files are until they expire. */
	readonly folder: string;
	/** Where the other machines find them; absent: they share the folder. */
	readonly shared?: SharedFiles | undefined;
	readonly clock: Clock;
	readonly log: Log;
};

/** How long a file can be downloaded. */
const LIFE_HOURS = 24;
/** Attempts for failures that may pass, such as a full disk. */
const ATTEMPTS_MAX = 6;
/** An export takes at most half of the thread's time, which webhooks and submissions share. */
const REST_MAX_MS = 200;

export function createMakeExport(deps: Making): Handler {
	const { sql, folder, clock, log } = deps;
	return async (message) => {
		const order = await beginExport(sql, message);
		if (!order) return done;
		try {
			await mkdir(folder, { recursive: true, mode: 0o750 });
			const isLastAttempt = message.failures + 1 >= ATTEMPTS_MAX;
			const filling = { ...deps, rest: restBetween(message), isLastAttempt };
			await writeExport(filling, folder, order, async (made, appear, path) => {
				await deps.shared?.put(fileOf(order), path);
				const { damagedCount, damaged } = made;
				if (damagedCount > 0) {
					const about = { export: order.id, tenantId: order.tenantId, damagedCount, damaged: damaged.slice(0, 10) };
					log.error({ event: "export.incomplete", ...about }, "export lacks damaged objects; verify the archive");
				}
				const completedAt = clock.now();
				const expiresAt = new Date(completedAt.getTime() + LIFE_HOURS * 3_600_000);
				await completeExport(sql, message, made, { completedAt, expiresAt }, appear);
			});
		} catch (error) {
			// Another holder continues.
			if (error instanceof LeaseLostError) throw error;
			const failure = failureOf(error, message.failures + 1);
			if (!failure) throw error;
			log.error({ event: "export.failed", export: order.id, tenantId: order.tenantId, err: error }, "export failed");
			await failExport(sql, message, failure, clock.now());
		}
		return done;
	};
}

/** The failure to show if another attempt is of no use; undefined otherwise. */
function failureOf(error: unknown, attempts: number): Failure | undefined {
	if (attempts < ATTEMPTS_MAX) return undefined;
	if (!(error instanceof ObjectFaultError))
		return { code: "internal", detail: "The export failed on our side. Order it again.", docId: null };
	const { code, detail, docId } = describeDamage(error);
	return { code, detail, docId };
}

/** Rests for as long as the thread was used. Throws: LeaseLostError. */
function restBetween(message: Message): () => Promise<void> {
	let since = performance.now();
	return async () => {
		if (message.leaseLeftMs() < 0) throw new LeaseLostError(message);
		await Bun.sleep(Math.min(REST_MAX_MS, performance.now() - since));
		since = performance.now();
	};
}

export type Task = Selection & { readonly id: string; readonly format: Format };

/** Folder of files that are being written, below the folder of exports. */
export const MAKING = ".making";

export function fileOf({ id, format }: Pick<Task, "id" | "format">): string {
	return `${id}.${FILES[format].extension}`;
}

/** Records what was made. `appear` moves the file from its path to its name. */
type Publish = (made: Made, appear: () => Promise<void>, path: string) => Promise<void>;

type Writing = Filling & Pick<Making, "invoices">;

/** Writes an export's file. Throws ObjectFaultError for what may be readable later. */
export async function writeExport(deps: Writing, folder: string, task: Task, publish: Publish): Promise<void> {
	const draftFolder = join(folder, MAKING, `${task.id}-${newId()}`);
	await mkdir(draftFolder, { recursive: true, mode: 0o750 });
	const sinks: Sink[] = [];
	const begin = async (name: string) => {
		const path = join(draftFolder, name);
		const sink = await openSink(path);
		sinks.push(sink);
		return { ...sink, path };
	};
	try {
		const whole = await begin("whole");
		const contents = await fill(deps, task, whole, begin);
		const { bytes, sha256 } = await whole.close();
		const appear = async () => {
			await rename(whole.path, join(folder, fileOf(task)));
			await syncFolder(folder);
		};
		await publish({ ...contents, bytes, sha256 }, appear, whole.path);
	} finally {
		for (const sink of sinks) await sink.abandon();
		await rm(draftFolder, { recursive: true, force: true });
	}
}

async function fill(
	deps: Writing,
	task: Task,
	whole: Sink,
	begin: (name: string) => Promise<Sink & { readonly path: string }>,
): Promise<Contents> {
	if (task.format === "csv") return writeTable(deps, task, whole);
	const pack = task.format === "tar.zst" ? await openTarPack(whole) : openZipPack(whole, await begin("directory"));
	const contents = isSealed(task.format)
		? await fillPack(deps, pack, task, { index: await begin("index"), chain: await begin("chain") })
		: await fillFiles(deps, pack, { ...task, format: task.format }, await begin("index"));
	await pack.finish();
	return contents;
}

async function syncFolder(path: string): Promise<void> {
	const folder = await open(path, "r");
	try {
		await folder.sync();
	} finally {
		await folder.close();
	}
}
