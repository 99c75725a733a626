/** The days that a report is asked for. */
import { type TSchema, Type } from "@sinclair/typebox";
import type { Parameter } from "../operation";
import { type Fault, Problem } from "../problem";
import { daysBetween, isIsoDate } from "../values";

/** Both days are included. */
export type Period = { readonly from: string; readonly to: string };

const DAYS_MAX = 366;

/** An optional parameter of the query. */
export const query = (
	name: string,
	description: string,
	example: string,
	schema: TSchema = Type.String({ maxLength: 64 }),
): Parameter => ({ ...{ name, in: "query", required: false, description, schema, example } });

export const periodParameters: readonly Parameter[] = [
	query("from", "First issue date, YYYY-MM-DD; the first of the month of `to` when absent.", "2026-10-01"),
	query("to", `Last issue date, YYYY-MM-DD; today (UTC-4) when absent. At most ${DAYS_MAX} days.`, "2026-10-31"),
];

/** Reads the period; `more` are faults of other parameters, told together with its own. Throws: validation-error. */
export function readPeriod(
	asked: Readonly<Record<string, string | undefined>>,
	today: string,
	more: readonly Fault[] = [],
): Period {
	const { to = today } = asked;
	const { from = `${to.slice(0, 8)}01` } = asked;
	const faults: Fault[] = [];
	const fault = (name: string, code: string, detail: string) =>
		faults.push({ pointer: `#/query/${name}`, code, detail });
	if (asked.from !== undefined && !isIsoDate(from)) fault("from", "invalid-date", "Send YYYY-MM-DD.");
	if (!isIsoDate(to)) fault("to", "invalid-date", "Send YYYY-MM-DD.");
	if (isIsoDate(from) && isIsoDate(to)) {
		if (from > to) fault("from", "after-end", "Is after `to`.");
		if (daysBetween(from, to) >= DAYS_MAX) fault("from", "too-long", `Ask for ${DAYS_MAX} days at most.`);
	}
	if (faults.length + more.length > 0) throw new Problem("validation-error", { faults: [...faults, ...more] });
	return { from, to };
}

/** The whole months of a period, from the first day of the first to the last day of the last one; undefined when it holds none. */
export function findWholeMonths({ from, to }: Period): (Period & { readonly count: number }) | undefined {
	// Months are counted from the year 0.
	const monthOf = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
	const startOf = (month: number) => new Date(Date.UTC(Math.floor(month / 12), month % 12)).toISOString().slice(0, 10);
	const endOf = (month: number) =>
		new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).toISOString().slice(0, 10);
	const first = monthOf(from) + (from.endsWith("-01") ? 0 : 1);
	const last = monthOf(to) - (to === endOf(monthOf(to)) ? 0 : 1);
	return last < first ? undefined : { from: startOf(first), to: endOf(last), count: last - first + 1 };
}
