/** The page for receivers of webhooks: what arrives, how to verify it and how to handle it. The samples are files that tests run. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EVENTS } from "../../../events/catalogue";
import { toDeliveryHeaders } from "../../../events/webhooks";
import { memoize } from "../../../platform/concurrency";
import { type Operation, PUBLIC } from "../../../platform/operation";
import { chooseLanguage, type Language } from "../../../platform/problem";
import { DOCUMENTATION_TAG, escapeHtml, type Html, PAGE_HEADERS, toPage, toProse } from "../../html";
import { describe } from "../../openapi";
import { answerRepresentation, CACHE_HEADERS, CONDITIONAL, type Representation, represent } from "../../representation";

const SAMPLES = join(import.meta.dir, "../../../../data/examples/webhooks");
const PROGRAMS = [
	["TypeScript", "verify.ts"],
	["Python", "verify.py"],
	["PHP", "verify.php"],
	["C#", "Verify.cs"],
	["Java", "Webhook.java"],
	["Go", "verify.go"],
] as const;

const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

const WORDS = {
	en: {
		title: "Receiving webhooks",
		lead: "A webhook is a `POST` with a JSON body of at most 8 KiB and the headers `X-Service-Event`, `X-Service-Delivery`, `X-Service-Attempt` and `X-Service-Signature: t=<unix seconds>,v1=<hex of HMAC-SHA256 over t.body>`.",
		create: "Create one with `POST /v1/webhooks` (scope `webhooks:write`). Only its answer contains the secret:",
		tryIt:
			"To test on your machine, run `sello events listen --forward http://localhost:8080/hooks`, or send a test event with `POST /v1/webhooks/test`.",
		example: "What arrives",
		signed: `Signed with the secret \`${SECRET}\`. Its time has passed, so set your receiver's clock to it when you try this example:`,
		events: "Events",
		subscribe:
			"A webhook that names no `events` gets the first three. `*` and `invoice.*` stand for these three as well. Subscribe to the others by name or by family, such as `certificate.*`. In an event without a document, `docId` is the id of its subject.",
		later: "Names that you can subscribe to and that are not sent yet",
	},
	es: {
		title: "Recibir webhooks",
		lead: "Un webhook es un `POST` con un cuerpo JSON de 8 KiB como máximo y los encabezados `X-Service-Event`, `X-Service-Delivery`, `X-Service-Attempt` y `X-Service-Signature: t=<segundos unix>,v1=<HMAC-SHA256 en hexadecimal sobre t.body>`.",
		create: "Cree uno con `POST /v1/webhooks` (permiso `webhooks:write`). Solo su respuesta contiene el secreto:",
		tryIt:
			"Para probar en su propio equipo, ejecute `sello events listen --forward http://localhost:8080/hooks`, o envíe un evento de prueba con `POST /v1/webhooks/test`.",
		example: "Lo que llega",
		signed: `Firmado con el secreto \`${SECRET}\`. Su hora ya pasó, así que ponga en ella el reloj de su receptor cuando pruebe este ejemplo:`,
		events: "Eventos",
		subscribe:
			"Un webhook que no nombra `events` recibe los tres primeros. `*` e `invoice.*` equivalen también a esos tres. Suscríbase a los demás por su nombre o por su familia, como `certificate.*`. En un evento sin comprobante, `docId` es el identificador de su objeto.",
		later: "Nombres a los que puede suscribirse y que aún no se envían",
	},
} as const satisfies Readonly<Record<Language, Readonly<Record<string, string>>>>;

/** In this order; the first sentence of each is bold. */
const RULES: Readonly<Record<Language, readonly (readonly [string, string])[]>> = {
	en: [
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
		[
			"Expect duplicates.",
			"`X-Service-Delivery` is the same in all attempts. Store it and process each delivery once.",
		],
		[
			"Expect events out of order, and detect gaps.",
			"`sequence` numbers a company's events without gaps. `docVersion` shows which of two events of a document is newer. Read missed events at `GET /v1/events?after=…`.",
		],
		["To stop for good, answer 410.", "The webhook is disabled at once."],
	],
	es: [
		[
			"Primero verifique la firma.",
			"Cubre la hora `t` y los bytes del cuerpo tal como llegaron. Léalos antes que cualquier intérprete: JSON iguales pueden tener bytes distintos.",
		],
		[
			"Use el secreto completo como clave.",
			"La clave son los bytes UTF-8 de `whsec_…` tal como se muestra, con el prefijo. (Las bibliotecas de Standard Webhooks verifican en su lugar `webhook-signature`: `v1,` y el HMAC-SHA256 en base64 sobre `id.t.body`. Su clave es el texto base64 después de `whsec_`, decodificado.)",
		],
		[
			"Rechace solicitudes de más de 300 segundos.",
			"Cada intento tiene una firma y una hora nuevas, así que los reintentos tardíos pasan. Mantenga su reloj sincronizado.",
		],
		[
			"Acepte cualquiera de las dos firmas.",
			"Durante una rotación, `X-Service-Signature` usa el secreto anterior y `X-Service-Signature-Next` el nuevo; `webhook-signature` lleva ambas firmas. `POST /v1/webhooks/{id}/promote-secret` termina la rotación.",
		],
		[
			"Responda 2xx en 10 segundos y trabaje después.",
			"Cualquier otra respuesta, también una redirección, es una falla. La entrega se reintenta después de 1, 4, 16, 64 y 256 segundos y luego queda muerta.",
		],
		[
			"Tras una caída larga, espere sus entregas muertas.",
			'Se entregan solas. La más antigua se reintenta después de 1, 5, 15 y 60 minutos y luego cada hora durante cinco días. Cuando recibe un 2xx siguen las demás, las más antiguas primero, con sus identificadores originales. Con `"recovery": "manual"` esperan hasta que usted llame a `POST /v1/webhooks/{id}/recover` o `POST /v1/webhooks/deliveries/{id}/redeliver`.',
		],
		[
			"Espere repeticiones.",
			"`X-Service-Delivery` es igual en todos los intentos. Guárdelo y procese cada entrega una sola vez.",
		],
		[
			"Espere eventos desordenados y note los que faltan.",
			"`sequence` numera sin saltos los eventos de una empresa. `docVersion` muestra cuál de dos eventos de un comprobante es más reciente. Lea los eventos perdidos en `GET /v1/events?after=…`.",
		],
		["Para terminar, responda 410.", "El webhook se desactiva de inmediato."],
	],
};

const HEADERS = { ...CACHE_HEADERS, "Content-Language": "Language of the page." };

/** `GET /docs/webhooks`; public, in the reader's language. */
export function receiversPageOperation({ docsLanguage }: { readonly docsLanguage: Language }): Operation {
	const pageIn = (language: Language) =>
		memoize(async () => {
			const headers = { ...PAGE_HEADERS, vary: "Accept-Language", "content-language": language };
			return represent(renderReceivers(language), headers);
		});
	const pages: Readonly<Record<Language, () => Promise<Representation>>> = { en: pageIn("en"), es: pageIn("es") };
	return {
		id: "getReceiversPage",
		sdk: null,
		method: "GET",
		path: "/docs/webhooks",
		tag: DOCUMENTATION_TAG,
		summary: "Show how to receive webhooks",
		description:
			"How to check the signature of a delivery, answer it and survive repeats, with an example of each event.",
		credentials: PUBLIC,
		parameters: [CONDITIONAL],
		answers: {
			200: { description: "The page.", mediaType: "text/html", headers: HEADERS },
			304: { description: "Not modified.", headers: HEADERS },
		},
		problems: [],
		handle: async (call) => {
			const language = chooseLanguage(call.request.headers.get("accept-language"), docsLanguage);
			return answerRepresentation(call, await pages[language]());
		},
	};
}

function renderReceivers(language: Language): Html {
	const words = WORDS[language];
	const rules = RULES[language].map(([rule, why]) => `<li><b>${toProse(rule)}</b> ${toProse(why)}</li>`);
	return toPage({
		language,
		title: `${words.title} · Sello`,
		body: `<h1>${words.title}</h1>
<p>${toProse(words.lead)}</p>
<p>${toProse(words.create)}</p>
<pre tabindex="0"><code>curl -s $BASE/v1/webhooks -H "x-api-key: $KEY" -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' -d '{"url": "https://erp.elprogreso.do/hooks/ecf"}'</code></pre>
<ol>
${rules.join("\n")}
</ol>
<p>${toProse(words.tryIt)}</p>
${renderExample(language)}
${renderEvents(language)}
${PROGRAMS.map(renderSample).join("\n")}`,
	});
}

function renderSample([program, file]: (typeof PROGRAMS)[number]): Html {
	const id = file.split(".").pop() ?? file;
	const code = escapeHtml(readFileSync(join(SAMPLES, file), "utf8"));
	return `<section id="${id}">\n<h2><a href="#${id}">${escapeHtml(program)}</a></h2>\n<pre tabindex="0"><code>${code}</code></pre>\n</section>`;
}

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

function renderExample(language: Language): Html {
	const words = WORDS[language];
	const headers = toDeliveryHeaders({
		...{ secrets: { main: SECRET, next: undefined }, deliveryId: DELIVERY_ID, event: "invoice.accepted" },
		...{ body: Buffer.from(BODY), attempt: 1, at: AT },
	});
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
	const request = ["POST /hooks/ecf HTTP/1.1", "Host: erp.elprogreso.do", ...lines, "", BODY].join("\n");
	return `<section id="example">
<h2><a href="#example">${words.example}</a></h2>
<p>${toProse(words.signed)}</p>
<pre tabindex="0"><code>${escapeHtml(request)}</code></pre>
</section>`;
}

function renderEvents(language: Language): Html {
	const words = WORDS[language];
	const rows = EVENTS.flatMap(({ name, sentWhen }) =>
		sentWhen === null
			? []
			: [`<tr><td><code>${name}</code></td><td>${toProse(describe(sentWhen, language))}</td></tr>`],
	);
	const later = EVENTS.filter(({ sentWhen }) => sentWhen === null).map(({ name }) => `<code>${name}</code>`);
	return `<section id="events">
<h2><a href="#events">${words.events}</a></h2>
<table>
${rows.join("\n")}
</table>
<p>${toProse(words.subscribe)}</p>
${later.length > 0 ? `<p>${words.later}: ${later.join(", ")}.</p>` : ""}
</section>`;
}
