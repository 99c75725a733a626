/** Sequences as tenants see them: what is left of each, and how long it lasts at the pace of the last two weeks. */
import { findClockAhead, tenantsDay } from "../../companies";
import type { Sql } from "../../platform/database";
import { daysBetween, toLocalIsoDate } from "../../platform/values";
import { findSequences, findUsage, type SequenceRow } from "./list-store";
import { toEncf } from "./number-ranges";
import type { SequenceRecord } from "./sequence";

export const PACE_DAYS = 14;
const HORIZON_DAYS = 3_650;

export type Usage = { readonly type: string; readonly given: number; readonly firstDay: string };

/** A company's sequences, by type and in the order of use. `now`: of the calendar, by which numbers are counted regardless of the tenant's test clock. */
export async function readSequences(sql: Sql, tenantId: string, now: Date): Promise<SequenceRecord[]> {
	const today = toLocalIsoDate(now);
	const [rows, usage, aheadSeconds] = await Promise.all([
		findSequences(sql, tenantId),
		findUsage(sql, tenantId, addDays(today, 1 - PACE_DAYS)),
		findClockAhead(sql, tenantId),
	]);
	return toSequenceRecords(rows, usage, today, tenantsDay(now, aheadSeconds));
}

/**
 * Sequences in the order of use, each with the day of its last number. A sequence that expires first has none; its remaining numbers are lost.
 * `tenantsDay`: by the tenant's test clock.
 */
export function toSequenceRecords(
	rows: readonly SequenceRow[],
	usage: readonly Usage[],
	today: string,
	tenantsDay = today,
): SequenceRecord[] {
	const before = new Map<string, number>();
	return rows.map((row) => {
		const status = statusOf(row, tenantsDay);
		const perDay = paceOf(
			usage.find((one) => one.type === row.type),
			today,
		);
		// Sequences of a type are used one after another.
		const given = before.get(row.type) ?? 0;
		const until = given + row.available;
		const days = daysLeft(row, tenantsDay);
		const isInTime = daysFor(until, perDay) <= days;
		if (status === "active") before.set(row.type, isInTime ? until : Math.max(given, Math.floor(perDay * days)));
		return {
			id: row.id,
			type: row.type,
			from: toEncf(row.type, row.first),
			to: toEncf(row.type, row.last),
			next: status === "active" && row.next !== null ? toEncf(row.type, row.next) : null,
			available: row.available,
			expiresAt: row.expiresOn,
			status,
			forecast: { perDay, exhaustedOn: status === "active" && isInTime ? dayOf(today, until, perDay) : null },
		};
	});
}

function statusOf(row: SequenceRow, today: string): SequenceRecord["status"] {
	if (row.expiresOn !== null && row.expiresOn < today) return "expired";
	return row.available === 0 ? "exhausted" : "active";
}

/** Numbers per day since the first one, including today. */
function paceOf(usage: Usage | undefined, today: string): number {
	if (!usage) return 0;
	const days = Math.max(1, daysBetween(usage.firstDay, today) + 1);
	return Math.round((usage.given / days) * 10) / 10;
}

function daysLeft({ expiresOn }: SequenceRow, tenantsDay: string): number {
	return expiresOn === null ? Number.POSITIVE_INFINITY : daysBetween(tenantsDay, expiresOn);
}

function daysFor(numbers: number, perDay: number): number {
	return perDay <= 0 ? Number.POSITIVE_INFINITY : Math.ceil(numbers / perDay);
}

function dayOf(today: string, numbers: number, perDay: number): string | null {
	const days = daysFor(numbers, perDay);
	return days > HORIZON_DAYS ? null : addDays(today, days);
}

function addDays(day: string, days: number): string {
	return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
