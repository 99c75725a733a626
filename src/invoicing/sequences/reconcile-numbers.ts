/**
 * Compares a company's numbers with the authority, after a failover that may have lost documents which nothing holds any more.
 *
 *   free numbers in the order of giving:   known   unknown   known   unknown  unknown  …
 *                                          └─────── never given again ─────┘└── skipped ──┘
 *
 * Model: numbers are given in one order, so the lost server gave those that come next. The authority is asked for them one by one, until it has not known
 * `skip` in a row. Those up to the last known one leave `free`. So do the `skip` behind it in types that were used in the last two weeks.
 *
 * Gap: a document that was acknowledged, and neither sent nor archived, is known nowhere. The numbers that are skipped cover it while there were at most
 * `skip` of them. In certification, where the authority answers no such question, they cover every document.
 *
 * Gap: a type of a sandbox whose first number was lost has no range yet, so nothing is asked about it.
 */
import { type Authority, type Caller, type Signatory, toCaller, toSegment } from "../../authority/client";
import { type CompanyRow, findCompany, findSigningIdentity } from "../../companies";
import type { Sql } from "../../platform/database";
import { type Clock, newId, toLocalIsoDate } from "../../platform/values";
import { endHolds, expirePlacedHolds } from "./hold-store";
import { type NumberRange, toEncf } from "./number-ranges";
import { findUsable, lockType, removeRange, type TypeKey } from "./store";
import { findTypes, insertNames, removeUnreconciled } from "./unreconciled-store";
import { settleDocuments } from "./used-numbers-store";

export type ReconcileOptions = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly authority: Pick<Authority<Signatory>, "queryState">;
};

/** `known`: numbers of documents that the authority has and the database lacks. `left`: why the company gets no numbers yet. */
export type Reconciled = { readonly tenantId: string } & (
	| { readonly known: readonly string[]; readonly skipped: number }
	| { readonly left: string }
);

type Asked = { readonly known: readonly number[]; readonly passed: readonly number[]; readonly skipped: number };

/** Settled numbers of one statement. */
const SETTLED_MAX = 1_000_000;

/** `skip`: how many numbers in a row the authority may not know. */
export async function reconcileNumbers(deps: ReconcileOptions, tenantId: string, skip: number): Promise<Reconciled> {
	const { sql, clock } = deps;
	const company = await findCompany(sql, tenantId);
	const known: string[] = [];
	let skipped = 0;
	for (const { type, isInUse } of await findTypes(sql, tenantId, toLocalIsoDate(clock.now()))) {
		const identity = await findSigningIdentity(sql, tenantId, clock.now());
		if (!company || !identity) return { tenantId, left: "it has no certificate in force to ask the authority with" };
		const who = toCaller(toSegment(company.authorityEnvironment), identity, company.settings.signatureProfile);
		const key = { tenantId, type };
		const free = await findFree(deps, key);
		const asked = await askInOrder(deps, who, { company, type, free, isInUse, skip });
		if ("left" in asked) return { tenantId, left: asked.left };
		await moveOn(deps, key, asked);
		known.push(...asked.known.map((number) => toEncf(type, number)));
		skipped += asked.skipped;
	}
	await removeUnreconciled(sql, tenantId);
	return { tenantId, known, skipped };
}

/** In the order in which they would be given. A request that holds a number stores nothing under it and takes another one later. */
async function findFree({ sql, clock }: ReconcileOptions, key: TypeKey): Promise<NumberRange[]> {
	return sql.begin(async (tx) => {
		await lockType(tx, key);
		await expirePlacedHolds(tx, key);
		await endHolds(tx, key);
		await settleDocuments(tx, key, { countMax: SETTLED_MAX });
		return (await findUsable(tx, key, clock.now())).flatMap(({ free }) => free);
	});
}

async function askInOrder(
	{ authority }: ReconcileOptions,
	who: Caller<Signatory>,
	about: {
		readonly company: Pick<CompanyRow, "rnc">;
		readonly type: string;
		readonly free: readonly NumberRange[];
		readonly isInUse: boolean;
		readonly skip: number;
	},
): Promise<Asked | { readonly left: string }> {
	const { company, type, free, isInUse, skip } = about;
	const known: number[] = [];
	const passed: number[] = [];
	const unknown: number[] = [];
	for (const number of walk(free)) {
		if (unknown.length >= skip) break;
		const encf = toEncf(type, number);
		const verdict = await authority.queryState(who, { rnc: company.rnc, encf });
		if (verdict.kind === "unavailable" && verdict.reason !== "authority-service-absent")
			return { left: `the authority did not answer for ${encf}: ${verdict.reason}` };
		if (verdict.kind === "not-found" || verdict.kind === "unavailable") unknown.push(number);
		else {
			known.push(number);
			passed.push(...unknown.splice(0), number);
		}
	}
	const skipped = isInUse ? unknown : [];
	return { known, passed: [...passed, ...skipped], skipped: passed.length - known.length + skipped.length };
}

function* walk(ranges: readonly NumberRange[]): Generator<number> {
	for (const { first, last } of ranges) for (let number = first; number <= last; number++) yield number;
}

/** Sequences may have ended meanwhile; their numbers are not given either. */
async function moveOn({ sql }: ReconcileOptions, key: TypeKey, { known, passed }: Asked): Promise<void> {
	await sql.begin(async (tx) => {
		await lockType(tx, key);
		await insertNames(
			tx,
			key,
			known.map((number) => ({ number, docId: newId() })),
		);
		for (const range of toRanges(passed)) await removeRange(tx, key, range);
	});
}

/** Neighbours in their order become one range. */
function toRanges(numbers: readonly number[]): NumberRange[] {
	const ranges: { first: number; last: number }[] = [];
	for (const number of numbers) {
		const range = ranges.at(-1);
		if (range && number === range.last + 1) range.last = number;
		else ranges.push({ first: number, last: number });
	}
	return ranges;
}
