/** The picture of a service's last 24 hours: one bar for each quarter of an hour, whose height and colour are the state's. */
import type { History, Status } from "../../../authority/status";
import { escapeHtml, type Html } from "../html";

/** Height by state, so that the picture can be read without its colours. */
const HEIGHTS: Readonly<Record<Status, number>> = {
	operational: 4,
	degraded: 7,
	maintenance: 9,
	outage: 12,
	unknown: 2,
};
const HEIGHT = 12;
const BAR = 0.8;

/** `id` is the service's: it names title and description within the page. */
export function drawDay(
	{ name, states }: History["services"][number],
	text: { readonly title: string; readonly description: string },
): Html {
	const paths = [...Map.groupBy(states.entries(), ([, state]) => state)].map(([state, bars]) => {
		const top = HEIGHT - HEIGHTS[state];
		const d = bars.map(([step]) => `M${step} ${top}h${BAR}v${HEIGHTS[state]}h-${BAR}z`).join("");
		return `<path class="${state}" d="${d}"/>`;
	});
	return `<svg viewBox="0 0 ${states.length} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-labelledby="t-${name} d-${name}">
<title id="t-${name}">${escapeHtml(text.title)}</title><desc id="d-${name}">${escapeHtml(text.description)}</desc>
${paths.join("")}</svg>`;
}

/** Steps in a row that have the same state: from the first on, before the second. */
export type Stretch = { readonly state: Status; readonly first: number; readonly end: number };

export function toStretches(states: readonly Status[]): Stretch[] {
	const stretches: Stretch[] = [];
	for (const [step, state] of states.entries()) {
		const last = stretches.at(-1);
		if (last?.state === state) stretches[stretches.length - 1] = { ...last, end: step + 1 };
		else stretches.push({ state, first: step, end: step + 1 });
	}
	return stretches;
}
