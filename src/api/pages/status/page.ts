/** The status page: how the authority's services are now, were in the last 24 hours, and when they are maintained. */
import type { Language } from "../../../authority/codes";
import {
	type CurrentStatus,
	type History,
	OVERALL,
	STATUSES,
	STEP_SECONDS,
	type Status,
} from "../../../authority/status";
import { toAuthorityDateTime } from "../../../platform/values";
import { escapeHtml, type Html } from "../html";
import { drawDay, toStretches } from "./picture";
import { STYLE } from "./style";
import { WORDS, type Words } from "./words";

export type StatusView = { readonly seen: CurrentStatus; readonly history: History };

export function renderStatus({ seen, history }: StatusView, language: Language): Html {
	const words = WORDS[language];
	return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(`${words.states[seen.status]} · ${words.title}`)}</title>
<link rel="icon" type="image/png" href="/docs/assets/favicon-32x32.png">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${words.title}</h1>
<p class="soft">${words.lead} ${words.clock}</p>
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
	return `<div class="scroll"><table>
<thead><tr><th scope="col">${service}</th><th scope="col">${state}</th><th scope="col">${since}</th>
<th scope="col" class="number">${p50}</th><th scope="col" class="number">${p99}</th><th scope="col" class="number">${errors}</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody></table></div>`;
}

function renderDay({ from, services }: History, words: Words): Html {
	const instant = (step: number) => new Date(from.getTime() + step * STEP_SECONDS * 1_000);
	const at = (step: number) => timeOf(instant(step));
	const told = services.map((one) => ({ ...one, title: nameOf(one.name, words), stretches: toStretches(one.states) }));
	const pictures = told.map((one) => {
		const parts = one.stretches
			.map(({ state, first }) => `${words.states[state]} ${words.since} ${toMinute(instant(first))}`)
			.join("; ");
		return `<li><span>${one.title}</span>${drawDay(one, { title: one.title, description: words.picture(one.title, parts) })}</li>`;
	});
	const [service, begin, end, state] = words.dayColumns;
	const rows = told.flatMap((one) =>
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
<div class="scroll"><table>
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

/** By the authority's wall clock, to the minute; machines read the instant. */
function timeOf(at: Date): Html {
	return `<time datetime="${at.toISOString()}">${toMinute(at)}</time>`;
}

function toMinute(at: Date): string {
	return toAuthorityDateTime(at).slice(0, 16);
}
