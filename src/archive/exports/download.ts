/** Answers a signed address with an export's file or a part of it. */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, retryOnFailure, type Sql } from "../../platform/database";
import { answerStoredFile, type Call, idFrom, PRIVATE_NO_STORE, readQuery } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import { type ExportRow, isSigned, MEDIA_TYPES } from "./export";
import { fileOf } from "./make-export";
import { findSignedExport } from "./store";

export type ExportsDeps = {
	readonly sql: Sql;
	/** Where the files are until they expire. */
	readonly exportsFolder: string;
	readonly exportLinkKey: Uint8Array;
	readonly baseUrl: string;
	/** Notifies dispatchers that a message waits. */
	readonly wake: () => void;
	readonly clock: Clock;
	readonly log: Log;
};

type Downloading = Omit<ExportsDeps, "baseUrl" | "wake">;

type Ready = ExportRow & { readonly bytes: number; readonly sha256: string };

/** Throws: not-found, link-expired, range-not-satisfiable, service-unavailable. */
export async function download(deps: Downloading, call: Call): Promise<Response> {
	const row = await findSigned(deps, call);
	const path = join(deps.exportsFolder, fileOf(row));
	await checkFile(deps.log, path, row);
	return answerStoredFile(call, {
		path,
		bytes: row.bytes,
		sha256: row.sha256,
		headers: {
			...PRIVATE_NO_STORE,
			"content-type": MEDIA_TYPES[row.format],
			"content-disposition": `attachment; filename="archive-${row.from}-${row.to}.${row.format}"`,
		},
	});
}

/** Checks the signature before any query, so that guessed addresses reveal nothing. */
async function findSigned({ sql, exportLinkKey, clock }: Downloading, call: Call): Promise<Ready> {
	const { expires = "", signature = "" } = readQuery(call);
	const id = idFrom(call, "exportId");
	if (!isSigned(exportLinkKey, { id, expires: Number(expires) }, signature)) throw new Problem("not-found");
	if (clock.now().getTime() >= Number(expires) * 1_000) throw new Problem("link-expired");
	const row = await retryOnFailure(() => findSignedExport(sql, id));
	if (row?.status === "expired") throw new Problem("link-expired");
	if (row?.status !== "ready" || row.bytes === null || row.sha256 === null) throw new Problem("not-found");
	return { ...row, bytes: row.bytes, sha256: row.sha256 };
}

/** Throws service-unavailable if this machine has no such file; a proxy may ask another machine. */
async function checkFile(log: Log, path: string, { id, bytes }: Ready): Promise<void> {
	const found = await stat(path).then(
		({ size }) => (size === bytes ? undefined : `it has ${size} bytes`),
		// A lost mount may affect this machine alone.
		(error) => (codeOf(error) === "ENOENT" ? "it does not exist" : `it cannot be read (${codeOf(error)})`),
	);
	if (found === undefined) return;
	const about = { exportId: id, path, bytes, fault: found };
	log.warn({ event: "export.file_missing", ...about }, "export file unusable; all machines must share EXPORTS_DIR");
	throw new Problem("service-unavailable", {
		detail: "The file is not on the machine that answers. If this persists, order the export again.",
		headers: { "retry-after": "5" },
	});
}
