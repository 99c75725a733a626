/**
 * Numbers for documents whose issuer leaves the numbering to the service.
 *
 * The number is part of the signed bytes, so it must be known before signing. Signing inside a transaction that locks the sequence would allow one
 * document of a type at a time. So there are two steps:
 *
 *   take    type locked, lowest free number into a hold, commit        a hold belongs to one request and expires after a minute
 *   (sign)
 *   store   hold locked, invoice inserted, hold removed, one commit    in the transaction that stores the document
 *
 * Failures: a refused request returns its hold at once. A crashed request loses it when it expires, or keeps it under the same idempotency key. A process
 * that was paused until its hold expired stores nothing and takes another number. So each number is in at most one stored document, and none is lost.
 *
 * Quirk: the hold's commit does not wait for the disk. The document's commit does, and makes all earlier commits durable. A hold that a server crash
 * loses was in no document.
 */

import { companyMoved, findClockAhead, hasNoMove, tenantsDay } from "../../companies";
import { type Batcher, createBatcher, createKeyedBatcher } from "../../platform/concurrency";
import { retryOnFailure, type Tx } from "../../platform/database";
import { msg, Problem } from "../../platform/problem";
import { type Environment, isSandbox, newId, toLocalIsoDate } from "../../platform/values";
import { endHolds, extendPlacedHolds, type Hold, insertHolds, type PlacedHold } from "./hold-store";
import { findNext, findNextOf } from "./list-store";
import { notifyOfType } from "./low-sequence";
import { listNumbers, toEncf, toNumber } from "./number-ranges";
import { lockToTake, sandboxSequence } from "./register-sequence";
import type { SequenceDeps } from "./sequence";
import { findStandings, hasSequence, lockType, type NumberStanding, type TypeKey } from "./store";
import { takeNumbers } from "./take-numbers";
import { isReconciling } from "./unreconciled-store";

/** Requests with equal places share one number, so that a repeat takes no second one. */
export type NumberRequest = TypeKey & { readonly place: string };

export type HeldNumber = {
	readonly holdId: string;
	readonly encf: string;
	/** Last day of its sequence; null for types without one. */
	readonly expiresOn: string | null;
};

export type Numbering = {
	/** Throws: sequence-exhausted; sequence-reconciling; service-unavailable while the company moves between the authority's environments. */
	readonly take: (request: NumberRequest) => Promise<HeldNumber>;
	/** Frees a number without a stored document. Has no effect on other numbers. */
	readonly giveBack: (key: TypeKey, holdId: string) => Promise<void>;
	/** The next number, without taking it. Throws: sequence-exhausted. */
	readonly preview: (key: TypeKey) => Promise<Omit<HeldNumber, "holdId">>;
	/** Whether a number is in a registered sequence, and the last day of that. */
	readonly findStanding: Batcher<{ readonly tenantId: string; readonly encf: string }, NumberStanding>;
};

/** Longer than the longest wait for a signature. */
const HOLD_SECONDS = 60;

export function createNumbering(deps: Pick<SequenceDeps, "sql" | "clock" | "environment" | "wake">): Numbering {
	const { sql } = deps;
	// A type may be locked for long, for example while a range with many documents is registered.
	const takeBatched = createKeyedBatcher(
		(requests: readonly NumberRequest[]) => takeTogether(deps, requests),
		({ tenantId, type }) => `${tenantId} ${type}`,
		{ itemsMax: 64, runsMax: 4, slowAfterMs: 250, slowMax: 8 },
	);
	return {
		async take(request) {
			const held = await retryOnFailure(() => takeBatched(request));
			if (held === "company-moves") throw companyMoved();
			if (held) return held;
			throw exhausted(request.type);
		},
		async giveBack(key, holdId) {
			await sql.begin(async (tx) => {
				// A move removes the holds itself. If the move fails, this hold expires.
				const [row] = await tx<{ isHere: boolean }[]>`select ${hasNoMove(tx, key.tenantId)} as "isHere"`;
				if (!row?.isHere) return;
				await lockType(tx, key);
				await endHolds(tx, key, holdId);
			});
		},
		async preview(key) {
			const next = await previewNext(deps, key);
			if (!next) throw exhausted(key.type);
			return { encf: toEncf(key.type, next.number), expiresOn: next.expiresOn };
		},
		findStanding: createBatcher(
			(asked) =>
				findStandings(
					sql,
					asked.map(({ tenantId, encf }) => ({ tenantId, type: encf.slice(1, 3), number: toNumber(encf) })),
				),
			{ itemsMax: 200, runsMax: 2 },
		),
	};
}

/** `count`: the size of a lease; a document needs one number, for its `encf`. */
export function exhausted(type: string, count?: number): Problem {
	// Some numbers may be left for a smaller lease.
	const detail =
		count === undefined || count === 1
			? msg`No number of type ${type} is left in the registered sequences that have not expired.`
			: msg`Fewer than ${count} numbers of type ${type} are left in the registered sequences that have not expired.`;
	return new Problem("sequence-exhausted", {
		detail,
		faults: [{ pointer: count === undefined ? "/encf" : "/count", code: "sequence-exhausted", detail }],
		extensions: { fix: "/v1/sequences" },
	});
}

/** Numbers that the lost server gave may not be stored yet. */
export function reconciling(): Problem {
	return new Problem("sequence-reconciling", {
		detail: msg`Another database server has taken over, and invoices that were acknowledged before are being found again.`,
		extensions: { stored: false, retryable: true },
		headers: { "retry-after": "5" },
	});
}

/** Takes all numbers of one type of a tenant in one transaction. */
async function takeTogether(
	deps: Pick<SequenceDeps, "sql" | "clock" | "environment" | "wake">,
	requests: readonly NumberRequest[],
): Promise<(HeldNumber | "company-moves" | undefined)[]> {
	const [{ tenantId, type } = { tenantId: "", type: "" }] = requests;
	const places = [...new Set(requests.map(({ place }) => place))];
	const taken = await takeForType(deps, { tenantId, type }, places);
	if (taken === "company-moves") return requests.map(() => taken);
	const held = new Map(taken.map((one) => [one.place, toHeld(type, one)]));
	return requests.map(({ place }) => held.get(place));
}

/** A move locks the types of its company for a long time, so nothing waits for it. */
async function takeForType(
	deps: Pick<SequenceDeps, "sql" | "clock" | "environment" | "wake">,
	key: TypeKey,
	places: readonly string[],
): Promise<PlacedHold[] | "company-moves"> {
	const { environment } = deps;
	const now = deps.clock.now();
	const today = toLocalIsoDate(now);
	const { placed, isNotified } = await deps.sql.begin(async (tx) => {
		const [row] = await tx<{ isHere: boolean; isReconciling: boolean }[]>`
			select ${hasNoMove(tx, key.tenantId)} as "isHere", ${isReconciling(tx, key.tenantId)} as "isReconciling",
				set_config('synchronous_commit', 'off', true)`;
		if (row?.isReconciling) throw reconciling();
		if (!row?.isHere) return { placed: "company-moves" as const, isNotified: false };
		if (!(await lockToTake(tx, key, { environment, now }))) return { placed: [], isNotified: false };
		const known = await extendPlacedHolds(tx, key.tenantId, places, HOLD_SECONDS);
		const missing = places.filter((place) => !known.some((one) => one.place === place));
		const made = await takeSingles(tx, key, missing, { now, today, environment });
		const isOut = made.placed.length < missing.length;
		const isNotifiedOfEnd = isOut && (await notifyOfType(tx, key, now));
		return { placed: [...known, ...made.placed], isNotified: made.isNotified || isNotifiedOfEnd };
	});
	if (isNotified) deps.wake();
	return placed;
}

/** A number for each place, as far as there are enough. */
async function takeSingles(
	tx: Tx,
	key: TypeKey,
	places: readonly string[],
	at: { readonly now: Date; readonly today: string; readonly environment: Environment },
): Promise<{ placed: PlacedHold[]; isNotified: boolean }> {
	for (let count = places.length; count > 0; count = Math.floor(count / 2)) {
		const got = await takeNumbers(tx, key, count, at);
		if (!got) continue;
		const numbers = got.taken.flatMap(({ sequenceId, expiresOn, ranges }) =>
			listNumbers(ranges).map((number) => ({ sequenceId, expiresOn, number })),
		);
		const placed = numbers.map(({ sequenceId, expiresOn, number }, i) => ({
			...{ place: places[i] ?? "", id: newId(), number, expiresOn, sequenceId },
		}));
		await insertHolds(
			tx,
			placed.map(
				({ place, id, number, sequenceId }): Hold => ({
					...{ ...key, id, sequenceId, place, seconds: HOLD_SECONDS, givenOn: at.today },
					ranges: [{ first: number, last: number }],
				}),
			),
		);
		const rest = await takeSingles(tx, key, places.slice(count), at);
		return { placed: [...placed, ...rest.placed], isNotified: got.isNotified || rest.isNotified };
	}
	return { placed: [], isNotified: false };
}

/** What `take` would give, including the range of a sandbox. */
async function previewNext(
	{ sql, clock, environment }: Pick<SequenceDeps, "sql" | "clock" | "environment" | "wake">,
	key: TypeKey,
): Promise<{ number: number; expiresOn: string | null } | undefined> {
	const now = clock.now();
	if ((await hasSequence(sql, key)) || !isSandbox(environment)) return findNext(sql, key, now);
	const { range, expiresOn } = sandboxSequence(key.type);
	if (expiresOn !== null && expiresOn < tenantsDay(now, await findClockAhead(sql, key.tenantId))) return undefined;
	const number = await findNextOf(sql, key, range);
	return number === undefined ? undefined : { number, expiresOn };
}

function toHeld(type: string, { id, number, expiresOn }: PlacedHold): HeldNumber {
	return { holdId: id, encf: toEncf(type, number), expiresOn };
}
