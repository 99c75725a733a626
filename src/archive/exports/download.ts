/** Answers with an export's file, or a part of it, to whoever has its signed address. */

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

export type DownloadDeps = {
	readonly sql: Sql;
	/** Where exports lie until they expire. */
	readonly exportsFolder: string;
	/** Signs the addresses. */
	readonly exportLinkKey: Uint8Array;
	readonly clock: Clock;
	readonly log: Log;
};

type Ready = ExportRow & { readonly bytes: number; readonly sha256: string };

/** Throws: not-found, link-expired, range-not-satisfiable, service-unavailable. */
export async function download(deps: DownloadDeps, call: Call): Promise<Response> {
	const row = await findSigned(deps, call);
	const path = join(deps.exportsFolder, fileOf(row));
	await checkFile(deps.log, path, row);
	const { headers } = call.request;
	const etag = `"${row.sha256}"`;
	// Before any range: whoever has the file gets no part of it either. Source: RFC 9110, 13.2.2.
	if (matchesEtag(headers.get("if-none-match"), etag)) {
		return new Response(null, { status: 304, headers: { ...PRIVATE_NO_STORE, etag } });
	}
	const condition = headers.get("if-range");
	// A range is a part of what a GET answers with. Source: RFC 9110, 14.2.
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

/** The address proves itself before anything is looked up: a guessed one says nothing of what there is. */
async function findSigned({ sql, exportLinkKey, clock }: DownloadDeps, call: Call): Promise<Ready> {
	const { expires = "", signature = "" } = readQuery(call);
	const id = idFrom(call, "exportId");
	if (!isSigned(exportLinkKey, { id, expires: Number(expires) }, signature)) throw new Problem("not-found");
	if (clock.now().getTime() >= Number(expires) * 1_000) throw new Problem("link-expired");
	const row = await retryOnFailure(() => findExport(sql, id));
	if (row?.status === "expired") throw new Problem("link-expired");
	if (row?.status !== "ready" || row.bytes === null || row.sha256 === null) throw new Problem("not-found");
	return { ...row, bytes: row.bytes, sha256: row.sha256 };
}

/** Throws: service-unavailable where this machine has no such file; a proxy may ask another. */
async function checkFile(log: Log, path: string, { id, bytes }: Ready): Promise<void> {
	const found = await stat(path).then(
		({ size }) => (size === bytes ? undefined : `has ${size} bytes`),
		// A mount that has gone is this machine's alone; another one may see the folder.
		(error) => (codeOf(error) === "ENOENT" ? "is not there" : `cannot be seen (${codeOf(error)})`),
	);
	if (found === undefined) return;
	log.warn({ exportId: id, path }, `an export's file of ${bytes} bytes ${found}: the machines must share EXPORTS_DIR`);
	throw new Problem("service-unavailable", {
		detail: "The file is not on the machine that answers. If it stays so, order the export again.",
		headers: { "retry-after": "5" },
	});
}

/** Which part of a file a request asks for. Source: RFC 9110, 14.1.2 and 14.2. */

export type Part = { readonly first: number; readonly last: number };

/**
 * In any letters, with blanks and numbers of any length: what is taken for the whole here the runtime, which answers with a file, reads once more
 * by its own rules, and its refusal is no problem document.
 */
const BYTE_RANGE = /^bytes[ \t]*=[ \t]*(\d*)[ \t]*-[ \t]*(\d*)$/i;

/**
 * The part that a `Range` header names; `whole` where it is absent, not understood or names several parts, which may all be answered with the
 * whole file; `none` where the file has no byte of it.
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
