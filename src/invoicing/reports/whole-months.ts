import type { Period } from "../../platform/operation";

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
