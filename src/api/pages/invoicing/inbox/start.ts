/** The inbox of the public sandbox: a form, a line that says how it stands, and a list of events. */
import { elementOf, page, prefersSpanish } from "./dom";
import { createFollower, type Follower } from "./follow";
import { createService, Refusal } from "./service";
import { type Item, type Language, NO_KEY, type Standing, TEXTS, tellShown, tellStanding, toItem } from "./to-item";

const SHOWN_MAX = 500;
/** Who looks at another tab for a moment keeps the line: coming back would cost a poll each time. */
const LET_GO_AFTER_MS = 60_000;
/** What a browser can send as a header and keys are made of. */
const SENDABLE = /^[!-~]+$/;

let language: Language = prefersSpanish ? "es" : "en";
let standing: Standing = { is: "closed" };
/** Newest last, as they came. */
let items: Item[] = [];
let follower: Follower | undefined;
let line: AbortController | undefined;
let letGo: ReturnType<typeof setTimeout> | undefined;

elementOf("whose").addEventListener("submit", (event) => {
	event.preventDefault();
	open();
});
elementOf("stop").addEventListener("click", close);
elementOf("filter").addEventListener("input", () => items.forEach(sift));
page.addEventListener("visibilitychange", () => {
	clearTimeout(letGo);
	if (page.visibilityState === "visible") resume();
	else letGo = setTimeout(pause, LET_GO_AFTER_MS);
});
for (const one of ["es", "en"] as const) elementOf(`to-${one}`).addEventListener("click", () => speak(one));
speak(language);

function open(): void {
	close();
	forget();
	const apiKey = elementOf("api-key").value.trim();
	const clientId = elementOf("client-id").value.trim();
	const clientSecret = elementOf("client-secret").value.trim();
	if (SENDABLE.test(apiKey)) {
		follower = createFollower(createService({ apiKey, clientId, clientSecret }), { take, forget, tell });
		run(follower);
	} else tell({ is: "refused", why: NO_KEY[language] });
}

async function run(one: Follower): Promise<void> {
	const own = new AbortController();
	line = own;
	tell({ is: "asking" });
	try {
		await one.run(own.signal);
	} catch (error) {
		// What has been let go meanwhile says nothing any more.
		if (own.signal.aborted) return;
		follower = undefined;
		tell({ is: "refused", why: error instanceof Refusal ? error.message : String(error) });
	}
}

function close(): void {
	line?.abort();
	follower = undefined;
	tell({ is: "closed" });
}

function pause(): void {
	if (!follower) return;
	line?.abort();
	tell({ is: "paused" });
}

function resume(): void {
	if (follower && line?.signal.aborted) run(follower);
}

function take(body: string): void {
	const item = toItem(body, language);
	sift(item);
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

function sift(item: Item): void {
	item.element.hidden = !item.text.includes(elementOf("filter").value.trim().toLowerCase());
}

function tell(now: Standing): void {
	standing = now;
	show();
}

function show(): void {
	elementOf("standing").textContent = tellStanding(standing, language);
	elementOf("standing").dataset.is = standing.is;
	elementOf("shown").textContent = tellShown({ count: items.length, newest: items.at(-1)?.summary }, language);
}

function speak(one: Language): void {
	language = one;
	page.documentElement.lang = one;
	page.title = TEXTS.title[one];
	for (const element of page.body.querySelectorAll("[data-text]")) {
		element.textContent = TEXTS[element.dataset.text as keyof typeof TEXTS][one];
	}
	for (const other of ["es", "en"]) elementOf(`to-${other}`).setAttribute("aria-pressed", String(other === one));
	show();
}
