/** The events that the receivers' page lists: when each is sent, and how it is asked for. */
import { type EventName, EXTRA_EVENTS, SPECIFIED_EVENTS } from "../../events/webhooks";
import { type Html, toProse } from "./html";

/** Of an addition that is not here nothing is sent yet. */
export const WHEN: Partial<Readonly<Record<EventName, string>>> = {
	"invoice.accepted": "The authority accepted the e-CF, with warnings or without.",
	"invoice.rejected": "The authority rejected it: `authority.code` says why, `fix` what to change where that is known.",
	"invoice.failed": "A failure on our side that did not end in time; nothing was decided by the authority.",
	"invoice.pending_contingency": "The authority is away; the document waits for it under the rules of contingency.",
	"document.received":
		"A supplier's document came: `docId` is its id at `/v1/received-documents/{id}`, `encf` its issuer's number; `proof` is `unproven`, or `contested` when another document has come under the number.",
	"invoice.delivered": "The buyer has acknowledged an accepted e-CF: `delivery` says who.",
	"invoice.undelivered":
		"A buyer that receives electronically has not taken it: `delivery.state` is `refused`, with the acknowledgement's `motive`, or `undelivered` after 72 hours.",
	"certificate.expiring": "The signing certificate ends soon: `certificate` says which and when.",
	"certificate.expired": "It has ended: nothing can be signed until there is another one.",
	"sequence.low": "Few numbers of a type are left: `low` says of which and how many.",
	"certification.completed":
		"A certification test set has ended: `status` says how, `docId` is its id, and `certification` says whether the authority judged it.",
	"approval.received":
		"The buyer approved or rejected an accepted document: `approval` says which and, of a rejection, why. It is the buyer's final word.",
	"authority.status_changed":
		"The authority's services are another way than before: `status` says how they are now, `authorityStatus.from` how they were, `occurredAt` since when.",
	"email.bounced":
		"A mail with a document came back, or its recipient complained: `email` says which one and to whom, `email.status` which of both.",
	"email.failed": "A mail server refused a recipient for good, or no server took the mail within twelve hours.",
	"webhook.disabled": "A webhook answered 410 and was disabled; the company's others hear of it.",
	"webhook.test": "What `POST /v1/webhooks/test` plays when no other event is named.",
};

export function renderEvents(): Html {
	const names = [...SPECIFIED_EVENTS, ...EXTRA_EVENTS];
	const rows = names.flatMap((name) => {
		const when = WHEN[name];
		return when === undefined ? [] : [`<tr><td><code>${name}</code></td><td>${toProse(when)}</td></tr>`];
	});
	const later = names.filter((name) => WHEN[name] === undefined).map((name) => `<code>${name}</code>`);
	return `<section id="events">
<h2><a href="#events">Events</a></h2>
<table>
${rows.join("\n")}
</table>
<p>${toProse(
		"A webhook that names no `events` gets the first three; `*` and `invoice.*` stand for these three as well. The others are asked for by " +
			"their names or by their families, such as `certificate.*`. In an event without a document `docId` is the id of what it is about.",
	)}</p>
<p>Names that can be asked for already and are not sent yet: ${later.join(", ")}.</p>
</section>`;
}
