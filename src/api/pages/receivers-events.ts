/** The events that the receivers' page lists: when each is sent, and how to subscribe to it. */
import { EVENTS } from "../../events/catalogue";
import { type Html, toProse } from "./html";

export function renderEvents(): Html {
	const rows = EVENTS.flatMap(({ name, sentWhen }) =>
		sentWhen === null ? [] : [`<tr><td><code>${name}</code></td><td>${toProse(sentWhen)}</td></tr>`],
	);
	const later = EVENTS.filter(({ sentWhen }) => sentWhen === null).map(({ name }) => `<code>${name}</code>`);
	return `<section id="events">
<h2><a href="#events">Events</a></h2>
<table>
${rows.join("\n")}
</table>
<p>${toProse(
		"A webhook that names no `events` gets the first three. `*` and `invoice.*` stand for these three as well. Subscribe to the others by " +
			"name or by family, such as `certificate.*`. In an event without a document, `docId` is the id of its subject.",
	)}</p>
<p>Names that you can subscribe to and that are not sent yet: ${later.join(", ")}.</p>
</section>`;
}
