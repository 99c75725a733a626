/** The operator's commands on the archive as a whole. */
import {
	openArchive,
	RestoreRefusedError,
	restoreArchive,
	rotateKey,
	type VerifyProgress,
	verifyArchive,
} from "../../src/archive";
import type { Config } from "../../src/config";
import type { Sql } from "../../src/database";
import { createEnvelope } from "../../src/secrets";
import { systemClock } from "../../src/values";

type Context = { readonly config: Config; readonly sql: Sql };

/** Exits with 1 on any fault. */
export async function verify({ config, sql }: Context) {
	const { environment } = config;
	const progress = showObjects(process.stderr);
	const archive = await openArchive(config.archiveUrl);
	const report = await verifyArchive({ sql, archive, environment, onProgress: progress.show }).finally(progress.end);
	return { data: report, exitCode: report.faults.length > 0 ? 1 : 0 };
}

/** A new key signs the archive's checkpoints from now on, the first one at once; the former ones verify for ever. */
export async function rotateArchiveKey({ config, sql, kek }: Context & { readonly kek: () => Buffer }) {
	const { environment } = config;
	const archive = await openArchive(config.archiveUrl);
	const deps = { sql, archive, envelope: createEnvelope(kek()), environment, clock: systemClock };
	return { data: await rotateKey(deps) };
}

/** Exits with 1 on any fault, and where the archive or the database is not one to restore from or into. */
export async function restore({ config, sql }: Context) {
	const { environment } = config;
	const progress = showObjects(process.stderr);
	const archive = await openArchive(config.archiveUrl);
	const deps = { sql, archive, environment, now: systemClock.now(), onProgress: progress.show };
	try {
		const report = await restoreArchive(deps);
		return { data: report, exitCode: report.faults.length > 0 ? 1 : 0 };
	} catch (error) {
		if (!(error instanceof RestoreRefusedError)) throw error;
		return { data: { refused: error.reason }, exitCode: 1 };
	} finally {
		progress.end();
	}
}

type Output = { readonly isTTY?: boolean; readonly write: (text: string) => unknown };

/** One line that is drawn over and over on a terminal, and nothing elsewhere. */
export function showObjects(output: Output): { readonly show: (at: VerifyProgress) => void; readonly end: () => void } {
	if (!output.isTTY) return { show: () => undefined, end: () => undefined };
	const startedMs = performance.now();
	return {
		show: ({ objects, of, faults }) => {
			const seconds = (performance.now() - startedMs) / 1000;
			const left = objects > 0 ? `, ${Math.ceil((seconds * (of - objects)) / objects)} s left` : "";
			const share = of > 0 ? Math.floor((100 * objects) / of) : 100;
			const count = objects.toLocaleString("en-US");
			output.write(`\r\x1b[2K${String(share).padStart(3)} % ${count} objects, ${faults} faults${left}`);
		},
		end: () => output.write("\n"),
	};
}
