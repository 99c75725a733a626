/** The operations on exports of the archive: order, list, read, download. */

import { Type } from "@sinclair/typebox";
import { actorOf } from "../../identity/audit-log";
import { retryOnFailure } from "../../platform/database";
import { answerOnce, idempotencyKeyParameter, REPEATED, WRITE_PROBLEMS } from "../../platform/idempotency";
import {
	type Call,
	cutPage,
	headerParameter,
	idFrom,
	json,
	jsonBody,
	NEEDS_BOTH,
	type Operation,
	type Parameter,
	PRIVATE_NO_STORE,
	PUBLIC,
	pageAnswer,
	pageParameters,
	pathParameter,
	queryParameter,
	readPageQuery,
	tenantOf,
} from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { ID_PATTERN } from "../../platform/values";
import { download, type ExportsDeps } from "./download";
import {
	ArchiveExportRecord,
	type ArchiveExportRequest,
	DOC_IDS_MAX,
	type ExportRow,
	exportRequestOf,
	linkTo,
	pathOf,
	toRecord,
} from "./export";
import { CHOSEN_MAX, orderExport, readOrder } from "./order";
import { findExport, findExports } from "./store";

const TAG = "Archive";
const PATH = "/v1/archive/exports";
const RETRY_AFTER = "5";

const EXAMPLE: ArchiveExportRecord = {
	...{ exportId: "0192f180-7a00-7b11-9c22-334455667788", status: "ready", chosen: false },
	...{ from: "2026-11-01", to: "2026-11-19", format: "tar.zst", documents: 18_220, bytes: 41_200_312 },
	sha256: "9c1185a5c5e9fc54612808977ee8f548b2258d31ddadef707ba62c166051b9e3",
	url: "https://api.example/v1/archive/exports/0192f180-7a00-7b11-9c22-334455667788/file?expires=1795273200&signature=oXQyqmKZ0a0sO1Xc0J4w4w2mQf0x1mE3m0WQk1x8y7g",
	expiresAt: "2026-11-21T15:00:00.000Z",
	chain: {
		from: "00ab3f1c9d5e7a2b4c6d8e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d",
		to: "77aa0b1c2d3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5061728394a5b6c7d8",
	},
	merkleRoot: "5f9c2e4b6a8d0f1e3c5b7a9d8f6e4c2b0a1d3f5e7c9b8a6d4f2e0c1b3a5d7f9e",
	treeSize: 48_212,
	...{ failure: null, damaged: [], damagedCount: 0 },
	...{ createdAt: "2026-11-20T14:59:12.004Z", completedAt: "2026-11-20T15:00:00.000Z" },
	_links: { self: `${PATH}/0192f180-7a00-7b11-9c22-334455667788` },
};
const ORDERED: ArchiveExportRecord = {
	...{ ...EXAMPLE, status: "queued", bytes: null, sha256: null, url: null, expiresAt: null, chain: null },
	...{ merkleRoot: null, treeSize: null, completedAt: null },
};

const path = (): Parameter => pathParameter("exportId", "The export's id.", EXAMPLE.exportId);
const KEY = idempotencyKeyParameter();
const FILE_HEADERS = {
	"Content-Disposition": "Suggested file name.",
	"Accept-Ranges": "`bytes`.",
	ETag: "The file's SHA-256.",
	"Repr-Digest": "The same.",
};

export function exportOperations(deps: ExportsDeps): Operation[] {
	// Gap: an export only reads, and no scope exists for writing to the archive.
	const shared = { tag: TAG, credentials: NEEDS_BOTH, scope: "archive:read" } as const;
	const schema = exportRequestOf(deps.choice.filter);
	return [
		{
			...shared,
			...{ id: "createArchiveExport", sdk: "archive.createExport", method: "POST", path: PATH },
			summary: "Order an export of archived documents",
			description:
				"Makes one file with every sealed object that was decided on these days and is archived at the time of the order. It also holds lists of " +
				"them with digests, the company's chain, and the signed root if there is one. " +
				`In place of days, choose up to ${DOC_IDS_MAX} documents by \`docIds\`, or ${CHOSEN_MAX} by \`filter\`. ` +
				"Poll `Location` until `status` is `ready`. `url` is valid for 24 hours. An object that is missing or changed in the archive is left out; `damaged` names it.",
			parameters: [KEY],
			body: jsonBody(schema, { from: "2026-11-01", to: "2026-11-19", format: "zip" }),
			answers: {
				202: {
					...{ description: "The ordered export.", schema: ArchiveExportRecord, example: ORDERED },
					headers: { Location: "The export.", "Retry-After": "When to poll." },
				},
				200: { description: REPEATED, schema: ArchiveExportRecord, example: ORDERED },
			},
			problems: [...WRITE_PROBLEMS, "export-limit-reached", "export-too-large"],
			handle: (call) => postExport(deps, call),
		},
		{
			...shared,
			...{
				id: "listArchiveExports",
				sdk: "archive.listExports",
				method: "GET",
				path: PATH,
				summary: "List exports, newest first",
			},
			description: "Exports that were ordered, with their status. A file can be downloaded until `expiresAt`.",
			parameters: [...pageParameters({ schema: Type.String({ pattern: ID_PATTERN, faultCode: "invalid-cursor" }) })],
			answers: {
				200: pageAnswer("A page of exports.", ArchiveExportRecord, EXAMPLE),
			},
			problems: ["validation-error"],
			handle: (call) => listExports(deps, call),
		},
		{
			...shared,
			...{
				id: "getArchiveExport",
				sdk: "archive.getExport",
				method: "GET",
				path: `${PATH}/{exportId}`,
				summary: "Read an export",
			},
			description: "The state of an export. Poll it until `status` is `ready`, then download the file at `url`.",
			parameters: [path()],
			answers: {
				200: {
					...{ description: "The export.", schema: ArchiveExportRecord, example: EXAMPLE },
					headers: { "Retry-After": "When to poll again, while the export is not finished." },
				},
			},
			problems: ["not-found"],
			handle: (call) => getExport(deps, call),
		},
		{
			...{ id: "downloadArchiveExport", sdk: "archive.downloadExport", method: "GET", path: `${PATH}/{exportId}/file` },
			...{ tag: TAG, credentials: PUBLIC, summary: "Download an export's file" },
			description:
				"Use the export's `url` as it is. Its signature is the only credential, so anyone who has the address can download until `expiresAt`. " +
				"`Range` (one part) continues an interrupted download. `Repr-Digest` and `ETag` are the file's SHA-256.",
			parameters: [
				path(),
				{
					...queryParameter("expires", "Part of the address.", Type.String({ pattern: "^[1-9][0-9]{0,11}$" })),
					required: true,
				},
				{ ...queryParameter("signature", "Part of the address.", Type.String({ maxLength: 100 })), required: true },
				headerParameter("Range", "One part of the file, such as `bytes=1000-`."),
				headerParameter("If-None-Match", "ETag of your copy. 304 without a body if it is this file."),
			],
			answers: {
				200: {
					...{ description: "The file.", schema: Type.String({ format: "binary" }), mediaType: "application/zip" },
					alsoMediaTypes: ["application/zstd", "text/csv"],
					headers: FILE_HEADERS,
				},
				206: {
					...{
						description: "The requested part.",
						schema: Type.String({ format: "binary" }),
						mediaType: "application/zip",
					},
					alsoMediaTypes: ["application/zstd", "text/csv"],
					headers: { ...FILE_HEADERS, "Content-Range": "The part's position." },
				},
				304: { description: "Your copy is this file." },
			},
			problems: ["validation-error", "not-found", "link-expired", "range-not-satisfiable", "service-unavailable"],
			handle: (call) => download(deps, call),
		},
	];
}

async function postExport(deps: ExportsDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const answer = await answerOnce<ArchiveExportRequest>(deps.sql, call, async (tx, request) => {
		const doer = { actor: actorOf(call), at: deps.clock.now() };
		const row = await orderExport(tx, {
			tenantId,
			doer,
			...(await readOrder(deps.choice, tx, { tenantId, request, at: doer.at })),
		});
		const headers = { ...PRIVATE_NO_STORE, location: pathOf(row.id), "retry-after": RETRY_AFTER };
		return { status: 202, body: show(deps, row), headers };
	});
	deps.wake();
	return answer;
}

async function listExports(deps: ExportsDeps, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const rows = await retryOnFailure(() => findExports(deps.sql, tenantOf(call), query.after, limit));
	const { page, place } = cutPage(rows, limit, ({ id }) => id);
	return json(200, { items: page.map((row) => show(deps, row)), ...place }, PRIVATE_NO_STORE);
}

async function getExport(deps: ExportsDeps, call: Call): Promise<Response> {
	const id = idFrom(call, "exportId");
	const row = await retryOnFailure(() => findExport(deps.sql, tenantOf(call), id));
	if (!row) throw new Problem("not-found");
	const isRunning = row.status === "queued" || row.status === "running";
	return json(200, show(deps, row), { ...PRIVATE_NO_STORE, ...(isRunning ? { "retry-after": RETRY_AFTER } : {}) });
}

function show({ exportLinkKey, baseUrl, clock }: ExportsDeps, row: ExportRow): ArchiveExportRecord {
	return toRecord(row, clock.now(), (id, until) => linkTo(exportLinkKey, baseUrl, id, until));
}
