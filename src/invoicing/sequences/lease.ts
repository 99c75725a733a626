/** Numbers that a point of sale leases for use while offline. */
import { configMissing, isActive } from "../../companies";
import type { Tx } from "../../platform/database";
import { Problem } from "../../platform/problem";
import { type Environment, newId } from "../../platform/values";
import { endHolds, findLease, insertHolds, insertLease, type LeaseRow, markReturned } from "./hold-store";
import { toEncf } from "./number-ranges";
import { exhausted, reconciling } from "./numbering";
import { lockToTake } from "./register-sequence";
import type { LeaseRecord, LeaseRequest } from "./sequence";
import { lockType } from "./store";
import { takeNumbers } from "./take-numbers";
import { isReconciling } from "./unreconciled-store";

type At = { readonly now: Date; readonly today: string };

/** Leases numbers. Throws: tenant-config-missing for a company that is not active; sequence-exhausted, without taking any; sequence-reconciling. */
export async function leaseNumbers(
	tx: Tx,
	tenantId: string,
	request: LeaseRequest,
	at: At & { readonly environment: Environment },
): Promise<LeaseRow> {
	if (!(await isActive(tx, tenantId))) throw configMissing(tenantId, ["active"]);
	const [row] = await tx<{ isReconciling: boolean }[]>`select ${isReconciling(tx, tenantId)} as "isReconciling"`;
	if (row?.isReconciling) throw reconciling();
	const key = { tenantId, type: request.type };
	const got = (await lockToTake(tx, key, at)) && (await takeNumbers(tx, key, request.count, at));
	if (!got) throw exhausted(request.type, request.count);
	const id = newId();
	const seconds = request.ttl;
	const ranges = got.taken.flatMap(({ ranges, expiresOn }) => ranges.map((range) => ({ ...range, expiresOn })));
	await insertLease(tx, { ...key, id, count: request.count, ranges, seconds });
	await insertHolds(
		tx,
		got.taken.map(({ sequenceId, ranges }) => ({
			...key,
			id,
			sequenceId,
			ranges,
			place: null,
			seconds,
			givenOn: at.today,
		})),
	);
	return ownLease(tx, tenantId, id);
}

/** Ends a lease early. Unused numbers are free again. Throws: not-found. */
export async function returnLease(tx: Tx, tenantId: string, id: string): Promise<LeaseRow> {
	const { type } = await ownLease(tx, tenantId, id);
	const key = { tenantId, type };
	await lockType(tx, key);
	await markReturned(tx, tenantId, id);
	await endHolds(tx, key, id);
	return ownLease(tx, tenantId, id);
}

async function ownLease(tx: Tx, tenantId: string, id: string): Promise<LeaseRow> {
	const lease = await findLease(tx, tenantId, id);
	if (!lease) throw new Problem("not-found");
	return lease;
}

export function toLeaseRecord(row: LeaseRow): LeaseRecord {
	return {
		id: row.id,
		type: row.type,
		count: row.count,
		ranges: row.ranges.map(({ first, last, expiresOn }) => ({
			from: toEncf(row.type, first),
			to: toEncf(row.type, last),
			sequenceExpiresAt: expiresOn,
		})),
		status: row.returnedAt ? "returned" : row.isOver ? "expired" : "active",
		expiresAt: row.expiresAt.toISOString(),
		createdAt: row.createdAt.toISOString(),
		_links: { self: `/v1/sequences/leases/${row.id}` },
	};
}
