import type { SequenceDeps } from "./sequence";
/**
 * Numbers for documents whose issuer leaves the numbering to us.
 *
 * The number is part of the signed bytes, so it must be known before the signature, and signing inside a transaction that holds the
 * sequence's row would let one document of a type be signed at a time. So it goes in two steps:
 *
 *   take    type locked, lowest free number into a hold, commit        a hold belongs to one request and ends after a minute
 *   (sign)
 *   store   hold locked, invoice inserted, hold removed, one commit    in the transaction that stores the document
 *
 * What fails: a refused request gives its hold back at once; one that crashed loses it when it ends, or goes on with it under the same
 * idempotency key. A process that was paused until its hold ended finds no hold, stores nothing and takes another number. So a number
 * is in a document if and only if that document is stored, never in two, and none is lost.
 *
 * Quirk: the hold's commit does not wait for the disk. A commit that does, the document's, takes everything before it along; a hold
 * that a crash of the server forgets was in no document.
 */

import { companyMoved, findClockAhead, hasNoMove, tenantsDay } from "../../companies";
import { type Batcher, createBatcher, createKeyedBatcher } from "../../platform/concurrency";
import { retryOnFailure } from "../../platform/database";
import { Problem } from "../../platform/problem";
import { type Environment, isSandbox, newId, toLocalIsoDate } from "../../platform/values";
import { endHolds, extendPlacedHolds, type Hold, insertHolds, type PlacedHold } from "./hold-store";
import { findNext, findNextOf } from "./list-store";
import { notifyOfType } from "./low-sequence";
import { listNumbers, toEncf, toNumber } from "./number-ranges";
import { lockToTake, sandboxSequence } from "./register-sequence";
import { findExpiries, hasSequence, lockType, type TypeKey } from "./store";
import { takeNumbers } from "./take-numbers";

/** Who asks: equal places share one number, so that a request that comes again does not take another one. */
export type NumberRequest = TypeKey & { readonly place: string };

export type HeldNumber = {
	readonly holdId: string;
	readonly encf: string;
	/** Of its sequence; null for types without. */
	readonly expiresOn: string | null;
};

export type Numbering = {
	/** Throws: sequence-exhausted; service-unavailable while the company moves between the authority's environments. */
	readonly take: (request: NumberRequest) => Promise<HeldNumber>;
	/** Frees a number that no document was stored under; does nothing to one that was. */
	readonly giveBack: (key: TypeKey, holdId: string) => Promise<void>;
	/** The number that would be given next, without taking it. Throws: sequence-exhausted. */
	readonly preview: (key: TypeKey) => Promise<Omit<HeldNumber, "holdId">>;
	/** Last day of the registered sequence that a number belongs to. */
	readonly findExpiry: Batcher<{ readonly tenantId: string; readonly encf: string }, string | undefined>;
};

/** Longer than the longest wait for a signature. */
const HOLD_SECONDS = 60;

export function createNumbering(deps: Pick<SequenceDeps, "sql" | "clock" | "environment" | "wake">): Numbering {
	const { sql } = deps;
	// A type may be locked for long, as while a range is registered under which there are many documents.
	const takeGathered = createKeyedBatcher(
		(requests: readonly NumberRequest[]) => takeTogether(deps, requests),
		({ tenantId, type }) => `${tenantId} ${type}`,
		{ itemsMax: 64, runsMax: 4, slowAfterMs: 250, slowMax: 8 },
	);
	return {
		async take(request) {
			const held = await retryOnFailure(() => takeGathered(request));
			if (held === "company-moves") throw companyMoved();
			if (held) return held;
			throw exhausted(request.type);
		},
		async giveBack(key, holdId) {
			await sql.begin(async (tx) => {
				// A move takes the holds away by itself; one that does not come about leaves this one to its end.
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
		findExpiry: createBatcher(
			(asked) =>
				findExpiries(
					sql,
					asked.map(({ tenantId, encf }) => ({ tenantId, type: encf.slice(1, 3), number: toNumber(encf) })),
				),
			{ itemsMax: 200, runsMax: 2 },
		),
	};
}

/** `count`: what a lease asks for at once; a document asks for one, in its `encf`. */
export function exhausted(type: string, count?: number): Problem {
	// Of many there may be some left: then it is the count that is too high.
	const left =
		count === undefined || count === 1
			? `No number of type ${type} is left`
			: `Fewer than ${count} numbers of type ${type} are left`;
	const detail = `${left} in the registered sequences that have not expired.`;
	return new Problem("sequence-exhausted", {
		detail,
		faults: [{ pointer: count === undefined ? "/encf" : "/count", code: "sequence-exhausted", detail }],
		extensions: { fix: "/v1/sequences" },
	});
}

/** All of one type of a tenant, in one transaction. */
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

/** A company that moves has its types for as long as that takes, which nobody waits for. */
async function takeForType(
	deps: Pick<SequenceDeps, "sql" | "clock" | "environment" | "wake">,
	key: TypeKey,
	places: readonly string[],
): Promise<PlacedHold[] | "company-moves"> {
	const { environment } = deps;
	const now = deps.clock.now();
	const today = toLocalIsoDate(now);
	const { placed, isNotified } = await deps.sql.begin(async (tx) => {
		const [{ isHere } = { isHere: false }] = await tx<{ isHere: boolean }[]>`
			select ${hasNoMove(tx, key.tenantId)} as "isHere", set_config('synchronous_commit', 'off', true)`;
		if (!isHere) return { placed: "company-moves" as const, isNotified: false };
		if (!(await lockToTake(tx, key, { environment, now }))) return { placed: [], isNotified: false };
		const known = await extendPlacedHolds(tx, places, HOLD_SECONDS);
		const missing = places.filter((place) => !known.some((one) => one.place === place));
		const made = await takeSingles(tx, key, missing, { now, today, environment });
		const isOut = made.placed.length < missing.length;
		const isNotifiedOfEnd = isOut && (await notifyOfType(tx, key, now));
		return { placed: [...known, ...made.placed], isNotified: made.isNotified || isNotifiedOfEnd };
	});
	if (isNotified) deps.wake();
	return placed;
}

/** A number for each place; when there are too few, for as many as there are. */
async function takeSingles(
	tx: Parameters<typeof takeNumbers>[0],
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

/** What `take` would find, sandbox range included. */
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
