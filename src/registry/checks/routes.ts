/** The operations on lists to check: send, read, download, end. */

import { createHash } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { type Static, Type } from "@sinclair/typebox";
import { beyondCount, createCallerLimit, PLAN_LIMITS, subjectIdOf } from "../../identity/rate-limits";
import { retryOnFailure, type Sql } from "../../platform/database";
import {
	findAnswer,
	type IdempotencyKey,
	idempotencyKeyParameter,
	readIdempotencyKey,
	replayAnswer,
	saveAnswer,
} from "../../platform/idempotency";
import {
	answerStoredFile,
	type Call,
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
	readPiecewise,
	readQuery,
} from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { type Clock, newId } from "../../platform/values";
import { Timestamp } from "../entry";
import { type Current, registryUnavailable } from "../runs";
import { noCounts, RESULT_FORMATS, type ResultFormat, VERDICTS } from "./check-list";
import { type CheckRow, endCheck, findCheck, insertCheck, measureUse } from "./checks-store";
import type { Layout } from "./list-layout";
import { ListError, ROWS_MAX } from "./list-row";
import { type CheckRunner, CREATE_CHECK, expiryOf } from "./run-checks";

const PATH = "/v1/authority/checks";
const BYTES_MAX = 64 << 20;
/** Lists that a caller may send at once, and checks that it may have under way. Gap: the numbers. */
const AT_ONCE_MAX = 2;
const RUNNING_MAX = 20;
const TAG = "Registry";

const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const MEDIA_TYPES = ["text/csv", "text/tab-separated-values", XLSX, "text/plain", "application/octet-stream"] as const;
const RESULT_TYPES: Readonly<Record<ResultFormat, string>> = {
	csv: "text/csv; charset=utf-8",
	xlsx: XLSX,
	ndjson: "application/x-ndjson",
};

const nullableText = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const RegistryCheck = Type.Object(
	{
		check_id: Type.String(),
		status: Type.Union([Type.Literal("running"), Type.Literal("done"), Type.Literal("failed")], {
			description: "`failed` if the service lost the list; send it again.",
		}),
		rows: Type.Integer({ description: "Rows with something in them, without the header." }),
		done: Type.Integer({ description: "Rows that have their verdict." }),
		counts: Type.Object(
			Object.fromEntries(VERDICTS.map((verdict) => [verdict, Type.Integer()])) as Record<
				(typeof VERDICTS)[number],
				ReturnType<typeof Type.Integer>
			>,
			{ description: "Rows by verdict." },
		),
		format: Type.Union([Type.Literal("csv"), Type.Literal("xlsx")], { description: "As detected." }),
		encoding: nullableText("As detected: `utf-8`, `utf-16le`, `utf-16be` or `windows-1252`; null for XLSX."),
		delimiter: nullableText("As detected; null for XLSX."),
		number_column: nullableText("Header of the column with numbers; null if there is none."),
		name_column: nullableText("Header of the column with names; null if there is none."),
		run_id: nullableText("The ingest run that all verdicts come from; null until the check begins."),
		created_at: Timestamp("When the list was received."),
		finished_at: Type.Union([Type.Null(), Timestamp("When the check ended.")], { description: "null until then." }),
		expires_at: Timestamp("When list and result are deleted: 7 days after the check."),
	},
	{ $id: "RegistryCheck" },
);
type RegistryCheck = Static<typeof RegistryCheck>;

const EXAMPLE: RegistryCheck = {
	...{ check_id: "0192f180-7a00-7b11-9c22-334455667788", status: "running", rows: 1_000_000, done: 205_457 },
	counts: {
		...{ found: 201_013, inactive: 3_112, name_differs: 902, ambiguous: 40 },
		...{ not_found: 77, invalid: 12, duplicate: 301 },
	},
	...{ format: "csv", encoding: "windows-1252", delimiter: ";", number_column: "RNC", name_column: "Razón social" },
	...{ run_id: "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f", created_at: "2026-11-20T14:00:00.000Z", finished_at: null },
	expires_at: "2026-11-27T14:00:00.000Z",
};
const CREATED: RegistryCheck = { ...EXAMPLE, done: 0, counts: noCounts(), run_id: null };

const ID = pathParameter("checkId", "The check's id.", EXAMPLE.check_id);
const COLUMN = Type.String({ minLength: 1, maxLength: 200 });
const FILE_HEADERS = {
	"Content-Disposition": "Suggested file name.",
	"Accept-Ranges": "`bytes`.",
	ETag: "The file's SHA-256.",
	"Repr-Digest": "The same.",
};

type CheckRouteDeps = { readonly sql: Sql; readonly clock: Clock; readonly current: Current };

export function checkOperations(deps: CheckRouteDeps, runner: CheckRunner): Operation[] {
	const shared = { tag: TAG, credentials: NEEDS_KEY, scope: "registry:read" } as const;
	const uploads = createCallerLimit({
		max: AT_ONCE_MAX,
		policy: "lists-at-once",
		detail: `You can send at most ${AT_ONCE_MAX} lists at once.`,
		retryAfter: 1,
	});
	return [
		{
			...shared,
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
				200: {
					description: "The request repeats an idempotency key: the first answer again.",
					...{ schema: RegistryCheck, example: CREATED },
				},
			},
			problems: [
				...(["malformed-json", "validation-error", "payload-too-large", "unsupported-media-type"] as const),
				...(["list-unreadable", "idempotency-key-reused", "idempotency-in-progress"] as const),
				...(["registry-unavailable", "service-unavailable"] as const),
			],
			handle: (call) => postCheck(deps, runner, uploads, call),
		},
		{
			...shared,
			...{ id: "getRegistryCheck", method: "GET", path: `${PATH}/{checkId}`, summary: "Read the state of a check" },
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
			...{ id: "downloadRegistryCheck", method: "GET", path: `${PATH}/{checkId}/result` },
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
			...{ id: "deleteRegistryCheck", method: "DELETE", path: `${PATH}/{checkId}`, summary: "End a check" },
			description: "Ends the check and deletes list and result. Its rows still count towards the month's limit.",
			parameters: [ID],
			answers: { 204: { description: "The check has ended; nothing of it is left." } },
			problems: ["not-found"],
			handle: async (call) => {
				const id = idFrom(call, "checkId");
				const subject = subjectIdOf(call, "lookup");
				if (!(await endCheck(deps.sql, subject, id, deps.clock.now()))) throw new Problem("not-found");
				await runner.end(id);
				return new Response(null, { status: 204 });
			},
		},
	];
}

async function postCheck(
	deps: CheckRouteDeps,
	runner: CheckRunner,
	uploads: ReturnType<typeof createCallerLimit>,
	call: Call,
): Promise<Response> {
	const query = readQuery(call);
	const key = readIdempotencyKey(call.request, "optional");
	if (!deps.current.get()) throw registryUnavailable();
	const subject = subjectIdOf(call, "lookup");
	const place = key === undefined ? undefined : { scopeId: subject, operation: `POST ${PATH}`, key };
	const leave = uploads.enter(subject);
	const id = newId();
	const host = runner.host();
	const path = `${runner.baseOf(id)}.list`;
	let isKept = false;
	try {
		const sha256 = await receive(call, path);
		const replay = await findReplay(deps, place, sha256);
		if (replay) return replay;
		const { number_column: numberColumn, name_column: nameColumn } = query;
		const layout = await runner
			.scan(subject, path, {
				...(numberColumn === undefined ? {} : { numberColumn }),
				...(nameColumn === undefined ? {} : { nameColumn }),
			})
			.catch((error: unknown) => {
				throw error instanceof ListError ? toProblem(error) : error;
			});
		const answer = await insertOnce(deps, call, { id, subject, host, layout, place, sha256 });
		isKept = answer !== undefined;
		const repeated = answer ?? (await findReplay(deps, place, sha256));
		if (!repeated) throw new Problem("idempotency-in-progress", { headers: { "retry-after": "1" } });
		void runner.look();
		return repeated;
	} finally {
		leave();
		if (!isKept) await rm(path, { force: true });
	}
}

/** Writes the body to a file; returns the SHA-256 of the request. */
async function receive(call: Call, path: string): Promise<Buffer> {
	const hash = createHash("sha256").update(`${call.url.search}\n`);
	const file = await open(path, "wx", 0o600);
	try {
		await readPiecewise(call, async (piece) => {
			hash.update(piece);
			for (let at = 0; at < piece.length; ) at += (await file.write(piece, at)).bytesWritten;
		});
	} finally {
		await file.close();
	}
	return hash.digest();
}

/** Throws: idempotency-key-reused. */
async function findReplay(
	{ sql }: CheckRouteDeps,
	place: IdempotencyKey | undefined,
	sha256: Buffer,
): Promise<Response | undefined> {
	const stored = place && (await findAnswer(sql, place));
	if (!stored) return undefined;
	if (!sha256.equals(stored.rawSha256)) throw new Problem("idempotency-key-reused");
	return replayAnswer(stored);
}

type NewCheck = Pick<CheckRow, "id" | "subject" | "host"> & {
	readonly layout: Layout;
	readonly place: IdempotencyKey | undefined;
	readonly sha256: Buffer;
};

/** Undefined if an equal request came first. Throws: validation-error, rate-limit-exceeded. */
async function insertOnce(deps: CheckRouteDeps, call: Call, check: NewCheck): Promise<Response | undefined> {
	const { layout, subject, place, sha256 } = check;
	const plan = call.principal?.plan ?? "demo";
	const { checkRows, checkRowsPerMonth } = PLAN_LIMITS[plan].registry;
	call.countItems?.(layout.rows);
	const maximum = Math.min(checkRows, ROWS_MAX);
	if (layout.rows > maximum) {
		const detail = `The list has ${layout.rows} rows; the plan ${plan} allows ${maximum}.`;
		throw new Problem("validation-error", { faults: [{ pointer: "", code: "too-many", detail, maximum }] });
	}
	const now = deps.clock.now();
	const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
	const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
	const { keyId = null, tenantId = null, ownerId = null } = call.principal ?? {};
	const created = { ...check, keyId, tenantId, ownerId, createdAt: now, expiresAt: expiryOf(now) };
	const record = toRecord({ ...created, ...UNTOUCHED, rows: layout.rows });
	const headers = { location: `${PATH}/${check.id}`, "retry-after": "1", ...PRIVATE_NO_STORE };
	const isFirst = await deps.sql.begin(async (tx) => {
		const { rows, running } = await measureUse(tx, subject, new Date(month));
		if (running >= RUNNING_MAX) throw tooManyRunning();
		if (checkRowsPerMonth !== null && rows + layout.rows > checkRowsPerMonth) {
			const detail = `The plan ${plan} allows ${checkRowsPerMonth} rows in a month (UTC); ${rows} are used.`;
			const windowSeconds = (nextMonth - month) / 1_000;
			const policy = { name: "check-rows", quota: checkRowsPerMonth, windowSeconds, detail };
			throw beyondCount({ ...policy, slug: "rate-limit-exceeded" }, Math.ceil((nextMonth - now.getTime()) / 1_000));
		}
		const { "retry-after": _, ...kept } = headers;
		const stored = {
			rawSha256: sha256,
			payloadSha256: sha256,
			answer: JSON.stringify(record),
			headers: kept,
			docId: null,
		};
		if (place && !(await saveAnswer(tx, place, stored))) return false;
		await insertCheck(tx, created);
		return true;
	});
	return isFirst ? json(202, record, headers) : undefined;
}

const UNTOUCHED = { status: "running", done: 0, counts: null, runId: null, clearedOf: null, finishedAt: null } as const;

function tooManyRunning(): Problem {
	const detail = `You can have at most ${RUNNING_MAX} checks under way.`;
	return new Problem("rate-limit-exceeded", {
		detail,
		extensions: { limit: RUNNING_MAX, retryAfter: 10, policy: "checks-under-way" },
		headers: { "retry-after": "10" },
	});
}

function toProblem({ row, column, found }: ListError): Problem {
	const place = [row === null ? "" : `Row ${row}`, column === null ? "" : `column ${column}`]
		.filter(Boolean)
		.join(", ");
	const detail = `${place === "" ? "Found" : `${place}:`} ${found}.`;
	return new Problem("list-unreadable", {
		detail,
		faults: [{ pointer: "", code: "unreadable", detail, row, column, found }],
	});
}

/** Throws: not-found. */
async function findOwn({ sql, clock }: CheckRouteDeps, call: Call): Promise<CheckRow & { readonly layout: Layout }> {
	const id = idFrom(call, "checkId");
	const row = await retryOnFailure(() => findCheck(sql, subjectIdOf(call, "lookup"), id, clock.now()));
	if (!row?.layout) throw new Problem("not-found");
	return { ...row, layout: row.layout };
}

async function getResult(deps: CheckRouteDeps, runner: CheckRunner, call: Call): Promise<Response> {
	const { format: asked = "csv" } = readQuery(call);
	const format = RESULT_FORMATS.find((one) => one === asked) ?? "csv";
	const row = await findOwn(deps, call);
	if (row.status !== "done") {
		const detail = row.status === "running" ? "The check is not done yet." : "The check has no result.";
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

function toRecord(row: Omit<CheckRow, "layout"> & { readonly layout: Layout }): RegistryCheck {
	const { layout } = row;
	const columnOf = (i: number | null) => (i === null ? null : (layout.columns[i] ?? null));
	return {
		check_id: row.id,
		status: row.status === "ended" ? "failed" : row.status,
		...{ rows: row.rows, done: row.done, counts: row.counts ?? noCounts() },
		...{ format: layout.format, encoding: layout.encoding, delimiter: layout.delimiter },
		...{ number_column: columnOf(layout.numberColumn), name_column: columnOf(layout.nameColumn) },
		run_id: row.runId,
		created_at: row.createdAt.toISOString(),
		finished_at: row.finishedAt?.toISOString() ?? null,
		expires_at: row.expiresAt.toISOString(),
	};
}
