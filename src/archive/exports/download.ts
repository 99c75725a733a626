/** Answers a signed address with an export's file or a part of it. */

import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { withTimeout } from "../../platform/concurrency";
import { codeOf, retryOnFailure, type Sql } from "../../platform/database";
import { answerStoredFile, type Call, idFrom, PRIVATE_NO_STORE, readQuery } from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import { type Clock, newId } from "../../platform/values";
import type { SharedFiles } from "../object-store/archive";
import { type ExportRow, FILES, isSigned } from "./export";
import { fileOf, MAKING } from "./make-export";
import type { DocumentChoice } from "./order";
import { findSignedExport } from "./store";

export type ExportsDeps = {
	readonly sql: Sql;
	/** Where the files are until they expire. */
	readonly exportsFolder: string;
	/** Where files of other machines are; absent: all share the folder. */
	readonly sharedExports?: SharedFiles | undefined;
	readonly exportLinkKey: Uint8Array;
	readonly baseUrl: string;
	readonly choice: DocumentChoice;
	/** Notifies dispatchers that a message waits. */
	readonly wake: () => void;
	readonly clock: Clock;
	readonly log: Log;
};

type Downloading = Omit<ExportsDeps, "baseUrl" | "choice" | "wake">;

type Ready = ExportRow & { readonly bytes: number; readonly sha256: string };

/** Throws: not-found, link-expired, range-not-satisfiable, service-unavailable. */
export async function download(deps: Downloading, call: Call): Promise<Response> {
	const row = await findSigned(deps, call);
	const path = join(deps.exportsFolder, fileOf(row));
	await fetchFile(deps, path, row);
	await checkFile(deps.log, path, row);
	const { extension, mediaType } = FILES[row.format];
	return answerStoredFile(call, {
		path,
		bytes: row.bytes,
		sha256: row.sha256,
		headers: {
			...PRIVATE_NO_STORE,
			"content-type": mediaType,
			"content-disposition": `attachment; filename="${row.isChosen ? "invoices" : "archive"}-${row.from}-${row.to}.${extension}"`,
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

/** Longer than most files take, and shorter than callers wait. The copying goes on, so that a repeat finds the file. */
const FETCH_WAIT_MS = 20_000;
const fetching = new Map<string, Promise<void>>();

/** Copies the file of another machine. What fails shows in the check of the file. */
async function fetchFile({ sharedExports, exportsFolder, log }: Downloading, path: string, row: Ready): Promise<void> {
	if (sharedExports === undefined || Bun.file(path).size === row.bytes) return;
	const copy = async () => {
		const draft = join(exportsFolder, MAKING, `${row.id}-${newId()}`);
		try {
			await mkdir(join(exportsFolder, MAKING), { recursive: true, mode: 0o750 });
			if (await sharedExports.fetch(fileOf(row), draft, row.bytes)) await rename(draft, path);
		} catch (err) {
			log.warn({ event: "export.file_not_fetched", exportId: row.id, err }, "export file could not be fetched");
		} finally {
			await rm(draft, { force: true });
			fetching.delete(row.id);
		}
	};
	const running = fetching.get(row.id) ?? copy();
	if (!fetching.has(row.id)) fetching.set(row.id, running);
	await withTimeout(running, FETCH_WAIT_MS, () => undefined);
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
	log.warn(
		{ event: "export.file_missing", ...about },
		"export file unusable; without S3 all machines must share EXPORTS_DIR",
	);
	throw new Problem("service-unavailable", {
		detail: msg`The file is not on the machine that answers. If this persists, order the export again.`,
		headers: { "retry-after": "5" },
	});
}
