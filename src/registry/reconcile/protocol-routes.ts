/**
 * The Reconciliation Service API 0.2, for OpenRefine and similar programs: https://reconciliation-api.github.io/specs/0.2/.
 *
 * Its only credential is the capability in its path. Programs add parameters of their own, so unknown ones are ignored.
 *
 * Gap: names count against the plan's daily limit. Look-ups of numbers for new columns only count against the rate, like batches of look-ups.
 */
import { Type } from "@sinclair/typebox";
import { callerOf, createCallerLimit } from "../../identity/rate-limits";
import {
	type Call,
	JSON_BYTES_MAX,
	json,
	type Operation,
	type Parameter,
	PUBLIC,
	pathParameter,
	queryParameter,
	readBytes,
} from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { type Clock, parseTaxpayerDocument, toLocalIsoDate } from "../../platform/values";
import { exampleEntry } from "../entry";
import type { HarvestLimit, Shown } from "../harvest";
import { keyOf } from "../index/index";
import { createAbandonedCheck, type Slices } from "../match";
import { type RegistryView, type TakeView, viewOrProblem } from "../runs";
import type { Vocabulary } from "../search";
import type { Suggest } from "../suggest";
import {
	extend,
	findProperties,
	LANGUAGES,
	PREVIEW_HEADERS,
	PROPERTIES,
	ReconcileExtension,
	ReconcileManifest,
	readExtension,
	renderPreview,
	toManifest,
} from "./entity";
import { EXAMPLE_CAPABILITY } from "./link-routes";
import type { Links } from "./links";
import {
	BATCH_MAX,
	type Candidates,
	findByName,
	findByNumber,
	type ReconcileQuery,
	readQueries,
	TYPES,
	toCandidates,
	typesOf,
} from "./queries";

export type ReconcileDeps = {
	readonly links: Links;
	readonly takeView: TakeView;
	readonly vocabularyFor: (view: RegistryView) => Promise<Vocabulary>;
	readonly slices: Slices;
	readonly suggest: Suggest;
	readonly clock: Clock;
	readonly harvest: Pick<HarvestLimit, "admit">;
	readonly baseUrl: string;
	/** Template of a taxpayer's public page, with `{{id}}`; undefined where there is none. */
	readonly viewUrl: string | undefined;
};

const PATH = "/v1/reconcile/{capability}";
const SUGGESTIONS_MAX = 10;
const PREFIX_MAX = 80;
const NO_STORE = { "cache-control": "private, no-store" };
/** Concurrent batches of one caller. Names of all callers take turns. */
const AT_ONCE_MAX = 4;

const Reference = Type.Object({ id: Type.String(), name: Type.String() });
const Results = Type.Record(
	Type.String(),
	Type.Object({
		result: Type.Array(
			Type.Object({
				id: Type.String({ description: "The number." }),
				name: Type.String({ description: "The legal name." }),
				type: Type.Array(Reference),
				score: Type.Number({ minimum: 0, maximum: 1, description: "As in matches of names; 1 for a number." }),
				match: Type.Boolean({
					description: "True for an exact number, and for a score of 0.95 or more that leads by 0.02 or more.",
				}),
			}),
			{ description: "Best first." },
		),
	}),
	{ $id: "ReconcileResults", description: "By the keys of the queries." },
);
const Extended = Type.Object(
	{
		meta: Type.Array(Reference),
		rows: Type.Record(Type.String(), Type.Record(Type.String(), Type.Array(Type.Object({ str: Type.String() }))), {
			description: "By number, then by property; an empty list for what the registry does not have.",
		}),
	},
	{ $id: "ReconcileExtended" },
);
const Batch = Type.Union([Results, Extended], { $id: "ReconcileBatchResult" });
const Suggested = Type.Object(
	{ result: Type.Array(Type.Object({ ...Reference.properties, description: Type.Optional(Type.String()) })) },
	{ $id: "ReconcileSuggestions" },
);
const Proposed = Type.Object(
	{ type: Type.String(), properties: Type.Array(Reference) },
	{ $id: "ReconcileProperties" },
);

const form = Type.Object(
	{
		queries: Type.Optional(Type.String({ description: "A JSON object of queries by keys of your own." })),
		extend: Type.Optional(
			Type.String({ description: `A JSON object with \`ids\` and \`properties\`, as in ${ReconcileExtension.$id}.` }),
		),
	},
	{ $id: "ReconcileForm" },
);

const CAPABILITY = pathParameter("capability", "The secret part of the link.", EXAMPLE_CAPABILITY);
const QUERIES = JSON.stringify({ q0: { query: "Fereteria El Progreso, S.R.L.", limit: 3 } });
const exampleType = [...typesOf(exampleEntry)];
const exampleResults = {
	q0: {
		result: [{ id: exampleEntry.rnc, name: exampleEntry.name, type: exampleType, score: 0.9783, match: true }],
	},
};
const exampleManifest = toManifest("https://api.example", EXAMPLE_CAPABILITY, "https://api.example/consulta/{{id}}");

export function reconcileOperations(deps: ReconcileDeps): Operation[] {
	const common = {
		...{ tag: "Registry", credentials: PUBLIC },
		findCaller: (...asked: Parameters<Links["findCaller"]>) => deps.links.findCaller(...asked),
	} as const;
	const batchProblems = [
		...(["not-found", "link-expired", "malformed-json", "validation-error"] as const),
		...(["registry-harvest-limit", "registry-unavailable", "service-unavailable"] as const),
	];
	const answerBatch = createAnswerBatch(deps);
	return [
		{
			...{ id: "getReconcileService", sdk: null, method: "GET", path: PATH, ...common },
			summary: "Describe the reconciliation service, or reconcile",
			description:
				"Without parameters: the manifest of the Reconciliation Service API 0.2, which programs read first. With `queries` or `extend`: as `POST`. A link that has expired or was revoked, or whose key has ended, answers 410; anything else that is no link answers 404. Pages of any site may read the answers.",
			...{ limit: "reconcile", chargesLate: true },
			parameters: [
				CAPABILITY,
				{ ...queryParameter("queries", "As in the form.", Type.String()), example: QUERIES },
				queryParameter("extend", "As in the form.", Type.String()),
			],
			answers: {
				200: {
					description: "The manifest, or the results.",
					schema: Type.Union([ReconcileManifest, ...Batch.anyOf], { $id: "ReconcileService" }),
					example: exampleManifest,
					headers: { "Cache-Control": "`private, no-store`" },
				},
			},
			problems: batchProblems,
			handle: async (call) => {
				const { searchParams } = call.url;
				if (searchParams.has("queries") || searchParams.has("extend")) return answerBatch(call, searchParams);
				await call.charge?.(0);
				return json(200, toManifest(deps.baseUrl, call.params.capability ?? "", deps.viewUrl), NO_STORE);
			},
		},
		{
			...{ id: "postReconcileQueries", sdk: null, method: "POST", path: PATH, ...common },
			summary: "Reconcile names, or add columns",
			description: `\`queries\` finds the taxpayers of up to ${BATCH_MAX} names or numbers. A number has one candidate, its entry. A name is compared as in matches of names, and the names of all callers take turns. \`match\` is true if no person needs to look: for an exact number, and for a score of 0.95 or more that leads by 0.02 or more. \`extend\` reads columns of up to ${BATCH_MAX} numbers. Each query counts towards the plan's names per day; plans also limit how many distinct entries names show in a day. You can have at most ${AT_ONCE_MAX} requests in progress.`,
			...{ limit: "reconcile", chargesLate: true },
			parameters: [CAPABILITY],
			body: {
				...{ schema: form, limitBytes: JSON_BYTES_MAX, required: true, takesAnyText: true },
				mediaTypes: ["application/x-www-form-urlencoded"],
				example: { queries: QUERIES },
			},
			answers: {
				200: {
					description: "The candidates of each query, or the columns.",
					schema: Batch,
					example: exampleResults,
					headers: { "Cache-Control": "`no-store`" },
				},
			},
			problems: batchProblems,
			handle: async (call) => answerBatch(call, new URLSearchParams(Buffer.from(await readBytes(call)).toString())),
		},
		{
			...{ id: "suggestReconcileEntities", sdk: null, method: "GET", path: `${PATH}/suggest/entity`, ...common },
			summary: "Suggest taxpayers for a cell",
			description: "For a person who searches for a match: as the suggestions of the registry.",
			limit: "suggest",
			parameters: [CAPABILITY, prefixParameter("Start of a number or of words of a name.")],
			answers: {
				200: {
					description: `Up to ${SUGGESTIONS_MAX} taxpayers; empty for a text that is too short.`,
					schema: Suggested,
					example: {
						result: [{ id: exampleEntry.rnc, name: exampleEntry.name, description: "EL PROGRESO, ACTIVO" }],
					},
				},
			},
			problems: [
				...(["not-found", "link-expired", "registry-harvest-limit"] as const),
				...(["registry-unavailable", "service-unavailable"] as const),
			],
			handle: async (call) => {
				const view = viewOrProblem(deps.takeView);
				const shown = deps.harvest.admit(call);
				const options = { limit: SUGGESTIONS_MAX };
				const found = await deps.suggest(view, readPrefix(call), options, createAbandonedCheck(call));
				const suggestions = found?.suggestions ?? [];
				if (shown) for (const { rnc } of suggestions) shown.add(keyOf(rnc));
				const result = suggestions.map(({ rnc, name, trade_name, status }) => {
					return { id: rnc, name, description: [trade_name, status].filter((text) => text !== "").join(", ") };
				});
				return json(200, { result }, NO_STORE);
			},
		},
		{
			...{ id: "suggestReconcileProperties", sdk: null, method: "GET", path: `${PATH}/suggest/property`, ...common },
			summary: "Suggest columns of the registry",
			description:
				"Completes the name of a column, for OpenRefine. Source: Reconciliation Service API 0.2, suggest services.",
			limit: "suggest",
			parameters: [CAPABILITY, prefixParameter("A part of the property's name; without it, all.")],
			answers: {
				200: {
					description: "The properties.",
					schema: Suggested,
					example: { result: [{ id: "status", name: "Estado" }] },
				},
			},
			problems: ["not-found", "link-expired"],
			handle: (call) => json(200, { result: findProperties(readPrefix(call)) }, NO_STORE),
		},
		{
			...{ id: "listReconcileProperties", sdk: null, method: "GET", path: `${PATH}/properties`, ...common },
			summary: "List columns of the registry",
			description:
				"The columns that can be added to rows that were reconciled. Source: Reconciliation Service API 0.2, data extension.",
			limit: "lookup",
			parameters: [CAPABILITY, queryParameter("type", "Ignored: all types have the same columns.", Type.String())],
			answers: {
				200: {
					description: "All properties of an entry.",
					schema: Proposed,
					example: { type: TYPES[0].id, properties: [...PROPERTIES] },
				},
			},
			problems: ["not-found", "link-expired"],
			handle: () => json(200, { type: TYPES[0].id, properties: PROPERTIES }, NO_STORE),
		},
		{
			...{ id: "previewReconcileEntity", sdk: null, method: "GET", path: `${PATH}/preview`, ...common },
			summary: "Show a taxpayer on a small page",
			description: "For the frame that programs show beside a candidate. It runs no script and loads nothing.",
			limit: "lookup",
			parameters: [
				CAPABILITY,
				{ ...queryParameter("id", "The number.", Type.String()), example: exampleEntry.rnc },
				queryParameter("lang", "`es` or `en`. Default: by `Accept-Language`, else `es`.", Type.String()),
			],
			answers: {
				200: {
					description: "The page.",
					mediaType: "text/html",
					headers: { "Content-Security-Policy": "`sandbox` …" },
				},
				404: { description: "A page that says that the registry has no such number.", mediaType: "text/html" },
			},
			problems: ["not-found", "link-expired", "registry-unavailable"],
			handle: (call) => preview(deps, call),
		},
	];
}

function prefixParameter(description: string): Parameter {
	return { ...queryParameter("prefix", description, Type.String()), example: "ferr pro" };
}

function readPrefix({ url }: Call): string {
	return (url.searchParams.get("prefix") ?? "").slice(0, PREFIX_MAX);
}

function preview({ takeView }: ReconcileDeps, { request, url }: Call): Response {
	const view = viewOrProblem(takeView);
	const document = parseTaxpayerDocument((url.searchParams.get("id") ?? "").slice(0, PREFIX_MAX));
	const entry = document && view.lookup(document);
	const asked = url.searchParams.get("lang") ?? request.headers.get("accept-language")?.trim().slice(0, 2);
	const language = LANGUAGES.find((one) => one === asked?.toLowerCase()) ?? "es";
	const page = renderPreview(entry, toLocalIsoDate(view.run.confirmedAt), language);
	return new Response(page, { status: entry ? 200 : 404, headers: PREVIEW_HEADERS });
}

function createAnswerBatch(deps: ReconcileDeps): (call: Call, form: URLSearchParams) => Promise<Response> {
	const callerLimit = createCallerLimit({
		max: AT_ONCE_MAX,
		policy: "reconciles-at-once",
		detail: msg`A caller can have at most ${AT_ONCE_MAX} batches of names in progress.`,
		retryAfter: 1,
	});

	const answerQueries = async (call: Call, text: string): Promise<Response> => {
		const queries = readQueries(text);
		const view = viewOrProblem(deps.takeView);
		const throwIfAbandoned = createAbandonedCheck(call);
		const find = async (query: ReconcileQuery): Promise<Candidates> => {
			const byNumber = findByNumber(view, query);
			if (byNumber) return byNumber;
			const vocabulary = await deps.vocabularyFor(view);
			return deps.slices.run(() => findByName(view, vocabulary, query), throwIfAbandoned);
		};
		const leave = callerLimit.enter(callerOf(call, "reconcile"));
		const found: [string, Candidates][] = [];
		let shown: Shown | undefined;
		try {
			// Counted last, so that what is refused for another reason is not.
			await call.charge?.(queries.length);
			call.countItems?.(queries.length);
			shown = deps.harvest.admit(call);
			for (const [key, query] of queries) found.push([key, await find(query)]);
		} finally {
			leave();
		}
		// Entries may have been erased since the first names were compared.
		const isErased = found.some(([, { matches }]) => matches.some(({ entry }) => view.isErased(entry.rnc)));
		const answered = isErased ? found.map(([key, one]) => [key, dropErased(view, one)] as const) : found;
		call.countBillable?.(answered.filter(([, { matches }]) => matches.length > 0).length);
		if (shown) for (const [, { byName }] of answered) for (const rnc of byName) shown.add(keyOf(rnc));
		const results = Object.fromEntries(answered.map(([key, one]) => [key, { result: toCandidates(one) }]));
		return answerOfRun(view, results);
	};

	const answerExtension = async (call: Call, text: string): Promise<Response> => {
		const asked = readExtension(text);
		await call.charge?.(0);
		call.countItems?.(asked.ids.length);
		const view = viewOrProblem(deps.takeView);
		const { found, body } = extend(view, asked);
		call.countBillable?.(found);
		return answerOfRun(view, body);
	};

	return async (call, form) => {
		const [queries, extension] = [form.get("queries"), form.get("extend")];
		if (queries !== null && extension === null) return answerQueries(call, queries);
		if (extension !== null && queries === null) return answerExtension(call, extension);
		const detail = msg`Send either \`queries\` or \`extend\`.`;
		throw new Problem("validation-error", { faults: [{ pointer: "/queries", code: "required", detail }] });
	};
}

function dropErased({ isErased }: RegistryView, { matches, byName, sure }: Candidates): Candidates {
	return {
		matches: matches.filter(({ entry }) => !isErased(entry.rnc)),
		byName: byName.filter((rnc) => !isErased(rnc)),
		sure: sure !== undefined && isErased(sure) ? undefined : sure,
	};
}

function answerOfRun({ run }: RegistryView, body: unknown): Response {
	return json(200, body, { "cache-control": "no-store", "x-registry-run-id": run.runId });
}
