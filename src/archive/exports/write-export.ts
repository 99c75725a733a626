/**
 * Writes an export's file, which appears in the folder of exports whole or not at all.
 *
 *   .making/<export>-<attempt>/  whole, directory, index, chain ──fsync──▶ one transaction: still ours? rename to <export>.zip, told as ready
 *
 * Two holders of one message, the first of which has lost it without knowing, write in folders of their own; the file that appears is
 * that of whoever holds it then, and what is told of it is true of that file.
 */
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { newId } from "../../platform/values";
import type { Selection } from "../listing";
import type { Format } from "./export";
import { type Contents, type FillDeps, fillPack } from "./fill-pack";
import { openSink, type Sink } from "./sink";
import type { Made } from "./store";
import { openTarPack } from "./tar-pack";
import { openZipPack } from "./zip-pack";

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
