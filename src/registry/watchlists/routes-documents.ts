/** The operations on the numbers of a watchlist. */
import { type Static, Type } from "@sinclair/typebox";
import {
	type Call,
	cutPage,
	json,
	jsonBody,
	type Operation,
	PRIVATE_NO_STORE,
	queryParameter,
	readBytes,
	readJson,
	readQuery,
} from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { digitsOf, keyOf } from "../index/index";
import { packWatched, unpackWatched, type Watched } from "./numbers";
import { NUMBERS_MAX, REFERENCE_MAX, readDocumentLines, toWatched } from "./read-documents";
import { findNumbers, lockAndCount, writeNumbers } from "./store";
import {
	audit,
	beyondLimit,
	ID,
	limitsOf,
	READING,
	SHOWN,
	take,
	takeHolder,
	toRecord,
	type WatchlistsDeps,
	WRITING,
} from "./watchlist";

const PART_MAX = 10_000;
const FILE_BYTES_MAX = 8 * 1024 * 1024;

const Listed = Type.Object(
	{
		document: Type.String({ maxLength: 40, description: "RNC or Cédula; hyphens are optional." }),
		reference: Type.Optional(
			Type.String({ maxLength: REFERENCE_MAX, description: "Your own id of it; events carry it." }),
		),
	},
	{ additionalProperties: false },
);
const DocumentsPart = Type.Object(
	{
		documents: Type.Array(Listed, {
			minItems: 1,
			maxItems: PART_MAX,
			description: "RNC or Cédula numbers, each with your own reference.",
		}),
	},
	{ additionalProperties: false },
);
type DocumentsPart = Static<typeof DocumentsPart>;

const WatchedPage = Type.Object(
	{
		items: Type.Array(Type.Object({ document: Type.String(), reference: Type.Optional(Type.String()) })),
		...{ count: Type.Integer(), partial: Type.Boolean(), next: Type.Union([Type.String(), Type.Null()]) },
	},
	{ $id: "WatchlistDocuments" },
);

const EXAMPLE_DOCUMENTS = [
	{ document: "101000023", reference: "SUP-12" },
	{ document: "131880681", reference: "SUP-4711" },
];

export function documentOperations(deps: WatchlistsDeps): Operation[] {
	const part = (verb: "add" | "remove", summary: string): Operation => ({
		id: `${verb}WatchlistDocuments`,
		sdk: `watchlists.${verb}Documents`,
		...{ method: "POST", path: `/v1/watchlists/{id}/documents:${verb}`, summary, ...WRITING },
		description: "A repeat changes nothing further.",
		parameters: [ID],
		body: {
			...jsonBody(DocumentsPart, { documents: EXAMPLE_DOCUMENTS }),
			limitBytes: 2 * 1024 * 1024,
		},
		answers: { 200: SHOWN },
		problems: [
			...([
				"malformed-json",
				"validation-error",
				"invalid-document-format",
				"not-found",
				"watchlist-has-source",
			] as const),
			...(verb === "add" ? (["watchlist-limit"] as const) : []),
		],
		handle: async (call) => {
			readQuery(call);
			const { documents } = await readJson<DocumentsPart>(call);
			const given = documents.map(({ document, reference = "" }) => toWatched(document, reference));
			const keys = new Set(given.map(({ key }) => key));
			return writeList(deps, call, (held) =>
				verb === "add" ? [...held, ...given] : held.filter(({ key }) => !keys.has(key)),
			);
		},
	});
	return [
		{
			id: "listWatchlistDocuments",
			sdk: "watchlists.listDocuments",
			...{
				method: "GET",
				path: "/v1/watchlists/{id}/documents",
				summary: "List the numbers of a watchlist",
				description: "The numbers that the list watches, in ascending order, with your reference of each.",
				...READING,
			},
			parameters: [
				ID,
				queryParameter(
					"after",
					"`next` of the previous page.",
					Type.String({ pattern: "^(\\d{9}|\\d{11})$", faultDetail: msg`Send the \`next\` of a page.` }),
				),
				queryParameter(
					"limit",
					"1 to 1000, default 100.",
					Type.String({ pattern: "^([1-9]\\d{0,2}|1000)$", faultDetail: msg`Send a number from 1 to 1000.` }),
				),
			],
			answers: {
				200: {
					description: "One page, by number.",
					schema: WatchedPage,
					example: { items: EXAMPLE_DOCUMENTS, count: 2, partial: false, next: null },
				},
			},
			problems: ["validation-error", "not-found"],
			handle: (call) => listDocuments(deps, call),
		},
		{
			id: "putWatchlistDocuments",
			sdk: "watchlists.putDocuments",
			...{
				method: "PUT",
				path: "/v1/watchlists/{id}/documents",
				summary: "Replace the numbers of a watchlist",
				...WRITING,
			},
			description:
				`At most ${NUMBERS_MAX} lines. CSV: the number, then your reference; a first line without digits names the columns. NDJSON: ` +
				"`document` and `reference`. Of equal numbers the last stays.",
			parameters: [ID],
			body: {
				...{ schema: Type.String(), limitBytes: FILE_BYTES_MAX, required: true, takesAnyText: true },
				mediaTypes: ["text/csv", "application/x-ndjson"],
				example: "document,reference\n101000023,SUP-12\n131880681,SUP-4711\n",
			},
			answers: { 200: SHOWN },
			problems: [
				...(["malformed-json", "validation-error", "not-found"] as const),
				...(["watchlist-has-source", "list-unreadable", "watchlist-limit"] as const),
			],
			handle: async (call) => {
				readQuery(call);
				const bytes = await readBytes(call);
				const watched = readDocumentLines(bytes, call.request.headers.get("content-type") ?? "");
				return writeList(deps, call, () => watched);
			},
		},
		part("add", "Add numbers to a watchlist"),
		part("remove", "Remove numbers from a watchlist"),
	];
}

/** Replaces the numbers of a list. Throws: not-found, watchlist-limit. */
async function writeList(
	{ sql, clock, isErased }: WatchlistsDeps,
	call: Call,
	change: (held: readonly Watched[]) => readonly Watched[],
): Promise<Response> {
	const { watchedNumbers } = limitsOf(call);
	const { ownerId } = takeHolder(call);
	const row = await sql.begin(async (tx) => {
		const { numbers } = await lockAndCount(tx, ownerId);
		const { id, count, source } = await take(tx, call);
		if (source !== null) throw new Problem("watchlist-has-source", { extensions: { source } });
		const watched = change(unpackWatched(await findNumbers(tx, id)));
		// Gap: a caller can see that a number was erased, because it is not kept on the list.
		const packed = packWatched(watched.filter(({ key }) => !isErased(digitsOf(key))));
		if (packed.count > NUMBERS_MAX) throw beyondLimit("watchedNumbers", NUMBERS_MAX);
		if (packed.count > count && numbers - count + packed.count > watchedNumbers)
			throw beyondLimit("watchedNumbers", watchedNumbers);
		await writeNumbers(tx, id, packed);
		await audit(tx, call, clock, "watchlist.documents", id);
		return take(tx, call);
	});
	return json(200, toRecord(row), PRIVATE_NO_STORE);
}

async function listDocuments({ sql, isErased }: WatchlistsDeps, call: Call): Promise<Response> {
	const { after, limit = "100" } = readQuery(call);
	const { id } = await take(sql, call);
	const from = after === undefined ? -1 : keyOf(after);
	const watched = unpackWatched(await findNumbers(sql, id)).filter(({ key }) => key > from);
	const shown = watched.filter(({ key }) => !isErased(digitsOf(key))).slice(0, Number(limit) + 1);
	const { page, place } = cutPage(shown, Number(limit), ({ key }) => digitsOf(key));
	const items = page.map(({ key, reference }) => ({
		document: digitsOf(key),
		...(reference === "" ? {} : { reference }),
	}));
	return json(200, { items, ...place }, PRIVATE_NO_STORE);
}
