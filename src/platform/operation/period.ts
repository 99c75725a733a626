/** The days that a report is about: up to today, and from the first of the month, unless told otherwise. */
import { type Clock, daysBetween, isIsoDate, toLocalIsoDate } from "../values";
import type { Parameter, ParameterFault, QueryValues } from "./operation";
import { dayParameters } from "./query-parameters";

/** Both days are included. */
export type Period = { readonly from: string; readonly to: string };

export const PERIOD_DAYS_MAX = 366;

/** `from` and `to`, both of which may be left out. */
export function periodParameters(clock: Clock, first: string, last: string): Parameter[] {
	const checkLength = (from: string, query: QueryValues): ParameterFault | undefined => {
		const { to } = readPeriod(query, clock);
		if (!isIsoDate(from) || !isIsoDate(to)) return undefined;
		if (from > to) return { code: "after-end", detail: "Is after `to`." };
		if (daysBetween(from, to) < PERIOD_DAYS_MAX) return undefined;
		return { code: "too-long", detail: `Ask for ${PERIOD_DAYS_MAX} days at most.` };
	};
	return dayParameters(first, last).map((parameter) => {
		const { name, check } = parameter;
		if (name !== "from") return parameter;
		return { ...parameter, check: (from, query) => check?.(from, query) ?? checkLength(from, query) };
	});
}

/** The period of a query that `periodParameters` let pass. */
export function readPeriod({ from, to }: QueryValues, clock: Clock): Period {
	const last = to ?? toLocalIsoDate(clock.now());
	return { from: from ?? `${last.slice(0, 8)}01`, to: last };
}
