/** The operations on lists to check: send, read, download, end. */

import { Type } from "@sinclair/typebox";
import { retryOnFailure } from "../../platform/database";
import { idempotencyKeyParameter, REPEATED, WRITE_PROBLEMS } from "../../platform/idempotency";
import {
	answerStoredFile,
	type Call,
	checkDay,
	headerParameter,
	idFrom,
	json,
	NEEDS_KEY,
	type Operation,
	oneOf,
	PRIVATE_NO_CACHE,
	PRIVATE_NO_STORE,
	pathParameter,
	queryParameter,
	readQuery,
} from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { CREATED, EXAMPLE, RegistryCheck, toRecord } from "./check-record";
import { type CheckRow, endCheck, findCheck } from "./checks-store";
import type { Layout } from "./list-layout";
import { type CheckContext, createReceiver, holderOf, PATH } from "./receive-list";
import { RESULT_FORMATS, type ResultFormat } from "./result-file";
import { type CheckRunner, CREATE_CHECK } from "./run-checks";

const BYTES_MAX = 64 << 20;
const TAG = "Registry";

const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const MEDIA_TYPES = ["text/csv", "text/tab-separated-values", XLSX, "text/plain", "application/octet-stream"] as const;
const RESULT_TYPES: Readonly<Record<ResultFormat, string>> = {
	csv: "text/csv; charset=utf-8",
	xlsx: XLSX,
	ndjson: "application/x-ndjson",
};

const ID = pathParameter("checkId", "The check's id.", EXAMPLE.check_id);
const COLUMN = Type.String({ minLength: 1, maxLength: 200 });
const FILE_HEADERS = {
	"Content-Disposition": "Suggested file name.",
	"Accept-Ranges": "`bytes`.",
	ETag: "The file's SHA-256.",
	"Repr-Digest": "The same.",
};

export function checkOperations(deps: CheckContext, runner: CheckRunner): Operation[] {
	const shared = { tag: TAG, credentials: NEEDS_KEY, scope: "registry:read" } as const;
	const receive = createReceiver(deps, runner);
	return [
		{
			...shared,
			sdk: "registry.createCheck",
			...{ id: CREATE_CHECK, method: "POST", path: PATH, summary: "Check a list of taxpayers" },
			description:
				"Compares a list with the registry: CSV, TSV or XLSX, up to 64 MiB and 1,000,000 rows, or fewer by plan. At most 50,000 rows may have a name and no number. " +
				"Encoding, delimiter and columns are detected; `number_column` and `name_column` name a column by its header or position. The whole list is read before the answer, " +
				"so a list that is accepted is checked to its end. Verdicts: `found`; `inactive`: the status is not ACTIVO; `name_differs`: the name scores less than 0.8 against both names of the entry; " +
				"`ambiguous`: a name alone that fits no entry beyond doubt; `not_found`; `invalid`: neither a number of 9 or 11 digits nor a name; `duplicate`: the number stands in an earlier row. " +
				"Poll `Location` until `status` is `done`. List and result are deleted after 7 days.",
			parameters: [
				idempotencyKeyParameter(),
				queryParameter("number_column", "The column with numbers: its header, or its position from 1.", COLUMN),
				queryParameter("name_column", "The column with names: its header, or its position from 1.", COLUMN),
				queryParameter(
					"as_of",
					"A day as `YYYY-MM-DD`, in UTC-4: the verdicts are those of what our copy of the registry held at the end of it. A name without a number is matched with today's names.",
					Type.String(),
					checkDay,
				),
			],
			body: {
				schema: Type.String({ description: "The file's bytes." }),
				...{
					limitBytes: BYTES_MAX,
					required: true,
					mediaTypes: MEDIA_TYPES,
					takesAnyText: true,
					takesAnyCharset: true,
				},
				example: "RNC;Razón social\r\n131-88068-1;Ferretería El Progreso\r\n",
			},
			answers: {
				202: {
					...{ description: "The list was read and waits for its check.", schema: RegistryCheck, example: CREATED },
					headers: { Location: "The check.", "Retry-After": "When to poll." },
				},
				200: { description: REPEATED, schema: RegistryCheck, example: CREATED },
			},
			problems: [
				...WRITE_PROBLEMS,
				...(["payload-too-large", "unsupported-media-type", "list-unreadable"] as const),
				...(["history-not-available", "registry-unavailable", "service-unavailable"] as const),
			],
			handle: receive,
		},
		{
			...shared,
			...{
				id: "getRegistryCheck",
				sdk: "registry.getCheck",
				method: "GET",
				path: `${PATH}/{checkId}`,
				summary: "Read the state of a check",
			},
			description:
				"How many rows of the list have been checked. Poll it until `status` is `done`, then download the result.",
			parameters: [ID],
			answers: {
				200: {
					...{ description: "The check.", schema: RegistryCheck, example: EXAMPLE },
					headers: { "Retry-After": "When to poll again, while the check is running." },
				},
			},
			problems: ["not-found"],
			handle: async (call) => {
				const row = await findOwn(deps, call);
				return json(200, toRecord(row), {
					...PRIVATE_NO_STORE,
					...(row.status === "running" ? { "retry-after": "1" } : {}),
				});
			},
		},
		{
			...shared,
			...{
				id: "downloadRegistryCheck",
				sdk: "registry.downloadCheck",
				method: "GET",
				path: `${PATH}/{checkId}/result`,
			},
			summary: "Download the result of a check",
			description:
				"The columns of the list, then `verdict`, `number`, `name`, `status`, `score` and `suggestions`. In `csv` and `xlsx`, cells that begin with `=`, `+`, `-` or `@` get an apostrophe, " +
				"because spreadsheet programs would run them. `ndjson` has the cells as they were sent. An entry that is erased later becomes `not_found`. A form is made when it is first asked for, which takes up to 20 s for a million rows. " +
				"`Range` (one part) continues an interrupted download.",
			parameters: [
				ID,
				{
					...queryParameter("format", "`csv`, `xlsx` or `ndjson`. Default: `csv`.", oneOf(...RESULT_FORMATS)),
					example: "csv",
				},
				headerParameter("Range", "One part of the file, such as `bytes=1000-`."),
				headerParameter("If-Range", "ETag of the file that `Range` continues."),
				headerParameter("If-None-Match", "ETag of your copy. 304 without a body if it is this file."),
			],
			answers: {
				200: {
					...{ description: "The result.", schema: Type.String({ format: "binary" }), mediaType: "text/csv" },
					...{ alsoMediaTypes: [XLSX, "application/x-ndjson"], headers: FILE_HEADERS },
				},
				206: {
					...{ description: "The part that `Range` names.", mediaType: "text/csv" },
					...{ alsoMediaTypes: [XLSX, "application/x-ndjson"] },
					headers: { ...FILE_HEADERS, "Content-Range": "Which bytes of the file the part has." },
				},
				304: { description: "You already have this file; no body." },
			},
			problems: ["validation-error", "not-found", "range-not-satisfiable", "service-unavailable"],
			handle: (call) => getResult(deps, runner, call),
		},
		{
			...shared,
			...{
				id: "deleteRegistryCheck",
				sdk: "registry.deleteCheck",
				method: "DELETE",
				path: `${PATH}/{checkId}`,
				summary: "End a check",
			},
			description: "Ends the check and deletes list and result. Its rows still count towards the month's limit.",
			parameters: [ID],
			answers: { 204: { description: "The check has ended; nothing of it is left." } },
			problems: ["not-found"],
			handle: async (call) => {
				const id = idFrom(call, "checkId");
				if (!(await endCheck(deps.sql, holderOf(call), id, deps.clock.now()))) throw new Problem("not-found");
				await runner.end(id);
				return new Response(null, { status: 204 });
			},
		},
	];
}

/** Throws: not-found. */
async function findOwn({ sql, clock }: CheckContext, call: Call): Promise<CheckRow & { readonly layout: Layout }> {
	const id = idFrom(call, "checkId");
	const row = await retryOnFailure(() => findCheck(sql, holderOf(call), id, clock.now()));
	if (!row?.layout) throw new Problem("not-found");
	return { ...row, layout: row.layout };
}

async function getResult(deps: CheckContext, runner: CheckRunner, call: Call): Promise<Response> {
	const { format: asked = "csv" } = readQuery(call);
	const format = RESULT_FORMATS.find((one) => one === asked) ?? "csv";
	const row = await findOwn(deps, call);
	if (row.status !== "done") {
		const detail = row.status === "running" ? msg`The check is not done yet.` : msg`The check has no result.`;
		throw new Problem("not-found", { detail, headers: row.status === "running" ? { "retry-after": "1" } : {} });
	}
	const { path, sha256 } = await runner.openForm(row, format);
	return answerStoredFile(call, {
		...{ path, sha256, bytes: Bun.file(path).size },
		headers: {
			"content-type": RESULT_TYPES[format],
			"content-disposition": `attachment; filename="check-${row.id}.${format}"`,
			...PRIVATE_NO_CACHE,
		},
	});
}
