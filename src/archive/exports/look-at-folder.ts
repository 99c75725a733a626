/**
 * Looks at the start whether exports can be written where they are to lie. A wrong folder would otherwise be noticed by the first caller who orders one.
 * It stops nothing: invoices do not hang on it, and a folder that is full is emptied by the service that runs.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../platform/telemetry";
import { newId } from "../../platform/values";
import { MAKING } from "./write-export";

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
