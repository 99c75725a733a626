/** Registers a range of numbers that the authority has authorised, and withdraws one. */
import { needsSequenceExpiry, profileOf, toEcfType } from "../../ecf/mapping";
import type { Tx } from "../../platform/database";
import { findDocumentDayFault } from "../../platform/operation";
import { type Fault, type Message, msg, Problem } from "../../platform/problem";
import { type Environment, isSandbox, newId } from "../../platform/values";
import { endHolds, isSequenceHeld } from "./hold-store";
import { findSequences, type SequenceRow } from "./list-store";
import { countNumbers, toNumber } from "./number-ranges";
import type { SequenceRequest } from "./sequence";
import {
	deleteSequence,
	findOverlap,
	findTypeOf,
	findUsable,
	hasSequence,
	insertSequence,
	lockNewType,
	lockType,
	type NewSequence,
	noteCapacity,
	type TypeKey,
} from "./store";

/** Source: the expiry seen in data sets for the authority's test environment. */
const SANDBOX_EXPIRES_ON = "2028-12-31";

/** Violations of a range against its type. The schema checks the form of its ends. */
export function checkRange({ type, from, to }: { type: string; from: string; to: string }): Fault[] {
	const faults: Fault[] = [];
	for (const [pointer, encf] of [
		["/from", from],
		["/to", to],
	] as const) {
		if (encf.slice(1, 3) !== type)
			faults.push({ pointer, code: "encf-type-mismatch", detail: msg`Characters 2-3 must equal type ${type}.` });
	}
	if (toNumber(from) === 0)
		faults.push({ pointer: "/from", code: "encf-zero", detail: msg`The sequence starts at 1.` });
	if (faults.length === 0 && toNumber(from) > toNumber(to))
		faults.push({ pointer: "/to", code: "range-reversed", detail: msg`Must not come before \`from\`.` });
	return faults;
}

/** `today` is the tenant's day. Throws: validation-error. */
export function checkSequenceRequest(request: SequenceRequest, today: string): void {
	const { type, expiresAt } = request;
	const faults = checkRange(request);
	const add = (code: string, detail: Message) => faults.push({ pointer: "/expiresAt", code, detail });
	if (expiresAt) {
		const fault = findDocumentDayFault(expiresAt);
		if (fault !== undefined) add("invalid-date", fault);
		else if (expiresAt < today) add("expired", msg`The sequence has expired.`);
	} else if (needsSequenceExpiry(type)) add("required", msg`Sequences of type ${type} need a last day.`);
	if (faults.length > 0) throw new Problem("validation-error", { faults });
}

/** Throws: sequence-conflict when the range overlaps another one of the tenant. */
export async function registerSequence(
	tx: Tx,
	tenantId: string,
	{ type, from, to, expiresAt }: SequenceRequest,
	now: Date,
): Promise<SequenceRow> {
	const key = { tenantId, type };
	const range = { first: toNumber(from), last: toNumber(to) };
	await lockNewType(tx, key);
	const other = await findOverlap(tx, key, range);
	if (other !== undefined) {
		const detail = msg`The range shares numbers with a registered sequence.`;
		throw new Problem("sequence-conflict", {
			detail,
			faults: [{ pointer: "/from", code: "overlaps-sequence", detail }],
			extensions: { sequenceId: other },
		});
	}
	return insert(tx, { ...key, id: newId(), range, expiresOn: expiresAt ?? null }, now);
}

/**
 * Locks a type to take numbers of it. False if the type was never registered. Gap: in the sandboxes the first use of a type without a sequence registers
 * the range of the authority's test environment, so that new users need no range.
 */
export async function lockToTake(
	tx: Tx,
	key: TypeKey,
	{ environment, now }: { readonly environment: Environment; readonly now: Date },
): Promise<boolean> {
	const known = await lockType(tx, key);
	// A type that was only voided has a row but no sequence.
	if ((known && known.capacity > 0) || !isSandbox(environment)) return known !== undefined;
	await lockNewType(tx, key);
	if (!(await hasSequence(tx, key))) await insert(tx, { ...key, id: newId(), ...sandboxSequence(key.type) }, now);
	return true;
}

/** The range of a type without a sequence, in the sandboxes. */
export function sandboxSequence(type: string): Pick<NewSequence, "range" | "expiresOn"> {
	const last = profileOf(toEcfType(type)).sandboxLast;
	return { range: { first: 1, last }, expiresOn: needsSequenceExpiry(type) ? SANDBOX_EXPIRES_ON : null };
}

async function insert(tx: Tx, sequence: NewSequence, now: Date): Promise<SequenceRow> {
	await insertSequence(tx, sequence);
	const usable = await findUsable(tx, sequence, now);
	await noteCapacity(
		tx,
		sequence,
		usable.reduce((sum, one) => sum + countNumbers(one.free), 0),
	);
	const [row] = await findSequences(tx, sequence.tenantId, sequence.id);
	if (!row) throw new Error(`sequence ${sequence.id} was inserted and is not there`);
	return row;
}

/**
 * Withdraws a range that was registered by mistake or that the authority does not know, whose numbers would be refused and given out again for ever.
 * Documents keep their numbers. Throws: not-found; sequence-conflict while a lease or an invoice in progress has numbers of it.
 */
export async function withdrawSequence(tx: Tx, tenantId: string, id: string, now: Date): Promise<void> {
	const type = await findTypeOf(tx, tenantId, id);
	if (type === undefined) throw new Problem("not-found");
	const key = { tenantId, type };
	await lockType(tx, key);
	await endHolds(tx, key);
	if (await isSequenceHeld(tx, key, id)) {
		const detail = msg`Numbers of the sequence are leased or being issued. Return its leases first.`;
		throw new Problem("sequence-conflict", { detail, extensions: { sequenceId: id } });
	}
	if (!(await deleteSequence(tx, tenantId, id))) throw new Problem("not-found");
	const usable = await findUsable(tx, key, now);
	const left = usable.reduce((sum, { free }) => sum + countNumbers(free), 0);
	await noteCapacity(tx, key, left);
}
