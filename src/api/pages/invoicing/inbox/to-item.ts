/** Events and texts of the inbox page. Event data is untrusted: it becomes text, never markup, and cannot reverse or hide the text around it. */
import { make, type PageElement } from "./dom";

export type Item = {
	readonly element: PageElement;
	/** What the filter searches. */
	readonly text: string;
	readonly summary: string;
};

/** Control characters, and marks that reverse or hide the text around them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export function toItem(body: string, language: Language): Item {
	const event = JSON.parse(body) as Readonly<Record<string, unknown>>;
	const name = textOf(event.event);
	const document = textOf(event.encf ?? event.docId);
	const summary = `${name} ${document}`;
	const when = make("time", "", textOf(event.occurredAt));
	when.setAttribute("datetime", textOf(event.occurredAt));
	const named = (term: keyof typeof TEXTS, value: unknown) => [
		toLabel("dt", term, language),
		make("dd", "", textOf(value)),
	];
	const facts = make(
		"dl",
		"",
		...named("document", event.docId),
		...named("sequence", event.sequence),
		...named("bytes", new TextEncoder().encode(body).length),
	);
	const details = make(
		"details",
		"",
		make("summary", "", when, " ", make("strong", "", name), " ", make("span", "", document)),
		facts,
		toLabel("h3", "headers", language),
		make("pre", "", toHeaders(name)),
		toLabel("h3", "body", language),
		make("pre", "", showUnseen(JSON.stringify(event, undefined, 2), "\n")),
	);
	return { element: make("li", "", details), text: body.toLowerCase(), summary };
}

/** The headers that do not depend on the receiver. */
function toHeaders(name: string): string {
	return [
		"Content-Type: application/json",
		"User-Agent: ecf-webhooks/1",
		`X-Service-Event: ${name}`,
		"X-Service-Attempt: 1",
	].join("\n");
}

function toLabel(name: string, text: keyof typeof TEXTS, language: Language): PageElement {
	const label = make(name, "", TEXTS[text][language]);
	label.dataset.text = text;
	return label;
}

function textOf(value: unknown): string {
	return value === undefined || value === null ? "–" : showUnseen(String(value));
}

function showUnseen(text: string, besides = ""): string {
	return text.replace(UNSEEN, (mark) => {
		if (mark === besides) return mark;
		return Array.from({ length: mark.length }, (_, i) => `\\u${mark.charCodeAt(i).toString(16).padStart(4, "0")}`).join(
			"",
		);
	});
}

/** The page's texts in both languages, by the `data-text` of its elements. */

export type Language = "en" | "es";
type Words = Readonly<Record<Language, string>>;

export const TEXTS = {
	title: { en: "Sello: sandbox inbox", es: "Sello: buzón de pruebas" },
	heading: { en: "Inbox of the public sandbox", es: "Buzón del ambiente público de pruebas" },
	intro: {
		en: "The demo key sends no webhooks here. This page shows what they would have carried: a company's events, newest first, as GET /v1/events returns them.",
		es: "Con la clave de demostración aquí no se llama al receptor de nadie. Esto es lo que los webhooks habrían traído: los eventos de una empresa, los más nuevos primero, como los da GET /v1/events.",
	},
	whose: { en: "Whose events", es: "Eventos de quién" },
	apiKey: { en: "API key", es: "Clave de API" },
	clientId: { en: "Client id", es: "Id del cliente" },
	clientSecret: { en: "Client secret", es: "Secreto del cliente" },
	shared: {
		en: "Everyone shares the demo company and sees the same events. To see only your own, register a company with POST /v1/company and enter its credentials here. Companies and documents are deleted after a day.",
		es: "La empresa de demostración es de todos: quien la abre ve lo mismo. Para ver solo los suyos, registre una con POST /v1/company y ponga aquí sus credenciales. Empresas y documentos se borran después de un día.",
	},
	memory: {
		en: "What you enter is sent to this service only, to get a token that can read events and nothing else. The page keeps both in memory; reloading or closing it deletes them.",
		es: "Lo que escribe va solo a este servicio, por un token que puede leer eventos y nada más. Ambos quedan en la memoria de esta página; al recargarla o cerrarla se olvidan.",
	},
	open: { en: "Open", es: "Abrir" },
	stop: { en: "Stop", es: "Detener" },
	events: { en: "Events", es: "Eventos" },
	filter: { en: "Show only those that contain", es: "Mostrar solo los que contienen" },
	bounds: {
		en: "Starts with the hundred events before you opened it; keeps the newest five hundred.",
		es: "Desde los cien anteriores a que lo abriera; quedan los quinientos más nuevos.",
	},
	limits: { en: "How it counts against your limits", es: "Lo que cuesta de sus límites" },
	limitsWhy: {
		en: "Opening sends two requests. Then one connection stays open for a quarter of an hour at a time and counts as one poll. Polling every 25 seconds would exceed the demo's 120 polls an hour. After a refusal with Retry-After, the page waits. If all connections of a company are in use, the page polls every two minutes instead. A minute after you leave this tab it disconnects, and it continues from the same place when you return.",
		es: "Al abrir pregunta dos veces. Después una línea queda abierta un cuarto de hora cada vez, y cada línea cuenta como una consulta: preguntar cada 25 segundos pasaría de las 120 por hora de la demostración. Ante una negativa con Retry-After, espera. Si todas las líneas de una empresa están ocupadas, pregunta cada dos minutos. Un minuto después de que usted deja esta pestaña la suelta, y sigue desde el mismo lugar cuando vuelve.",
	},
	notSent: { en: "What else a delivery contains", es: "Lo que una entrega lleva además" },
	notSentWhy: {
		en: "Nothing was delivered, so these headers have no real value. X-Service-Delivery and webhook-id are the id of each delivery. X-Service-Signature and webhook-signature are computed with the endpoint's secret over the time and the bytes of the body. webhook-timestamp is that time. The body is sent in one line; the page breaks it for reading and writes as \\u… what could reverse or hide text.",
		es: "Nada se entregó, así que estos no tienen un valor verdadero: X-Service-Delivery y webhook-id son el id de cada entrega, X-Service-Signature y webhook-signature se hacen con el secreto del receptor sobre la hora y los bytes del cuerpo, webhook-timestamp es esa hora. El cuerpo va en una sola línea; la página lo parte para leerlo y escribe como \\u… lo que podría voltear u ocultar texto.",
	},
	how: { en: "How to receive webhooks", es: "Cómo recibir webhooks" },
	docs: { en: "Documentation", es: "Documentación" },
	document: { en: "docId", es: "docId" },
	sequence: { en: "Sequence", es: "Secuencia" },
	bytes: { en: "Body size in bytes", es: "Bytes del cuerpo" },
	headers: { en: "Headers of the first attempt", es: "Encabezados de un primer intento" },
	body: { en: "Body", es: "Cuerpo" },
} as const satisfies Readonly<Record<string, Words>>;

export const NO_KEY: Words = {
	en: "an API key contains neither spaces nor accents.",
	es: "una clave de API no tiene espacios ni acentos.",
};

/** State of the connection, which the line above the events shows. */
export type ConnectionState =
	| { readonly is: "closed" | "asking" | "following" | "paused" }
	/** `until` is the time of the next request; `why` is the service's message, absent if it did not answer. */
	| { readonly is: "waiting"; readonly until: Date; readonly why?: string }
	| { readonly is: "refused"; readonly why: string };

export type Shown = { readonly count: number; readonly newest: string | undefined };

const STATE_TEXTS: Readonly<Record<Exclude<ConnectionState["is"], "waiting" | "refused">, Words>> = {
	closed: { en: "Not open.", es: "No está abierto." },
	asking: { en: "Connecting…", es: "Preguntando…" },
	following: { en: "Connected: new events appear automatically.", es: "Siguiendo: lo que ocurra aparece solo." },
	paused: { en: "Paused while this tab is hidden.", es: "En pausa mientras esta pestaña no se ve." },
};
const NO_ANSWER: Words = { en: "The service does not answer.", es: "El servicio no responde." };
const AGAIN_AT: Words = { en: "Next attempt at", es: "Vuelve a preguntar a las" };
const REFUSED: Words = { en: "Refused:", es: "Rechazado:" };
const NONE: Words = { en: "No events yet.", es: "Aún no hay eventos." };
const NEWEST: Words = { en: "newest:", es: "el más nuevo:" };
const COUNT: Words = { en: "events", es: "eventos" };

export function describeState(state: ConnectionState, language: Language): string {
	if (state.is === "refused") return `${REFUSED[language]} ${state.why}`;
	if (state.is !== "waiting") return STATE_TEXTS[state.is][language];
	return `${state.why ?? NO_ANSWER[language]} ${AGAIN_AT[language]} ${state.until.toLocaleTimeString(language)}.`;
}

export function describeShown({ count, newest }: Shown, language: Language): string {
	return newest === undefined ? NONE[language] : `${count} ${COUNT[language]}; ${NEWEST[language]} ${newest}`;
}
