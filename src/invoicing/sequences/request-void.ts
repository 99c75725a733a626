/** Voids numbers: they leave the free ones at once, and an outbox message notifies the authority. */
import { waitForDocuments } from "../../companies";
import type { Tx } from "../../platform/database";
import { append, OUTBOX_KINDS } from "../../platform/outbox";
import { type Fault, msg, Problem } from "../../platform/problem";
import { newId } from "../../platform/values";
import { endHolds, isHeld } from "./hold-store";
import { notifyWhenLow } from "./low-sequence";
import { countNumbers, toEncf, toNumber } from "./number-ranges";
import { checkRange } from "./register-sequence";
import type { VoidRecord, VoidRequest } from "./sequence";
import { findUsable, lockNewType, removeRange, type TypeKey, waitForType } from "./store";
import { findFirstUsed } from "./used-numbers-store";
import { findVoid, insertVoid, isVoided, type VoidRow } from "./void-store";

type At = { readonly now: Date; readonly today: string };

/** Throws: validation-error; sequence-conflict if a number of the range is used, held, leased or voided. */
export async function requestVoid(tx: Tx, tenantId: string, request: VoidRequest, at: At): Promise<VoidRow> {
	const faults = checkRange(request);
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	const key = { tenantId, type: request.type };
	const range = { first: toNumber(request.from), last: toNumber(request.to) };
	// First, because the next lock blocks storing, also for other tenants, so nothing may wait for long under it.
	await waitForType(tx, key);
	// Before the type: a storing transaction may wait for a number that is given back, which waits for the type.
	await waitForDocuments(tx, tenantId);
	await lockNewType(tx, key);
	await endHolds(tx, key);
	const conflicts = await findConflicts(tx, key, range);
	if (conflicts.length > 0) throw new Problem("sequence-conflict", { detail: conflicts[0]?.detail, faults: conflicts });
	const sequenceId = await removeRange(tx, key, range);
	const id = newId();
	await insertVoid(tx, { ...key, id, range, reason: request.reason });
	await append(tx, { kind: OUTBOX_KINDS.voidSequence, tenantId, subject: id });
	if (sequenceId !== undefined) {
		const usable = await findUsable(tx, key, at.now);
		const available = usable.reduce((sum, { free }) => sum + countNumbers(free), 0);
		await notifyWhenLow(tx, key, { available, sequenceId, now: at.now });
	}
	const row = await findVoid(tx, tenantId, id);
	if (!row) throw new Error(`void ${id} was inserted and is not there`);
	return row;
}

async function findConflicts(tx: Tx, key: TypeKey, range: { first: number; last: number }): Promise<Fault[]> {
	const faults: Fault[] = [];
	const used = await findFirstUsed(tx, key, range);
	if (used !== undefined) {
		const detail = msg`${toEncf(key.type, used)} belongs to a document.`;
		faults.push({ pointer: "/from", code: "number-used", detail });
	}
	if (await isHeld(tx, key, range)) {
		faults.push({
			pointer: "/from",
			code: "number-held",
			detail: msg`A number of the range is leased or being issued.`,
		});
	}
	if (await isVoided(tx, key, range)) {
		faults.push({ pointer: "/from", code: "number-voided", detail: msg`A number of the range has been voided.` });
	}
	return faults;
}

export function toVoidRecord(row: VoidRow): VoidRecord {
	return {
		id: row.id,
		type: row.type,
		from: toEncf(row.type, row.first),
		to: toEncf(row.type, row.last),
		count: row.last - row.first + 1,
		reason: row.reason,
		status: row.status,
		messages: row.messages.map((m) => ({ ...m })),
		attempts: row.attempts,
		createdAt: row.createdAt.toISOString(),
		decidedAt: row.decidedAt?.toISOString() ?? null,
		_links: { self: `/v1/sequences/voids/${row.id}` },
	};
}
