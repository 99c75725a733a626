/** An event as the page shows it. What it says is of strangers: it becomes text, never markup, and cannot turn the text around it. */
import { make, type PageElement } from "./dom";

export type Item = {
	readonly element: PageElement;
	/** What a filter looks through. */
	readonly text: string;
	/** In a few words. */
	readonly summary: string;
};

/** Controls, and marks that turn or hide what stands beside them. */
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

/** Those that are the same whoever receives it. */
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

/** What the page says, in both languages, by the names that its elements carry. */

export type Language = "en" | "es";
type Words = Readonly<Record<Language, string>>;

export const TEXTS = {
	title: { en: "Sello: sandbox inbox", es: "Sello: buzón de pruebas" },
	heading: { en: "Inbox of the public sandbox", es: "Buzón del ambiente público de pruebas" },
	intro: {
		en: "Nobody's receiver is called here for the demo key. This is what webhooks would have brought: a company's events, newest first, as GET /v1/events tells them.",
		es: "Con la clave de demostración aquí no se llama al receptor de nadie. Esto es lo que los webhooks habrían traído: los eventos de una empresa, los más nuevos primero, como los da GET /v1/events.",
	},
	whose: { en: "Whose events", es: "Eventos de quién" },
	apiKey: { en: "API key", es: "Clave de API" },
	clientId: { en: "Client id", es: "Id del cliente" },
	clientSecret: { en: "Client secret", es: "Secreto del cliente" },
	shared: {
		en: "The demo company is everybody's: whoever opens it sees the same. To see yours alone, register one with POST /v1/company and put its credentials here. Companies and documents are deleted after a day.",
		es: "La empresa de demostración es de todos: quien la abre ve lo mismo. Para ver solo los suyos, registre una con POST /v1/company y ponga aquí sus credenciales. Empresas y documentos se borran después de un día.",
	},
	memory: {
		en: "What you enter goes to this service alone, for a token that can read events and nothing else. This page's memory keeps both; reloading or closing the page forgets them.",
		es: "Lo que escribe va solo a este servicio, por un token que puede leer eventos y nada más. Ambos quedan en la memoria de esta página; al recargarla o cerrarla se olvidan.",
	},
	open: { en: "Open", es: "Abrir" },
	stop: { en: "Stop", es: "Detener" },
	events: { en: "Events", es: "Eventos" },
	filter: { en: "Show only those that contain", es: "Mostrar solo los que contienen" },
	bounds: {
		en: "From the hundred before you opened it on; the newest five hundred stay.",
		es: "Desde los cien anteriores a que lo abriera; quedan los quinientos más nuevos.",
	},
	limits: { en: "What it costs of your limits", es: "Lo que cuesta de sus límites" },
	limitsWhy: {
		en: "Opening asks twice. Then one line stays open for a quarter of an hour at a time, and each line counts as one poll: asking again every 25 seconds would take more than the demo's 120 an hour. A refusal with Retry-After is waited out. When all lines of a company are taken, the page asks every two minutes instead. A minute after you leave this tab it lets go, and it goes on from the same place when you are back.",
		es: "Al abrir pregunta dos veces. Después una línea queda abierta un cuarto de hora cada vez, y cada línea cuenta como una consulta: preguntar cada 25 segundos pasaría de las 120 por hora de la demostración. Ante una negativa con Retry-After, espera. Si todas las líneas de una empresa están ocupadas, pregunta cada dos minutos. Un minuto después de que usted deja esta pestaña la suelta, y sigue desde el mismo lugar cuando vuelve.",
	},
	notSent: { en: "What a delivery has besides", es: "Lo que una entrega lleva además" },
	notSentWhy: {
		en: "Nothing was delivered, so these have no true value: X-Service-Delivery and webhook-id are each delivery's own id, X-Service-Signature and webhook-signature are made with the endpoint's secret over the time and the body's bytes, webhook-timestamp is that time. The body goes in one line; the page breaks it for reading and writes as \\u… what could turn or hide text.",
		es: "Nada se entregó, así que estos no tienen un valor verdadero: X-Service-Delivery y webhook-id son el id de cada entrega, X-Service-Signature y webhook-signature se hacen con el secreto del receptor sobre la hora y los bytes del cuerpo, webhook-timestamp es esa hora. El cuerpo va en una sola línea; la página lo parte para leerlo y escribe como \\u… lo que podría voltear u ocultar texto.",
	},
	how: { en: "How to receive webhooks", es: "Cómo recibir webhooks" },
	docs: { en: "Documentation", es: "Documentación" },
	document: { en: "docId", es: "docId" },
	sequence: { en: "Sequence", es: "Secuencia" },
	bytes: { en: "Bytes of the body", es: "Bytes del cuerpo" },
	headers: { en: "Headers of a first attempt", es: "Encabezados de un primer intento" },
	body: { en: "Body", es: "Cuerpo" },
} as const satisfies Readonly<Record<string, Words>>;

/** Said in place of asking. */
export const NO_KEY: Words = {
	en: "an API key has neither spaces nor accents.",
	es: "una clave de API no tiene espacios ni acentos.",
};

/** How it stands: what the line above the events says. */
export type Standing =
	| { readonly is: "closed" | "asking" | "following" | "paused" }
	/** `until` is when it asks again; `why` is the service's own sentence, absent where it did not answer. */
	| { readonly is: "waiting"; readonly until: Date; readonly why?: string }
	| { readonly is: "refused"; readonly why: string };

export type Shown = { readonly count: number; readonly newest: string | undefined };

const STANDING: Readonly<Record<Exclude<Standing["is"], "waiting" | "refused">, Words>> = {
	closed: { en: "Not open.", es: "No está abierto." },
	asking: { en: "Asking…", es: "Preguntando…" },
	following: { en: "Following: what happens appears by itself.", es: "Siguiendo: lo que ocurra aparece solo." },
	paused: { en: "Let go while this tab is away.", es: "En pausa mientras esta pestaña no se ve." },
};
const NO_ANSWER: Words = { en: "The service does not answer.", es: "El servicio no responde." };
const AGAIN_AT: Words = { en: "It asks again at", es: "Vuelve a preguntar a las" };
const REFUSED: Words = { en: "Refused:", es: "Rechazado:" };
const NONE: Words = { en: "No event yet.", es: "Aún no hay eventos." };
const NEWEST: Words = { en: "the newest:", es: "el más nuevo:" };
const COUNT: Words = { en: "events", es: "eventos" };

export function tellStanding(standing: Standing, language: Language): string {
	if (standing.is === "refused") return `${REFUSED[language]} ${standing.why}`;
	if (standing.is !== "waiting") return STANDING[standing.is][language];
	return `${standing.why ?? NO_ANSWER[language]} ${AGAIN_AT[language]} ${standing.until.toLocaleTimeString(language)}.`;
}

export function tellShown({ count, newest }: Shown, language: Language): string {
	return newest === undefined ? NONE[language] : `${count} ${COUNT[language]}; ${NEWEST[language]} ${newest}`;
}
