/** Renders the public search page: the search box, its results, and the page of one entry. */
import { ACTIVE_STATUS, type RegistryEntry, type RegistryStatus } from "../../../registry";
import { escapeHtml, type Html } from "../../html";
import { LANGUAGES, type Language, WORDS } from "./words";

export const PAGE_PATH = "/consulta";
export const VERIFY_PATH = "/consulta/verificar";

export type Frame = {
	readonly language: Language;
	/** What was typed. */
	readonly text: string;
	/** Whether natural persons are found by name too. */
	readonly withPersons: boolean;
	readonly status: RegistryStatus;
	/** The page's path, for the link to the other language. */
	readonly path: string;
};

type Found = Pick<RegistryEntry, "rnc" | "name" | "trade_name" | "status">;

export type Results =
	/** Nothing was asked. */
	| { readonly kind: "start" }
	/** The text is too short for a search. */
	| { readonly kind: "short" }
	| { readonly kind: "list"; readonly entries: readonly Found[]; readonly isPartial: boolean }
	| { readonly kind: "entry"; readonly entry: RegistryEntry; readonly history: StatusHistory }
	| { readonly kind: "missing"; readonly number: string; readonly history: StatusHistory };

/** What our copy held, newest first. Days are in ISO form. */
export type StatusHistory = {
	readonly spans: readonly StatusSpan[];
	/** Whether older ones are left out. */
	readonly isPartial: boolean;
};

export type StatusSpan = {
	/** Undefined for days on which the copy had no entry. */
	readonly status: string | undefined;
	readonly from: string;
	/** Undefined while it lasts. */
	readonly to: string | undefined;
	/** Whether it may have begun earlier. */
	readonly isFirst: boolean;
};

export function renderPage(frame: Frame, results: Results): Html {
	const words = WORDS[frame.language];
	const title = results.kind === "entry" ? `${results.entry.name} · ${words.title}` : words.title;
	return renderFrame(frame, title, `${renderSearch(frame, results)}\n${renderResults(frame, results)}`);
}

function renderFrame(frame: Frame, title: string, body: Html): Html {
	const { language } = frame;
	const words = WORDS[language];
	return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/png" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="/docs/assets/consulta.css">
${body.includes('role="search"') ? '<script src="/docs/assets/consulta.js" defer></script>' : ""}
</head>
<body>
<header>
<p><a href="${addressOf(PAGE_PATH, language)}">${words.title}</a></p>
<p><a href="${addressOf(VERIFY_PATH, language)}">${words.verify.title}</a></p>
<p>${renderOtherLanguage(frame)}</p>
</header>
<main>
${body}
</main>
<footer>
${renderFreshness(frame)}
<p>${words.disclaimer}</p>
</footer>
</body>
</html>
`;
}

/** What was typed, and what the number says; undefined if it is not valid for the parties. */
export type Verification = {
	readonly number: string;
	readonly document: string;
	readonly requester: string;
	/** Absent before anything was typed. */
	readonly result?: { readonly found: { readonly outcome: Outcome; readonly date: string } | undefined };
};
type Outcome = keyof (typeof WORDS)["es"]["verify"]["outcomes"];

/** Gap: the form is sent with GET, so that it works without a script and its result can be linked to. */
export function renderVerification(frame: Frame, { number, document, requester, result }: Verification): Html {
	const { language } = frame;
	const words = WORDS[language].verify;
	const field = (
		name: string,
		label: string,
		value: string,
		required: boolean,
	) => `<p><label for="${name}">${label}</label>
<span class="box"><input id="${name}" name="${name}" value="${escapeHtml(value)}" maxlength="40" autocomplete="off"${required ? " required" : ""}></span></p>`;
	const found = result?.found;
	const said = !result
		? ""
		: found
			? `<p><strong class="active">${words.valid}</strong></p>\n<p>${words.outcomes[found.outcome](escapeHtml(document), found.date)}</p>`
			: `<p><strong class="inactive">${words.invalid}</strong></p>\n<p>${words.invalidHint}</p>`;
	return renderFrame(
		frame,
		words.title,
		`<h1>${words.title}</h1>
<p>${words.lead}</p>
<div role="status">
${said}
</div>
<form action="${VERIFY_PATH}" method="get">${renderHiddenLanguage(language)}
${field("number", words.number, number, true)}
${field("document", words.document, document, true)}
${field("requester", words.requester, requester, false)}
<button>${words.button}</button>
</form>`,
	);
}

function renderHiddenLanguage(language: Language): Html {
	return language === "es" ? "" : `\n<input type="hidden" name="lang" value="${language}">`;
}

export function addressOf(path: string, language: Language, query: Readonly<Record<string, string>> = {}): string {
	const values = new URLSearchParams({ ...query, ...(language === "es" ? {} : { lang: language }) }).toString();
	return values === "" ? path : `${path}?${values}`;
}

function renderOtherLanguage({ language, path, text }: Frame): Html {
	const other = LANGUAGES.find((one) => one !== language) ?? language;
	const address = addressOf(path, other, path === PAGE_PATH && text !== "" ? { q: text } : {});
	return `<a href="${escapeHtml(address)}" hreflang="${other}" lang="${other}">${WORDS[language].other}</a>`;
}

function renderSearch({ language, text, withPersons }: Frame, { kind }: Results): Html {
	const words = WORDS[language];
	const heading = kind === "start" ? `<h1>${words.title}</h1>\n<p>${words.lead}</p>\n` : "";
	return `${heading}<form action="${PAGE_PATH}" method="get" role="search">${renderHiddenLanguage(language)}
<label for="q">${words.label}</label>
<div class="box">
<input id="q" name="q" type="search" value="${escapeHtml(text)}" maxlength="80" required autocomplete="off" autocapitalize="off"
 spellcheck="false" aria-describedby="hint"${kind === "start" ? " autofocus" : ""}>
<button>${words.search}</button>
</div>
<p id="hint" class="soft">${words.hint(withPersons)}</p>
<p id="said" class="unseen" role="status" data-some="${escapeHtml(words.suggestions)}" data-none="${escapeHtml(words.noSuggestions)}"></p>
</form>`;
}

function renderResults({ language }: Frame, results: Results): Html {
	const words = WORDS[language];
	switch (results.kind) {
		case "start":
			return "";
		case "short":
			return `<h1>${words.title}</h1>\n<p>${words.short}</p>`;
		case "missing":
			return `<h1>${words.missing(escapeHtml(results.number))}</h1>\n<p>${words.missingHint}</p>${renderHistory(results.history, language)}`;
		case "list": {
			const { entries, isPartial } = results;
			if (entries.length === 0) return `<h1>${words.nothing}</h1>`;
			const items = entries.map((entry) => `<li>${renderItem(entry, language)}</li>`);
			return `<h1>${words.results(entries.length, isPartial)}</h1>\n<ol class="results">\n${items.join("\n")}\n</ol>`;
		}
		case "entry":
			return `${renderEntry(results.entry, language)}${renderHistory(results.history, language)}`;
	}
}

function renderItem({ rnc, name, trade_name, status }: Found, language: Language): Html {
	const tradeName = trade_name === "" ? "" : ` <span class="soft">${escapeHtml(trade_name)}</span>`;
	return `<a href="${addressOf(`${PAGE_PATH}/${rnc}`, language)}">${escapeHtml(name || rnc)}</a>${tradeName}
<span class="line">${rnc} ${renderStatus(status)}</span>`;
}

function renderEntry(entry: RegistryEntry, language: Language): Html {
	const { members, none } = WORDS[language];
	const rows = [
		[members.rnc, `<span class="number">${entry.rnc}</span>`],
		[members.status, renderStatus(entry.status)],
		[members.trade_name, escapeHtml(entry.trade_name)],
		[members.economic_activity, escapeHtml(entry.economic_activity)],
		[members.payment_regime, escapeHtml(entry.payment_regime)],
	].map(([label, value]) => `<div><dt>${label}</dt><dd>${value || `<span class="soft">${none}</span>`}</dd></div>`);
	return `<article>
<h1>${escapeHtml(entry.name || entry.rnc)}</h1>
<dl>
${rows.join("\n")}
</dl>
</article>`;
}

function renderHistory({ spans, isPartial }: StatusHistory, language: Language): Html {
	if (spans.length === 0) return "";
	const words = WORDS[language].history;
	const day = (iso: string) => `<time datetime="${iso}">${formatDay(iso, language)}</time>`;
	const items = spans.map(({ status, from, to, isFirst }) => {
		const name = status === undefined ? words.absent : status || words.noStatus;
		const mark = status === undefined || status === "" ? "absent" : status === ACTIVE_STATUS ? "active" : "inactive";
		const days = to === undefined ? words.since(day(from), isFirst) : words.between(day(from), day(to), isFirst);
		return `<li class="${mark}"><strong>${escapeHtml(name)}</strong> <span class="soft line">${days}</span></li>`;
	});
	return `
<section aria-labelledby="history">
<h2 id="history">${words.title}</h2>
<ol class="history">
${items.join("\n")}
</ol>
<p class="soft">${words.lead}${isPartial ? ` ${words.isPartial}` : ""}</p>
</section>`;
}

function formatDay(iso: string, language: Language): string {
	const locale = language === "es" ? "es-DO" : "en-US";
	return new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" }).format(new Date(iso));
}

/** A page for people in place of a problem; `seconds` is how long to wait. */
export function renderFailure(frame: Frame, kind: "busy" | "unavailable", seconds: string): Html {
	const { title, text } = WORDS[frame.language][kind];
	return renderFrame(frame, title, `<h1>${title}</h1>\n<p>${text(escapeHtml(seconds))}</p>`);
}

function renderStatus(status: string): Html {
	if (status === "") return "";
	return `<strong class="${status === ACTIVE_STATUS ? "active" : "inactive"}">${escapeHtml(status)}</strong>`;
}

function renderFreshness({ language, status }: Frame): Html {
	const words = WORDS[language];
	if (status.last_ingest === null) return "";
	const time = new Intl.DateTimeFormat(language === "es" ? "es-DO" : "en-US", {
		...{ dateStyle: "long", timeStyle: "short", hourCycle: "h23", timeZone: "America/Santo_Domingo" },
	}).format(new Date(status.last_ingest));
	const stale = status.stale ? `\n<p class="stale">${words.stale}</p>` : "";
	return `<p><time datetime="${status.last_ingest}">${escapeHtml(words.freshness(time))}</time></p>${stale}`;
}
