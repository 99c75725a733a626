/** The operations on watchlists. */
import { type Static, Type } from "@sinclair/typebox";
import { answerOnce, idempotencyKeyParameter, REPEATED, WRITE_PROBLEMS } from "../../platform/idempotency";
import { ADDRESS_LENGTH_MAX } from "../../platform/mail";
import {
	type Call,
	cutPage,
	idFrom,
	json,
	jsonBody,
	type Operation,
	PRIVATE_NO_STORE,
	pageAnswer,
	pageParameters,
	patchBody,
	readJson,
	readPageQuery,
	readQuery,
} from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { MAILABLE_PATTERN, newId } from "../../platform/values";
import { WATCHED_FIELDS } from "../changes";
import { digestDay } from "./digests";
import { fillNight, orderFilling } from "./filling";
import { changesOperation } from "./routes-changes";
import { documentOperations } from "./routes-documents";
import {
	changeWatchlist,
	DIGESTS,
	deleteWatchlist,
	insertWatchlist,
	LOCALES,
	listWatchlists,
	lockAndCount,
	SOURCES,
} from "./store";
import {
	audit,
	beyondLimit,
	EXAMPLE,
	holderOf,
	ID,
	limitsOf,
	READING,
	SHOWN,
	take,
	takeHolder,
	toRecord,
	Watchlist,
	type WatchlistsDeps,
	WRITING,
} from "./watchlist";

const Name = Type.String({ minLength: 1, maxLength: 100, description: "What the list is for." });
const Fields = Type.Array(Type.Union(WATCHED_FIELDS.map((field) => Type.Literal(field))), {
	...{ minItems: 1, maxItems: WATCHED_FIELDS.length, uniqueItems: true },
	description: "Values whose changes are reported. Entries that appear or disappear always are.",
});

const EMAILS_MAX = 10;
const Emails = Type.Array(
	Type.String({
		...{ maxLength: ADDRESS_LENGTH_MAX, pattern: MAILABLE_PATTERN },
		...{ faultCode: "invalid-email", faultDetail: msg`Is not a plain e-mail address.` },
	}),
	{
		...{ maxItems: EMAILS_MAX, uniqueItems: true },
		description:
			"Who gets the digests; each mail has a link that stops them. An address gets one mail a day, with the changes of all its lists.",
	},
);
const DigestChoice = Type.Union([...DIGESTS.map((one) => Type.Literal(one)), Type.Null()], {
	description: "Mails with the changes: each morning, on Mondays, or null for none. No mail without a change.",
});
const LocaleChoice = Type.Union(
	LOCALES.map((one) => Type.Literal(one)),
	{ description: "Language of the digests. Default: the company's, or Spanish." },
);
const settings = {
	...{ fields: Type.Optional(Fields), emails: Type.Optional(Emails) },
	...{ digest: Type.Optional(DigestChoice), locale: Type.Optional(LocaleChoice) },
};

const SourceChoice = Type.Union(
	SOURCES.map((one) => Type.Literal(one)),
	{
		description:
			"Fills the list now and each night from the documents of the token's company: `customers` are the buyers of accepted invoices, " +
			"`suppliers` the issuers of received documents and the sellers of purchases (41). It stays for ever.",
	},
);

const WatchlistRequest = Type.Object(
	{ name: Name, ...settings, source: Type.Optional(SourceChoice) },
	{ additionalProperties: false },
);
type WatchlistRequest = Static<typeof WatchlistRequest>;
const WatchlistPatch = Type.Object({ name: Type.Optional(Name), ...settings }, { additionalProperties: false });
type WatchlistPatch = Static<typeof WatchlistPatch>;

const EXAMPLE_REQUEST: WatchlistRequest = {
	...{ name: "Proveedores", fields: ["status", "name"] },
	...{ emails: ["ap@cliente.do"], digest: "daily" },
};

export function watchlistOperations(deps: WatchlistsDeps): Operation[] {
	return [
		{
			id: "listWatchlists",
			sdk: "watchlists.list",
			...{ method: "GET", path: "/v1/watchlists", summary: "List watchlists", ...READING },
			description:
				"With a company's token, the lists of that company; with the key alone, the owner's own. Changes of the numbers on a list are " +
				"sent as events to the company or owner.",
			parameters: pageParameters(),
			answers: {
				200: pageAnswer("One page, oldest first.", Watchlist, EXAMPLE),
			},
			problems: ["validation-error"],
			handle: (call) => list(deps, call),
		},
		{
			id: "createWatchlist",
			sdk: "watchlists.create",
			...{ method: "POST", path: "/v1/watchlists", summary: "Create a watchlist", ...WRITING },
			description:
				"The plan limits the lists and the numbers of an owner and its companies together. After each registry run, webhooks that " +
				"subscribe to `registry.record_changed` get one event for each changed number.",
			parameters: [idempotencyKeyParameter()],
			body: jsonBody(WatchlistRequest, EXAMPLE_REQUEST),
			answers: {
				201: { ...SHOWN, headers: { Location: "The watchlist." } },
				200: { ...SHOWN, description: REPEATED },
			},
			problems: [...WRITE_PROBLEMS, "watchlist-limit"],
			handle: (call) => create(deps, call),
		},
		{
			id: "getWatchlist",
			sdk: "watchlists.get",
			...{ method: "GET", path: "/v1/watchlists/{id}", summary: "Read a watchlist", ...READING },
			description:
				"Name, watched fields, digest and number of taxpayers of the list. The numbers have an address of their own.",
			parameters: [ID],
			answers: { 200: SHOWN },
			problems: ["validation-error", "not-found"],
			handle: async (call) => {
				readQuery(call);
				return json(200, toRecord(await take(deps.sql, call)), PRIVATE_NO_STORE);
			},
		},
		{
			id: "patchWatchlist",
			sdk: "watchlists.update",
			...{ method: "PATCH", path: "/v1/watchlists/{id}", summary: "Change a watchlist", ...WRITING },
			description: "Absent members stay. The numbers of the list are changed by `POST /v1/watchlists/{id}/documents`.",
			parameters: [ID],
			body: patchBody(WatchlistPatch, { name: "Proveedores 2027", digest: "weekly" }),
			answers: { 200: SHOWN },
			problems: ["malformed-json", "validation-error", "not-found"],
			handle: (call) => patch(deps, call),
		},
		{
			id: "deleteWatchlist",
			sdk: "watchlists.delete",
			...{ method: "DELETE", path: "/v1/watchlists/{id}", summary: "Delete a watchlist", ...WRITING },
			description: "Deletes the list for good; its changes are no longer reported. The taxpayers stay in the registry.",
			parameters: [ID],
			answers: { 204: { description: "The list and its numbers are deleted." } },
			problems: ["validation-error", "not-found"],
			handle: (call) => remove(deps, call),
		},
		...documentOperations(deps),
		changesOperation(deps),
	];
}

async function list({ sql }: WatchlistsDeps, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const holder = holderOf(call);
	const rows = holder ? await listWatchlists(sql, holder, query.after ?? "", limit + 1) : [];
	const { page, place } = cutPage(rows, limit, ({ id }) => id);
	return json(200, { items: page.map(toRecord), ...place }, PRIVATE_NO_STORE);
}

/** Gap: only the company's own token selects its documents, so that its events and digests go to the company. */
const NO_COMPANY = {
	pointer: "/source",
	code: "company-required",
	detail: msg`Send the token of the company as well.`,
};
const NO_OWNER = msg`The demo key is shared, so it has no watchlists. Use a key of your own.`;

async function create({ sql, clock, languageOf, wake }: WatchlistsDeps, call: Call): Promise<Response> {
	const { watchlists } = limitsOf(call);
	const holder = holderOf(call);
	const scopeId = holder?.tenantId ?? holder?.ownerId ?? newId();
	const language = holder?.tenantId ? await languageOf(holder.tenantId) : "es";
	const answer = await answerOnce<WatchlistRequest>(
		sql,
		call,
		async (tx, { name, fields = ["status", "name"], emails = [], digest = null, locale = language, source = null }) => {
			if (!holder) throw new Problem("watchlist-limit", { detail: NO_OWNER, extensions: { maximum: 0 } });
			if (source !== null && holder.tenantId === null) throw new Problem("validation-error", { faults: [NO_COMPANY] });
			if ((await lockAndCount(tx, holder.ownerId)).lists >= watchlists) throw beyondLimit("watchlists", watchlists);
			const list = { id: newId(), name, fields, emails, digest, locale, source };
			const days = { digest: digestDay(clock.now()), night: fillNight(clock.now()) };
			const row = await insertWatchlist(tx, holder, list, days);
			if (source !== null && holder.tenantId !== null) await orderFilling(tx, row.id, holder.tenantId);
			await audit(tx, call, clock, "watchlist.create", row.id);
			const headers = { ...PRIVATE_NO_STORE, location: `/v1/watchlists/${row.id}` };
			return { status: 201, body: toRecord(row), headers };
		},
		{ scopeId },
	);
	wake();
	return answer;
}

async function patch({ sql, clock }: WatchlistsDeps, call: Call): Promise<Response> {
	readQuery(call);
	const changes = await readJson<WatchlistPatch>(call);
	const id = idFrom(call);
	const row = await sql.begin(async (tx) => {
		const changed = await changeWatchlist(tx, takeHolder(call), id, changes, digestDay(clock.now()));
		if (changed) await audit(tx, call, clock, "watchlist.patch", id);
		return changed;
	});
	if (!row) throw new Problem("not-found");
	return json(200, toRecord(row), PRIVATE_NO_STORE);
}

async function remove({ sql, clock }: WatchlistsDeps, call: Call): Promise<Response> {
	readQuery(call);
	const id = idFrom(call);
	await sql.begin(async (tx) => {
		if (!(await deleteWatchlist(tx, takeHolder(call), id))) throw new Problem("not-found");
		await audit(tx, call, clock, "watchlist.delete", id);
	});
	return new Response(null, { status: 204 });
}
