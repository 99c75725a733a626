/** Sequences as they are shown: what is left of each, and until when at the pace of the last two weeks. */
import { daysBetween } from "../values";
import type { SequenceRow } from "./list-store";
import { toEncf } from "./number-ranges";
import type { SequenceRecord } from "./sequence";

/** How far back the pace is taken from. */
export const PACE_DAYS = 14;
/** A forecast further away than this says nothing. */
const HORIZON_DAYS = 3_650;

export type Usage = { readonly type: string; readonly given: number; readonly firstDay: string };

/** Sequences in the order in which they are used, each with the day on which its last number goes. `tenantsDay`: by its test clock. */
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
		const until = (before.get(row.type) ?? 0) + row.available;
		if (status === "active") before.set(row.type, until);
		return {
			id: row.id,
			type: row.type,
			from: toEncf(row.type, row.first),
			to: toEncf(row.type, row.last),
			next: status === "active" && row.next !== null ? toEncf(row.type, row.next) : null,
			available: row.available,
			expiresAt: row.expiresOn,
			status,
			forecast: { perDay, exhaustedOn: status === "active" ? dayOf(today, until, perDay) : null },
		};
	});
}

function statusOf(row: SequenceRow, today: string): SequenceRecord["status"] {
	if (row.expiresOn !== null && row.expiresOn < today) return "expired";
	return row.available === 0 ? "exhausted" : "active";
}

/** Numbers per day since the first of them, today included. */
function paceOf(usage: Usage | undefined, today: string): number {
	if (!usage) return 0;
	const days = Math.max(1, daysBetween(usage.firstDay, today) + 1);
	return Math.round((usage.given / days) * 10) / 10;
}

function dayOf(today: string, numbers: number, perDay: number): string | null {
	if (perDay <= 0) return null;
	const days = Math.ceil(numbers / perDay);
	return days > HORIZON_DAYS ? null : addDays(today, days);
}

export function addDays(day: string, days: number): string {
	return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
