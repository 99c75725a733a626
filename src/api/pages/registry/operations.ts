/**
 * The public search page of the registry: it needs no key, is not indexed, and works without its script.
 *
 * Gap: an address may open 30 pages a minute. Suggestions come with nearly each key that is typed, so they have a limit of their own.
 */
import { Type } from "@sinclair/typebox";
import { PLAN_LIMITS } from "../../../identity/rate-limits";
import { type Call, json, type Operation, PUBLIC, pathParameter, queryParameter } from "../../../platform/operation";
import { Problem } from "../../../platform/problem";
import { parseTaxpayerDocument, type TaxpayerDocument } from "../../../platform/values";
import { type Registry, toIsoDay } from "../../../registry";
import { DOCUMENTATION_TAG, type Html, PAGE_HEADERS } from "../../html";
import { prefersJson } from "../../representation";
import {
	addressOf,
	type Frame,
	PAGE_PATH,
	type Results,
	renderFailure,
	renderPage,
	renderVerification,
	type StatusHistory,
	type StatusSpan,
	VERIFY_PATH,
	type Verification,
} from "./page";
import { LANGUAGES, type Language } from "./words";

export type RegistryPageDeps = {
	/** `companies`: natural persons are found by their full number only. */
	readonly mode: "companies" | "all";
	readonly registry: Pick<Registry, "lookUpOrProblem" | "historyOf" | "suggest" | "readConsultation" | "status">;
};

const TEXT_MAX = 80;
const RESULTS_MAX = 20;
const SUGGESTIONS_MAX = 8;
const PERIODS_MAX = 100;
const SPANS_MAX = 12;
/** Gap: readers without a key see as many days as the demo plan. */
const HISTORY_DAYS = PLAN_LIMITS.demo.registry.historyDays;
const HEADERS = {
	...PAGE_HEADERS,
	"content-security-policy":
		PAGE_HEADERS["content-security-policy"]?.replace("form-action 'none'", "form-action 'self'") ?? "",
	"cache-control": "private, no-store",
	"x-robots-tag": "noindex, nofollow",
};

const languageParameter = queryParameter(
	"lang",
	"Language of the page: `es` by default, or `en`.",
	Type.Union(LANGUAGES.map((one) => Type.Literal(one))),
);
const answerHeaders = { "Cache-Control": "`private, no-store`.", "X-Robots-Tag": "`noindex, nofollow`." };

const Suggestions = Type.Object(
	{
		suggestions: Type.Array(
			Type.Object({
				rnc: Type.String({ description: "Taxpayer number, digits only." }),
				name: Type.String({ description: "Legal name." }),
				trade_name: Type.String({ description: "Commercial name; empty if the source has none." }),
				status: Type.String({ description: "Upper case, as in the source." }),
			}),
		),
		count: Type.Integer({ description: "Suggestions in this answer." }),
	},
	{ $id: "RegistryPageSuggestions" },
);

/** To those who ask for `text/html`. */
const problemPages = {
	429: { description: "For readers, a page that asks to wait.", mediaType: "text/html" },
	503: { description: "For readers, a page that asks to come back later.", mediaType: "text/html" },
} as const;

export function registryPageOperations({ mode, registry }: RegistryPageDeps): Operation[] {
	const find = (call: Call, limit: number) =>
		registry.suggest(call, readText(call), { limit, withPersons: mode === "all" });
	const frameOf = (call: Pick<Call, "url">, text: string): Frame => ({
		...{ language: languageOf(call), text, withPersons: mode === "all" },
		...{ status: registry.status(), path: call.url.pathname },
	});
	/** Programs get the usual document. */
	const renderProblem = ({ slug, status, headers }: Problem, request: Request): Response | undefined => {
		const kind = slug === "rate-limit-exceeded" ? "busy" : status === 503 ? "unavailable" : undefined;
		const isReader = request.headers.get("accept")?.includes("text/html") && !prefersJson(request);
		if (!kind || !isReader) return undefined;
		const frame = frameOf({ url: new URL(request.url) }, "");
		const page = renderFailure(frame, kind, headers["retry-after"] ?? "60");
		return new Response(page, { status, headers: { ...HEADERS, ...headers, "cache-control": "no-store" } });
	};
	const respond = (call: Call, text: string, results: Results): Response =>
		toResponse(renderPage(frameOf(call, text), results), results.kind === "missing" ? 404 : 200);
	return [
		{
			id: "getRegistryPage",
			sdk: null,
			method: "GET",
			path: PAGE_PATH,
			tag: DOCUMENTATION_TAG,
			summary: "Search taxpayers on a page",
			description:
				"Only with the setting `REGISTRY_PAGE`. A public page for people, in Spanish or English, which works without scripts. Natural persons are found by their full number, unless the operator allows names.",
			credentials: PUBLIC,
			limit: "page",
			parameters: [queryParameter("q", "A number, or the start of words of a name."), languageParameter],
			answers: {
				...problemPages,
				200: { description: "The page, with up to 20 results.", mediaType: "text/html", headers: answerHeaders },
				303: {
					description: "To the page of the number in `q`.",
					mediaType: "text/html",
					headers: { Location: "`/consulta/{document}`" },
				},
			},
			problems: ["registry-unavailable", "service-unavailable"],
			renderProblem,
			handle: async (call) => {
				const text = readText(call);
				const document = parseTaxpayerDocument(text);
				if (document) {
					const location = addressOf(`${PAGE_PATH}/${document.digits}`, languageOf(call));
					return new Response(null, { status: 303, headers: { ...HEADERS, location } });
				}
				if (text === "") return respond(call, text, { kind: "start" });
				const found = await find(call, RESULTS_MAX);
				if (!found) return respond(call, text, { kind: "short" });
				return respond(call, text, { kind: "list", entries: found.suggestions, isPartial: found.more });
			},
		},
		{
			id: "getRegistryEntryPage",
			sdk: null,
			method: "GET",
			path: `${PAGE_PATH}/{document}`,
			tag: DOCUMENTATION_TAG,
			summary: "Show a taxpayer on a page",
			description: "Only with the setting `REGISTRY_PAGE`. An erased entry is shown like one that never existed.",
			credentials: PUBLIC,
			limit: "page",
			parameters: [
				pathParameter("document", "RNC of 9 or 11 digits, or Cédula of 11 digits.", "131880681"),
				languageParameter,
			],
			answers: {
				...problemPages,
				200: { description: "The page of the entry.", mediaType: "text/html", headers: answerHeaders },
				404: { description: "A page that says that there is no such entry.", mediaType: "text/html" },
			},
			problems: ["registry-unavailable"],
			renderProblem,
			handle: (call) => {
				const written = (call.params.document ?? "").slice(0, TEXT_MAX);
				const document = parseTaxpayerDocument(written);
				const entry = document && registry.lookUpOrProblem(document);
				const history = document ? listStatuses(registry, document) : NO_HISTORY;
				if (!entry) return respond(call, written, { kind: "missing", number: written, history });
				return respond(call, entry.rnc, { kind: "entry", entry, history });
			},
		},
		{
			id: "getConsultationPage",
			sdk: null,
			method: "GET",
			path: VERIFY_PATH,
			tag: DOCUMENTATION_TAG,
			summary: "Verify a consultation number on a page",
			description:
				"Only with the setting `REGISTRY_PAGE`. For people; programs use `POST /v1/authority/attestations:verify`.",
			credentials: PUBLIC,
			limit: "page",
			parameters: [
				queryParameter("number", "The consultation number."),
				queryParameter("document", "The number that was looked up."),
				queryParameter("requester", "RNC of the requester, if there was one."),
				languageParameter,
			],
			answers: {
				...problemPages,
				200: { description: "The form, and what the number says.", mediaType: "text/html", headers: answerHeaders },
			},
			problems: [],
			renderProblem,
			handle: (call) => {
				const [number, document, requester] = ["number", "document", "requester"].map((name) => readText(call, name));
				return toResponse(
					renderVerification(frameOf(call, ""), verify(registry, { number, document, requester })),
					200,
				);
			},
		},
		{
			id: "suggestForRegistryPage",
			sdk: null,
			method: "GET",
			path: `${PAGE_PATH}/sugerencias`,
			tag: DOCUMENTATION_TAG,
			summary: "Suggest taxpayers for the search page",
			description:
				"Only with the setting `REGISTRY_PAGE`. For the page's own script; programs use the search with a key.",
			credentials: PUBLIC,
			limit: "page-suggest",
			parameters: [queryParameter("q", "What was typed so far.")],
			answers: {
				200: {
					description: "Up to 8 taxpayers; empty for a text that is too short.",
					schema: Suggestions,
					example: {
						suggestions: [
							{ rnc: "131880681", name: "FERRETERIA EL PROGRESO SRL", trade_name: "EL PROGRESO", status: "ACTIVO" },
						],
						count: 1,
					},
					headers: { "Cache-Control": "`private, max-age=60`." },
				},
			},
			problems: ["registry-unavailable", "service-unavailable"],
			handle: async (call) => {
				const { suggestions: found = [] } = (await find(call, SUGGESTIONS_MAX)) ?? {};
				const suggestions = found.map(({ rnc, name, trade_name, status }) => ({ rnc, name, trade_name, status }));
				const headers = { "cache-control": "private, max-age=60", "x-robots-tag": "noindex" };
				return json(200, { suggestions, count: suggestions.length }, headers);
			},
		},
	];
}

const NO_HISTORY: StatusHistory = { spans: [], isPartial: false };

/** The statuses that our copy held, and the days without an entry; none while the history is built. */
function listStatuses(registry: RegistryPageDeps["registry"], document: TaxpayerDocument): StatusHistory {
	try {
		const asked = { limit: PERIODS_MAX, historyDays: HISTORY_DAYS };
		const { periods, begins, isPartial } = registry.historyOf(document, asked);
		const spans: StatusSpan[] = [];
		/** The first day of what was read so far, which is later. */
		let reached: number | undefined;
		for (const { from, to, entry } of periods) {
			const span = { from: toIsoDay(from), isFirst: toIsoDay(from) === begins };
			const last = to === undefined ? undefined : toIsoDay(to);
			const newer = spans.at(-1);
			const isNext = reached !== undefined && to === reached - 1;
			if (newer && isNext && newer.status === entry.status) spans[spans.length - 1] = { ...newer, ...span };
			else {
				if (to !== undefined && !isNext) {
					const until = reached === undefined ? undefined : toIsoDay(reached - 1);
					spans.push({ status: undefined, from: toIsoDay(to + 1), to: until, isFirst: false });
				}
				spans.push({ status: entry.status, ...span, to: last });
			}
			reached = from;
		}
		return { spans: spans.slice(0, SPANS_MAX), isPartial: isPartial || spans.length > SPANS_MAX };
	} catch (error) {
		if (error instanceof Problem && error.slug === "registry-unavailable") return NO_HISTORY;
		throw error;
	}
}

function verify(
	registry: RegistryPageDeps["registry"],
	{
		number = "",
		document = "",
		requester = "",
	}: { readonly [Name in "number" | "document" | "requester"]?: string | undefined },
): Verification {
	const typed = { number, document, requester };
	if (number === "") return typed;
	const about = parseTaxpayerDocument(document);
	const by = requester === "" ? undefined : parseTaxpayerDocument(requester);
	const isReadable = about !== undefined && (requester === "" || by !== undefined);
	const found = isReadable
		? registry.readConsultation(number, { document: about.digits, requester: by?.digits })
		: undefined;
	return { ...typed, result: { found } };
}

/** Public pages accept anything in the query, because people edit addresses. */
function readText({ url }: Call, name = "q"): string {
	return (url.searchParams.get(name) ?? "").slice(0, TEXT_MAX).trim();
}

function languageOf({ url }: Pick<Call, "url">): Language {
	return url.searchParams.get("lang") === "en" ? "en" : "es";
}

function toResponse(page: Html, status: number): Response {
	return new Response(page, { status, headers: HEADERS });
}
