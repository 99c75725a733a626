/** Entry of the inbox page: a form, a status connection and a list of events. */
import { elementOf, page, prefersSpanish } from "./dom";
import { createFollower, type Follower } from "./follow";
import { createService, Refusal } from "./service";
import {
	type ConnectionState,
	describeShown,
	describeState,
	type Item,
	type Language,
	NO_KEY,
	TEXTS,
	toItem,
} from "./to-item";

const SHOWN_MAX = 500;
/** Short visits to another tab keep the connection: each reconnection costs a poll. */
const PAUSE_AFTER_MS = 60_000;
/** Characters of keys, which a browser can send in a header. */
const SENDABLE = /^[!-~]+$/;

let language: Language = prefersSpanish ? "es" : "en";
let state: ConnectionState = { is: "closed" };
/** Newest last. */
let items: Item[] = [];
let follower: Follower | undefined;
let connection: AbortController | undefined;
let pauseTimer: ReturnType<typeof setTimeout> | undefined;

elementOf("whose").addEventListener("submit", (event) => {
	event.preventDefault();
	open();
});
elementOf("stop").addEventListener("click", close);
elementOf("filter").addEventListener("input", () => items.forEach(applyFilter));
page.addEventListener("visibilitychange", () => {
	clearTimeout(pauseTimer);
	if (page.visibilityState === "visible") resume();
	else pauseTimer = setTimeout(pause, PAUSE_AFTER_MS);
});
for (const one of ["es", "en"] as const) elementOf(`to-${one}`).addEventListener("click", () => setLanguage(one));
setLanguage(language);

function open(): void {
	close();
	forget();
	const apiKey = elementOf("api-key").value.trim();
	const clientId = elementOf("client-id").value.trim();
	const clientSecret = elementOf("client-secret").value.trim();
	if (SENDABLE.test(apiKey)) {
		follower = createFollower(createService({ apiKey, clientId, clientSecret }), { take, forget, report });
		run(follower);
	} else report({ is: "refused", why: NO_KEY[language] });
}

async function run(one: Follower): Promise<void> {
	const own = new AbortController();
	connection = own;
	report({ is: "asking" });
	try {
		await one.run(own.signal);
	} catch (error) {
		// An aborted follower reports nothing.
		if (own.signal.aborted) return;
		follower = undefined;
		report({ is: "refused", why: error instanceof Refusal ? error.message : String(error) });
	}
}

function close(): void {
	connection?.abort();
	follower = undefined;
	report({ is: "closed" });
}

function pause(): void {
	if (!follower) return;
	connection?.abort();
	report({ is: "paused" });
}

function resume(): void {
	if (follower && connection?.signal.aborted) run(follower);
}

function take(body: string): void {
	const item = toItem(body, language);
	applyFilter(item);
	items.push(item);
	elementOf("events").prepend(item.element);
	if (items.length > SHOWN_MAX) items.shift()?.element.remove();
	show();
}

function forget(): void {
	items = [];
	elementOf("events").replaceChildren();
	show();
}

function applyFilter(item: Item): void {
	item.element.hidden = !item.text.includes(elementOf("filter").value.trim().toLowerCase());
}

function report(now: ConnectionState): void {
	state = now;
	show();
}

function show(): void {
	elementOf("standing").textContent = describeState(state, language);
	elementOf("standing").dataset.is = state.is;
	elementOf("shown").textContent = describeShown({ count: items.length, newest: items.at(-1)?.summary }, language);
}

function setLanguage(one: Language): void {
	language = one;
	page.documentElement.lang = one;
	page.title = TEXTS.title[one];
	for (const element of page.body.querySelectorAll("[data-text]")) {
		element.textContent = TEXTS[element.dataset.text as keyof typeof TEXTS][one];
	}
	for (const other of ["es", "en"]) elementOf(`to-${other}`).setAttribute("aria-pressed", String(other === one));
	show();
}
