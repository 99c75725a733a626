/** The status page: this service, its registry, and the authority's services now and in the last 24 hours, with announced maintenance. */
import { createHash } from "node:crypto";
import {
	type CurrentStatus,
	type History,
	OVERALL,
	STATUSES,
	STEP_SECONDS,
	type Status,
} from "../../../../authority/status";
import type { Language } from "../../../../platform/problem";
import { toAuthorityDateTime } from "../../../../platform/values";
import { escapeHtml, type Html } from "../../../html";
import type { HealthStatus } from "../../../server";
import { WORDS, type Words } from "./words";

export type StatusView = {
	readonly health: HealthStatus;
	/** `confirmedAt` is null before the first ingest. */
	readonly registry: { readonly confirmedAt: Date | null; readonly isStale: boolean };
	readonly seen: CurrentStatus;
	readonly history: History;
};

export function renderStatus({ health, registry, seen, history }: StatusView, language: Language): Html {
	const words = WORDS[language];
	return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(`${words.health[health]} · ${words.title}`)}</title>
<link rel="icon" type="image/png" href="/docs/assets/favicon-32x32.png">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${words.title}</h1>
<p class="soft">${words.clock}</p>
<section class="now is-${STATE_OF_HEALTH[health]}"><p><strong>${words.health[health]}</strong></p></section>
${renderRegistry(registry, words)}
<h2>${words.authority}</h2>
<p class="soft">${words.lead}</p>
${renderNow(seen, words)}
${renderServices(seen, words)}
${renderDay(history, words)}
${renderMaintenance(seen, words)}
<p class="soft">${words.machine} <code>Accept: application/json</code>. <a href="/docs">/docs</a></p>
</main>
</body>
</html>
`;
}

const STATE_OF_HEALTH: Readonly<Record<HealthStatus, Status>> = {
	...({ ok: "operational", degraded: "degraded", unavailable: "outage", draining: "maintenance" } as const),
};

function renderRegistry({ confirmedAt, isStale }: StatusView["registry"], words: Words): Html {
	const [state, text] = !confirmedAt
		? ["unknown", words.registryEmpty]
		: isStale
			? ["degraded", words.registryStale]
			: ["operational", words.registryFresh];
	const checked = confirmedAt ? `\n<p class="soft">${words.registryChecked} ${timeOf(confirmedAt)}</p>` : "";
	return `<section class="now is-${state}"><p><strong>${text}</strong></p>${checked}</section>`;
}

function renderNow({ status, since, contingency, updatedAt }: CurrentStatus, words: Words): Html {
	return `<section class="now is-${status}" aria-live="off">
<p><strong>${words.overall[status]}</strong>${updatedAt ? ` <span class="soft">${words.since} ${timeOf(since)}</span>` : ""}</p>
${contingency ? `<p>${words.contingency}</p>` : ""}
<p class="soft">${words.checked} ${updatedAt ? timeOf(updatedAt) : words.never}</p>
</section>`;
}

function renderServices({ services, updatedAt }: CurrentStatus, words: Words): Html {
	const [service, state, since, p50, p99, errors] = words.columns;
	const ms = (value: number | null) => (value === null ? "–" : `${value} ms`);
	const rows = services.map(
		(one) => `<tr><th scope="row">${nameOf(one.name, words)}</th><td>${renderState(one.status, words)}</td>
<td>${updatedAt ? timeOf(one.since) : "–"}</td><td class="number">${ms(one.p50Ms)}</td><td class="number">${ms(one.p99Ms)}</td>
<td class="number">${one.errorRate === null ? "–" : `${Math.round(one.errorRate * 100)} %`}</td></tr>`,
	);
	return `${openTable(words.authority)}
<thead><tr><th scope="col">${service}</th><th scope="col">${state}</th><th scope="col">${since}</th>
<th scope="col" class="number">${p50}</th><th scope="col" class="number">${p99}</th><th scope="col" class="number">${errors}</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody></table></div>`;
}

/** What scrolls has to be reachable by keyboard. */
function openTable(name: string): Html {
	return `<div class="scroll" role="region" aria-label="${escapeHtml(name)}" tabindex="0"><table>`;
}

function renderDay({ from, services }: History, words: Words): Html {
	const instant = (step: number) => new Date(from.getTime() + step * STEP_SECONDS * 1_000);
	const at = (step: number) => timeOf(instant(step));
	const days = services.map((one) => ({ ...one, title: nameOf(one.name, words), stretches: toStretches(one.states) }));
	const pictures = days.map((one) => {
		const parts = one.stretches
			.map(({ state, first }) => `${words.states[state]} ${words.since} ${toMinute(instant(first))}`)
			.join("; ");
		return `<li><span>${one.title}</span>${drawDay(one, { title: one.title, description: words.picture(one.title, parts) })}</li>`;
	});
	const [service, begin, end, state] = words.dayColumns;
	const rows = days.flatMap((one) =>
		one.stretches.map(
			(stretch) => `<tr><th scope="row">${one.title}</th><td>${at(stretch.first)}</td>
<td>${stretch.end === one.states.length ? words.now : at(stretch.end)}</td><td>${renderState(stretch.state, words)}</td></tr>`,
		),
	);
	return `<h2>${words.day}</h2>
<ul class="day">
${pictures.join("\n")}
</ul>
<p class="axis soft"><span>${words.hoursAgo}</span><span>${words.now}</span></p>
<p class="key soft">${STATUSES.map((one) => renderState(one, words)).join(" ")}</p>
<details><summary>${words.dayAsTable}</summary>
${openTable(words.day)}
<thead><tr><th scope="col">${service}</th><th scope="col">${begin}</th><th scope="col">${end}</th><th scope="col">${state}</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody></table></div></details>`;
}

function renderMaintenance({ windows, declared }: CurrentStatus, words: Words): Html {
	const items = windows.map(({ from, to }) => `<li>${timeOf(new Date(from))} – ${timeOf(new Date(to))}</li>`);
	const list = items.length > 0 ? `<ul>${items.join("")}</ul>` : `<p>${words.noMaintenance}</p>`;
	const word = declared.status === undefined ? words.undeclared : `«${escapeHtml(declared.status)}»`;
	return `<h2>${words.maintenance}</h2>\n${list}\n<p class="soft">${words.declared}: ${word}.</p>`;
}

function renderState(state: Status, words: Words): Html {
	return `<span class="state is-${state}">${words.states[state]}</span>`;
}

function nameOf(service: string, words: Words): Html {
	return escapeHtml(words.services[service] ?? words.services[OVERALL] ?? service);
}

/** In the authority's local time, to the minute; `datetime` has the exact instant. */
function timeOf(at: Date): Html {
	return `<time datetime="${at.toISOString()}">${toMinute(at)}</time>`;
}

function toMinute(at: Date): string {
	return toAuthorityDateTime(at).slice(0, 16);
}

/** Bars of a chart have different heights by state, so that it is readable without colours. */
const HEIGHTS: Readonly<Record<Status, number>> = {
	operational: 4,
	degraded: 7,
	maintenance: 9,
	outage: 12,
	unknown: 2,
};
const HEIGHT = 12;
const BAR = 0.8;

/** A chart of a service's last 24 hours: one bar for each quarter of an hour. */
function drawDay(
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

/** Consecutive steps with the same state; `end` is exclusive. */
type Stretch = { readonly state: Status; readonly first: number; readonly end: number };

function toStretches(states: readonly Status[]): Stretch[] {
	const stretches: Stretch[] = [];
	for (const [step, state] of states.entries()) {
		const last = stretches.at(-1);
		if (last?.state === state) stretches[stretches.length - 1] = { ...last, end: step + 1 };
		else stretches.push({ state, first: step, end: step + 1 });
	}
	return stretches;
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1c1e21; --paper: #fff; --soft: #5c636b; --line: #d9dde2;
	--operational: #2e8540; --degraded: #b8730a; --maintenance: #2f6fb3; --outage: #c22f2f; --unknown: #8a9199; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --paper: #16181b; --soft: #a2a9b1; --line: #363b41;
	--operational: #5cb870; --degraded: #e5a83b; --maintenance: #6ba7e6; --outage: #f0706c; --unknown: #7d858d; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.35rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; } p { margin: .25rem 0; }
.soft { color: var(--soft); }
.now { border: 1px solid var(--line); border-left: .5rem solid var(--state); border-radius: .25rem; padding: .75rem 1rem; margin: 1.25rem 0; }
.now strong { font-size: 1.15rem; }
.state { white-space: nowrap; } .state::before { content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .5em; background: var(--state); }
.is-operational { --state: var(--operational); } .is-degraded { --state: var(--degraded); } .is-maintenance { --state: var(--maintenance); }
.is-outage { --state: var(--outage); } .is-unknown { --state: var(--unknown); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
ul.day { list-style: none; margin: 0; padding: 0; } ul.day li { display: grid; grid-template-columns: 13rem 1fr; gap: .75rem; align-items: end; margin: .35rem 0; }
svg { width: 100%; height: 1.75rem; display: block; }
path.operational { fill: var(--operational); } path.degraded { fill: var(--degraded); } path.maintenance { fill: var(--maintenance); }
path.outage { fill: var(--outage); } path.unknown { fill: var(--unknown); }
.axis { display: flex; justify-content: space-between; margin-left: 13.75rem; } .key span { margin-right: 1.25rem; }
time { white-space: nowrap; } details { margin-top: .75rem; } summary { cursor: pointer; } code { font-size: .9em; } a { color: inherit; }
@media (max-width: 40rem) { ul.day li { grid-template-columns: 1fr; gap: .1rem; } .axis { margin-left: 0; }
	td.number, th.number { display: none; } th, td { padding-right: .5rem; } }
`;

const digest = createHash("sha256").update(STYLE).digest("base64");

/** The policy allows only the style in the page and the icon: no script, nothing from other hosts. */
export const STATUS_HEADERS: Readonly<Record<string, string>> = {
	"content-type": "text/html; charset=utf-8",
	"content-security-policy": `default-src 'none'; style-src 'sha256-${digest}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
	"referrer-policy": "no-referrer",
	"x-content-type-options": "nosniff",
};
