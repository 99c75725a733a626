/** Handler of `archive.export`: makes the file of an export that was ordered, or tells why there is none. */

import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { done, type Handler, LeaseLostError, type Message } from "../../platform/outbox";
import type { Log } from "../../platform/telemetry";
import { type Clock, newId } from "../../platform/values";
import type { Selection } from "../documents/store";
import type { Failure, Format } from "./export";
import { type Contents, type FillDeps, fillPack, ObjectFaultError } from "./fill-pack";
import { openSink, type Sink } from "./sink";
import { beginExport, completeExport, failExport, type Made } from "./store";
import { openTarPack } from "./tar-pack";
import { openZipPack } from "./zip-pack";

type MakeDeps = Omit<FillDeps, "rest"> & {
	/** Where exports lie until they expire. */
	readonly folder: string;
	readonly clock: Clock;
	readonly log: Log;
};

/** How long a file can be downloaded. */
const LIFE_HOURS = 24;
/** What may pass by itself, as a full disk, is tried so often. */
const ATTEMPTS_MAX = 6;
/** Of the thread's time an export takes no more than half: webhooks and submissions run in the same one. */
const REST_MAX_MS = 200;

export function createMakeExport(deps: MakeDeps): Handler {
	const { sql, folder, clock, log } = deps;
	return async (message) => {
		const order = await beginExport(sql, message);
		if (!order) return done;
		try {
			await mkdir(folder, { recursive: true, mode: 0o750 });
			await writeExport({ ...deps, rest: restBetween(message) }, folder, order, async (made, appear) => {
				const completedAt = clock.now();
				const expiresAt = new Date(completedAt.getTime() + LIFE_HOURS * 3_600_000);
				await completeExport(sql, message, made, { completedAt, expiresAt }, appear);
			});
		} catch (error) {
			// Whoever holds it now goes on.
			if (error instanceof LeaseLostError) throw error;
			const failure = failureOf(error, message.failures + 1);
			if (!failure) throw error;
			log.error({ export: order.id, tenantId: order.tenantId, err: error }, "an export could not be made");
			await failExport(sql, message, failure, clock.now());
		}
		return done;
	};
}

/** What a caller is told when trying again is of no use; undefined while it may be. */
function failureOf(error: unknown, attempts: number): Failure | undefined {
	if (!(error instanceof ObjectFaultError)) {
		return attempts < ATTEMPTS_MAX
			? undefined
			: { code: "internal", detail: "The export could not be made on our side; order it again.", docId: null };
	}
	const { fault, object } = error;
	if (fault === "unreadable" && attempts < ATTEMPTS_MAX) return undefined;
	const name = object.encf === null ? object.docId : `${object.encf} (${object.docId})`;
	const sentence = {
		missing: "is not in the archive's store",
		changed: "is not what was archived",
		unreadable: "cannot be read from the archive's store",
	}[fault];
	return { code: `object-${fault}`, detail: `The sealed object of ${name} ${sentence}.`, docId: object.docId };
}

/** Gives the thread back for as long as it was used. Throws: LeaseLostError. */
function restBetween(message: Message): () => Promise<void> {
	let since = performance.now();
	return async () => {
		if (message.leaseLeftMs() < 0) throw new LeaseLostError(message);
		await Bun.sleep(Math.min(REST_MAX_MS, performance.now() - since));
		since = performance.now();
	};
}

export type Task = Selection & { readonly id: string; readonly format: Format };

/** Below the folder of exports: what is being written. */
export const MAKING = ".making";

/** The file's name in the folder of exports. */
export function fileOf({ id, format }: Pick<Task, "id" | "format">): string {
	return `${id}.${format}`;
}

/** Tells of what was made; calls `appear`, which puts the file in its place, if it is wanted. */
type Announce = (made: Made, appear: () => Promise<void>) => Promise<void>;

/** Throws ObjectFaultError. */
export async function writeExport(deps: FillDeps, folder: string, task: Task, announce: Announce): Promise<void> {
	const workshop = join(folder, MAKING, `${task.id}-${newId()}`);
	await mkdir(workshop, { recursive: true, mode: 0o750 });
	const sinks: Sink[] = [];
	const begin = async (name: string) => {
		const path = join(workshop, name);
		const sink = await openSink(path);
		sinks.push(sink);
		return { ...sink, path };
	};
	try {
		const whole = await begin("whole");
		const pack = task.format === "zip" ? openZipPack(whole, await begin("directory")) : await openTarPack(whole);
		const contents: Contents = await fillPack(deps, pack, task, {
			index: await begin("index"),
			chain: await begin("chain"),
		});
		await pack.finish();
		const { bytes, sha256 } = await whole.close();
		await announce({ ...contents, bytes, sha256 }, async () => {
			await rename(whole.path, join(folder, fileOf(task)));
			await syncFolder(folder);
		});
	} finally {
		for (const sink of sinks) await sink.abandon();
		await rm(workshop, { recursive: true, force: true });
	}
}

async function syncFolder(path: string): Promise<void> {
	const folder = await open(path, "r");
	try {
		await folder.sync();
	} finally {
		await folder.close();
	}
}
