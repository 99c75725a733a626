/** Receives a list: its bytes go to a file, which is read as a whole before the answer. */

import { createHash } from "node:crypto";
import { open, rm } from "node:fs/promises";
import {
	beyondCount,
	type CallerLimit,
	createCallerLimit,
	isShared,
	PLAN_LIMITS,
	subjectIdOf,
} from "../../identity/rate-limits";
import {
	findAnswer,
	type IdempotencyKey,
	readIdempotencyKey,
	replayAnswer,
	saveAnswer,
} from "../../platform/idempotency";
import { type Call, json, PRIVATE_NO_STORE, readPiecewise, readQuery } from "../../platform/operation";
import { type Message, msg, Problem } from "../../platform/problem";
import { newId } from "../../platform/values";
import { openDay, registryUnavailable } from "../runs";
import { toRecord } from "./check-record";
import { type CheckRow, type Holder, insertCheck, measureUse } from "./checks-store";
import type { Layout } from "./list-layout";
import { ListError, ROWS_MAX } from "./list-row";
import { type CheckRunner, type ChecksDeps, expiryOf } from "./run-checks";

/** What the operations read and write. */
export type CheckContext = Pick<ChecksDeps, "sql" | "clock" | "current" | "tombstones">;

export const PATH = "/v1/authority/checks";
/** Lists that a caller may send at once, and checks that it may have under way. Gap: the numbers. */
const AT_ONCE_MAX = 2;
const RUNNING_MAX = 20;

export function holderOf(call: Call): Holder {
	const { principal } = call;
	return { subject: subjectIdOf(call, "lookup"), isShared: isShared(principal), tenantId: principal?.tenantId };
}

const planOf = (call: Call) => call.principal?.plan ?? "demo";
const limitsOf = (call: Call) => PLAN_LIMITS[planOf(call)].registry;

/** Throws: registry-unavailable; list-unreadable; history-not-available; validation-error; rate-limit-exceeded; those of keys. */
export function createReceiver(deps: CheckContext, runner: CheckRunner): (call: Call) => Promise<Response> {
	const uploads = createCallerLimit({
		max: AT_ONCE_MAX,
		policy: "lists-at-once",
		detail: msg`You can send at most ${AT_ONCE_MAX} lists at once.`,
		retryAfter: 1,
	});
	return (call) => receive(deps, runner, uploads, call);
}

async function receive(deps: CheckContext, runner: CheckRunner, uploads: CallerLimit, call: Call): Promise<Response> {
	const query = readQuery(call);
	const key = readIdempotencyKey(call.request, "optional");
	if (!deps.current.get()) throw registryUnavailable();
	const asOf = query.as_of ?? null;
	// Before the list is received; it is about the plan and the day alone.
	if (asOf !== null) openDay(deps, { day: asOf, pointer: "#/query/as_of", historyDays: limitsOf(call).historyDays });
	const holder = holderOf(call);
	const { subject } = holder;
	const scopeId = (holder.isShared ? holder.tenantId : undefined) ?? subject;
	const place = key === undefined ? undefined : { scopeId, operation: `POST ${PATH}`, key };
	const leave = uploads.enter(subject);
	const id = newId();
	const host = runner.host();
	const path = `${runner.baseOf(id)}.list`;
	let isKept = false;
	try {
		const sha256 = await keep(call, path);
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
		const answer = await insertOnce(deps, call, { id, subject, host, layout, asOf, place, sha256 });
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
async function keep(call: Call, path: string): Promise<Buffer> {
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
	{ sql }: CheckContext,
	place: IdempotencyKey | undefined,
	sha256: Buffer,
): Promise<Response | undefined> {
	const stored = place && (await findAnswer(sql, place));
	if (!stored) return undefined;
	if (!sha256.equals(stored.rawSha256)) throw new Problem("idempotency-key-reused");
	return replayAnswer(stored);
}

type NewCheck = Pick<CheckRow, "id" | "subject" | "host" | "asOf"> & {
	readonly layout: Layout;
	readonly place: IdempotencyKey | undefined;
	readonly sha256: Buffer;
};

/** Undefined if an equal request came first. Throws: validation-error, rate-limit-exceeded. */
async function insertOnce(deps: CheckContext, call: Call, check: NewCheck): Promise<Response | undefined> {
	const { layout, subject, place, sha256 } = check;
	const plan = planOf(call);
	const { checkRows, checkRowsPerMonth } = limitsOf(call);
	call.countItems?.(layout.rows);
	const maximum = Math.min(checkRows, ROWS_MAX);
	if (layout.rows > maximum) {
		const detail = msg`The list has ${layout.rows} rows; the plan ${plan} allows ${maximum}.`;
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
			const detail = msg`The plan ${plan} allows ${checkRowsPerMonth} rows in a month (UTC); ${rows} are used.`;
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
	const detail = msg`You can have at most ${RUNNING_MAX} checks under way.`;
	return new Problem("rate-limit-exceeded", {
		detail,
		extensions: { limit: RUNNING_MAX, retryAfter: 10, policy: "checks-under-way" },
		headers: { "retry-after": "10" },
	});
}

function toProblem({ row, column, found }: ListError): Problem {
	const detail = describePlace(row, column, found);
	return new Problem("list-unreadable", {
		detail,
		faults: [{ pointer: "", code: "unreadable", detail, row, column, found: String(found) }],
	});
}

function describePlace(row: number | null, column: number | null, found: Message): Message {
	if (row !== null && column !== null) return msg`Row ${row}, column ${column}: ${found}.`;
	if (row !== null) return msg`Row ${row}: ${found}.`;
	return column === null ? msg`Found ${found}.` : msg`column ${column}: ${found}.`;
}
