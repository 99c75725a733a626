/** Answers a signed address with an export's file or a part of it. */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, retryOnFailure, type Sql } from "../../platform/database";
import { type Call, idFrom, matchesEtag, PRIVATE_NO_STORE, readQuery } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import { type ExportRow, isSigned, MEDIA_TYPES } from "./export";
import { fileOf } from "./make-export";
import { findExport } from "./store";

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
	const { headers } = call.request;
	const etag = `"${row.sha256}"`;
	// Precedes ranges: a caller that has the file needs no part of it. Source: RFC 9110, 13.2.2.
	if (matchesEtag(headers.get("if-none-match"), etag)) {
		return new Response(null, { status: 304, headers: { ...PRIVATE_NO_STORE, etag } });
	}
	const condition = headers.get("if-range");
	// Only GET has ranges. Source: RFC 9110, 14.2.
	const isOfPart = call.request.method === "GET" && (condition === null || condition === etag);
	const part = readRange(isOfPart ? headers.get("range") : null, row.bytes);
	if (part === "none") {
		throw new Problem("range-not-satisfiable", { headers: { "content-range": `bytes */${row.bytes}` } });
	}
	const about = {
		"content-type": MEDIA_TYPES[row.format],
		"content-disposition": `attachment; filename="archive-${row.from}-${row.to}.${row.format}"`,
		...PRIVATE_NO_STORE,
		"accept-ranges": "bytes",
		etag,
		"repr-digest": `sha-256=:${Buffer.from(row.sha256, "hex").toString("base64")}:`,
	};
	const file = Bun.file(path);
	if (part === "whole") return new Response(file, { headers: { ...about, "content-length": String(row.bytes) } });
	const { first, last } = part;
	return new Response(file.slice(first, last + 1), {
		status: 206,
		headers: {
			...about,
			"content-range": `bytes ${first}-${last}/${row.bytes}`,
			"content-length": String(last + 1 - first),
		},
	});
}

/** Checks the signature before any query, so that guessed addresses reveal nothing. */
async function findSigned({ sql, exportLinkKey, clock }: Downloading, call: Call): Promise<Ready> {
	const { expires = "", signature = "" } = readQuery(call);
	const id = idFrom(call, "exportId");
	if (!isSigned(exportLinkKey, { id, expires: Number(expires) }, signature)) throw new Problem("not-found");
	if (clock.now().getTime() >= Number(expires) * 1_000) throw new Problem("link-expired");
	const row = await retryOnFailure(() => findExport(sql, id));
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

/** Which part of a file a request asks for. Source: RFC 9110, 14.1.2 and 14.2. */

export type Part = { readonly first: number; readonly last: number };

/**
 * Accepts any letter case, blanks, and numbers of any length. The runtime parses the header again when it answers with a file, and its refusal
 * would not be a problem document.
 */
const BYTE_RANGE = /^bytes[ \t]*=[ \t]*(\d*)[ \t]*-[ \t]*(\d*)$/i;

/**
 * The part that a `Range` header names. `whole` if the header is absent, malformed or names several parts. `none` if the file has no byte of it.
 * Source: RFC 9110, 14.1.2 and 14.2.
 */
export function readRange(header: string | null, sizeBytes: number): Part | "whole" | "none" {
	const [, first = "", last = ""] = BYTE_RANGE.exec(header?.trim() ?? "") ?? [];
	if (first === "" && last === "") return "whole";
	if (first === "") {
		const suffixBytes = Number(last);
		return suffixBytes === 0 ? "none" : { first: Math.max(0, sizeBytes - suffixBytes), last: sizeBytes - 1 };
	}
	if (last !== "" && Number(last) < Number(first)) return "whole";
	if (Number(first) >= sizeBytes) return "none";
	return { first: Number(first), last: last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) };
}
