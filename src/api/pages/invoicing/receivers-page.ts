/** The page for receivers of webhooks: what arrives, how to verify it and how to handle it. The samples are files that tests run. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EVENTS } from "../../../events/catalogue";
import { toDeliveryHeaders } from "../../../events/webhooks";
import { memoize } from "../../../platform/concurrency";
import { type Operation, PUBLIC } from "../../../platform/operation";
import { DOCUMENTATION_TAG, escapeHtml, type Html, PAGE_HEADERS, toPage, toProse } from "../../html";
import { answerRepresentation, CACHE_HEADERS, CONDITIONAL, represent } from "../../representation";

const SAMPLES = join(import.meta.dir, "../../../../data/examples/webhooks");
const LANGUAGES = [
	["TypeScript", "verify.ts"],
	["Python", "verify.py"],
	["PHP", "verify.php"],
	["C#", "Verify.cs"],
	["Java", "Webhook.java"],
	["Go", "verify.go"],
] as const;

/** In this order; the first sentence of each is bold. */
const RULES: readonly (readonly [string, string])[] = [
	[
		"Verify the signature first.",
		"It covers the time `t` and the raw bytes of the body. Read the bytes before any parser does: equal JSON can have different bytes.",
	],
	[
		"Use the whole secret as the key.",
		"The key is the UTF-8 bytes of `whsec_…` exactly as shown, including the prefix. (Standard Webhooks libraries verify `webhook-signature` instead: `v1,` and the base64 HMAC-SHA256 over `id.t.body`. Its key is the base64 text after `whsec_`, decoded.)",
	],
	[
		"Reject requests older than 300 seconds.",
		"Each attempt has a new signature and time, so late retries pass. Keep your clock synchronised.",
	],
	[
		"Accept either signature.",
		"During a rotation, `X-Service-Signature` uses the old secret and `X-Service-Signature-Next` the new one; `webhook-signature` lists both. `POST /v1/webhooks/{id}/promote-secret` ends the rotation.",
	],
	[
		"Answer 2xx within 10 seconds, then work.",
		"Any other answer, including a redirect, is a failure. The delivery is retried after 1, 4, 16, 64 and 256 seconds and then becomes a dead letter.",
	],
	[
		"After a long outage, wait for your dead letters.",
		'They are delivered automatically. The oldest is retried after 1, 5, 15 and 60 minutes, then every hour for five days. Once it gets a 2xx, the others follow, oldest first, with their original ids. With `"recovery": "manual"` they wait until you call `POST /v1/webhooks/{id}/recover` or `POST /v1/webhooks/deliveries/{id}/redeliver`.',
	],
	["Expect duplicates.", "`X-Service-Delivery` is the same in all attempts. Store it and process each delivery once."],
	[
		"Expect events out of order, and detect gaps.",
		"`sequence` numbers a company's events without gaps. `docVersion` shows which of two events of a document is newer. Read missed events at `GET /v1/events?after=…`.",
	],
	["To stop for good, answer 410.", "The webhook is disabled at once."],
];

/** `GET /docs/webhooks`; public. */
export function receiversPageOperation(): Operation {
	const page = memoize(async () => represent(renderReceivers(), PAGE_HEADERS));
	return {
		id: "getReceiversPage",
		method: "GET",
		path: "/docs/webhooks",
		tag: DOCUMENTATION_TAG,
		summary: "Show how to receive webhooks",
		credentials: PUBLIC,
		parameters: [CONDITIONAL],
		answers: {
			200: { description: "The page.", mediaType: "text/html", headers: CACHE_HEADERS },
			304: { description: "Not modified.", headers: CACHE_HEADERS },
		},
		problems: [],
		handle: async (call) => answerRepresentation(call, await page()),
	};
}

function renderReceivers(): Html {
	const rules = RULES.map(([rule, why]) => `<li><b>${toProse(rule)}</b> ${toProse(why)}</li>`);
	return toPage({
		title: "Sello: receiving webhooks",
		body: `<h1>Receiving webhooks</h1>
<p>A webhook is a <code>POST</code> with a JSON body of at most 8 KiB and the headers <code>X-Service-Event</code>, <code>X-Service-Delivery</code>,
<code>X-Service-Attempt</code> and <code>X-Service-Signature: t=&lt;unix seconds&gt;,v1=&lt;hex of HMAC-SHA256 over t.body&gt;</code>.</p>
<p>Create one with <code>POST /v1/webhooks</code> (scope <code>webhooks:write</code>). Only its answer contains the secret:</p>
<pre><code>curl -s $BASE/v1/webhooks -H "x-api-key: $KEY" -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' -d '{"url": "https://erp.elprogreso.do/hooks/ecf"}'</code></pre>
<ol>
${rules.join("\n")}
</ol>
<p>To test on your machine, run <code>bun run listen --forward http://localhost:8080/hooks</code>, with the company's credentials in
<code>SELLO_API_KEY</code>, <code>SELLO_CLIENT_ID</code> and <code>SELLO_CLIENT_SECRET</code>, or send a test event with
<code>POST /v1/webhooks/test</code>.</p>
${renderExample()}
${renderEvents()}
${LANGUAGES.map(renderSample).join("\n")}`,
	});
}

function renderSample([language, file]: (typeof LANGUAGES)[number]): Html {
	const id = file.split(".").pop() ?? file;
	const code = escapeHtml(readFileSync(join(SAMPLES, file), "utf8"));
	return `<section id="${id}">\n<h2><a href="#${id}">${escapeHtml(language)}</a></h2>\n<pre><code>${code}</code></pre>\n</section>`;
}

const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const DELIVERY_ID = "0192f121-7a00-7b11-9c22-334455667788";
const AT = new Date("2026-11-20T14:20:01.010Z");
const BODY = JSON.stringify({
	event: "invoice.accepted",
	docId: "0192f110-7a00-7b11-9c22-334455667788",
	trackId: "0192f110-7a00-7b11-9c22-334455667789",
	tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566",
	occurredAt: "2026-11-20T14:20:00.902Z",
	sequence: 48_213,
	docVersion: 4,
	encf: "E310000000001",
	client_request_id: "POS7-2026-11-20-000123",
	status: "accepted",
	authority: { code: "1" },
});

function renderExample(): Html {
	const headers = toDeliveryHeaders({
		...{ secrets: { main: SECRET, next: undefined }, deliveryId: DELIVERY_ID, event: "invoice.accepted" },
		...{ body: Buffer.from(BODY), attempt: 1, at: AT },
	});
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
	const request = ["POST /hooks/ecf HTTP/1.1", "Host: erp.elprogreso.do", ...lines, "", BODY].join("\n");
	return `<section id="example">
<h2><a href="#example">What arrives</a></h2>
<p>Signed with the secret <code>${SECRET}</code>. Its time has passed, so set your receiver's clock to it when you try this example:</p>
<pre><code>${escapeHtml(request)}</code></pre>
</section>`;
}

function renderEvents(): Html {
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
