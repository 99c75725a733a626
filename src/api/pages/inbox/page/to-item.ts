/** An event as the page shows it. What it says is of strangers: it becomes text, never markup, and cannot turn the text around it. */
import { make, type PageElement } from "./dom";
import { type Language, TEXTS } from "./texts";

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
