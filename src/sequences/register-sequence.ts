/** Registers a range of numbers that the authority has authorised. */
import type { Tx } from "../database";
import { type Fault, Problem } from "../problem";
import { isIsoDate, newId } from "../values";
import { countNumbers, toNumber } from "./number-ranges";
import type { SequenceRequest } from "./sequence";
import {
	findOverlap,
	findSequences,
	findUsable,
	insertSequence,
	lockNewType,
	type NewSequence,
	noteCapacity,
	type SequenceRow,
	type TypeKey,
} from "./store";

/** Types whose sequences never expire. Source: the authority's e-CF format. */
const WITHOUT_EXPIRY = new Set(["32", "34"]);
/** Source: the authority's description of its test environment: its ranges, and the expiry seen in data sets for it. */
const SANDBOX_LAST: Readonly<Record<string, number>> = { "32": 50_000_000 };
const SANDBOX_LAST_OTHERS = 10_000_000;
const SANDBOX_EXPIRES_ON = "2028-12-31";

/** Faults of a range against its type; the form of its ends is the schema's. */
export function checkRange({ type, from, to }: { type: string; from: string; to: string }): Fault[] {
	const faults: Fault[] = [];
	for (const [pointer, encf] of [
		["/from", from],
		["/to", to],
	] as const) {
		if (encf.slice(1, 3) !== type)
			faults.push({ pointer, code: "encf-type-mismatch", detail: `Characters 2-3 must equal type ${type}.` });
	}
	if (toNumber(from) === 0) faults.push({ pointer: "/from", code: "encf-zero", detail: "The sequence starts at 1." });
	if (faults.length === 0 && toNumber(from) > toNumber(to))
		faults.push({ pointer: "/to", code: "range-reversed", detail: "Comes before `from`." });
	return faults;
}

/** Throws: validation-error. */
export function checkSequenceRequest(request: SequenceRequest, today: string): void {
	const { type, expiresAt } = request;
	const faults = checkRange(request);
	const add = (code: string, detail: string) => faults.push({ pointer: "/expiresAt", code, detail });
	if (expiresAt) {
		if (!isIsoDate(expiresAt)) add("invalid-date", "Is not a day of the calendar.");
		else if (expiresAt < today) add("expired", "The sequence has expired.");
	} else if (!WITHOUT_EXPIRY.has(type)) add("required", `Sequences of type ${type} have a last day.`);
	if (faults.length > 0) throw new Problem("validation-error", { faults });
}

/** Throws: sequence-conflict when the range shares numbers with another one of the tenant. */
export async function registerSequence(
	tx: Tx,
	tenantId: string,
	{ type, from, to, expiresAt }: SequenceRequest,
	today: string,
): Promise<SequenceRow> {
	const key = { tenantId, type };
	const range = { first: toNumber(from), last: toNumber(to) };
	await lockNewType(tx, key);
	const other = await findOverlap(tx, key, range);
	if (other !== undefined) {
		const detail = "The range shares numbers with a registered sequence.";
		throw new Problem("sequence-conflict", {
			detail,
			faults: [{ pointer: "/from", code: "overlaps-sequence", detail }],
			extensions: { sequenceId: other },
		});
	}
	return insert(tx, { ...key, id: newId(), range, expiresOn: expiresAt ?? null }, today);
}

/**
 * Gap: in the sandboxes a type for which nothing was ever registered gets the range of the authority's test environment at its first
 * automatic number, so that a newcomer needs no range to try it.
 */
export async function openSandboxSequence(tx: Tx, key: TypeKey, today: string): Promise<void> {
	await lockNewType(tx, key);
	const last = SANDBOX_LAST[key.type] ?? SANDBOX_LAST_OTHERS;
	const expiresOn = sandboxExpiry(key.type);
	if ((await findOverlap(tx, key, { first: 1, last: 9_999_999_999 })) !== undefined) return;
	await insert(tx, { ...key, id: newId(), range: { first: 1, last }, expiresOn }, today);
}

export function sandboxExpiry(type: string): string | null {
	return WITHOUT_EXPIRY.has(type) ? null : SANDBOX_EXPIRES_ON;
}

async function insert(tx: Tx, sequence: NewSequence, today: string): Promise<SequenceRow> {
	await insertSequence(tx, sequence);
	const usable = await findUsable(tx, sequence, today);
	await noteCapacity(
		tx,
		sequence,
		usable.reduce((sum, one) => sum + countNumbers(one.free), 0),
	);
	const [row] = await findSequences(tx, sequence.tenantId, sequence.id);
	if (!row) throw new Error(`sequence ${sequence.id} was inserted and is not there`);
	return row;
}
