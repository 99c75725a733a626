/** The last 24 hours in equal steps: the worst state that each service had in each of them. */
import { OVERALL } from "./judge-segment";
import { PAST_HOURS, type Past, type Seen } from "./read-status";
import { type Status, worseOf } from "./status";

export const STEP_SECONDS = 900;
const STEPS = (PAST_HOURS * 3600) / STEP_SECONDS;
const STEP_MS = STEP_SECONDS * 1_000;

export type History = {
	readonly from: Date;
	/** `overall` first, then as they are shown. */
	readonly services: readonly { readonly name: string; readonly states: readonly Status[] }[];
};

/** Steps begin at quarters of an hour; the last one is that of now. What is true now ends the past, whatever was written down. */
export function toHistory(past: Past, seen: Seen, now: Date): History {
	const fromMs = (Math.floor(now.getTime() / STEP_MS) + 1 - STEPS) * STEP_MS;
	const services = [{ name: OVERALL, status: seen.status, since: seen.since }, ...seen.services];
	return {
		from: new Date(fromMs),
		services: services.map(({ name, status, since }) => {
			const changes = [...(past.get(name) ?? []).filter(({ at }) => at < since), { at: since, status }];
			return { name, states: toStates(changes, fromMs) };
		}),
	};
}

/** A step has the state with which it begins, and every one that begins in it; the worst counts. */
function toStates(changes: readonly { readonly at: Date; readonly status: Status }[], fromMs: number): Status[] {
	let next = 0;
	let current: Status = "unknown";
	const goOn = (untilMs: number, heard: (status: Status) => void) => {
		for (let change = changes[next]; change && change.at.getTime() < untilMs; change = changes[++next]) {
			current = change.status;
			heard(current);
		}
	};
	return Array.from({ length: STEPS }, (_, step) => {
		const beginMs = fromMs + step * STEP_MS;
		goOn(beginMs + 1, () => undefined);
		let worst = current;
		goOn(beginMs + STEP_MS, (status) => {
			worst = worseOf(worst, status);
		});
		return worst;
	});
}
