/** The operations on the person who is signed in: profile, sessions and saved views. */
import { type Static, Type } from "@sinclair/typebox";
import {
	type Call,
	idFrom,
	json,
	jsonBody,
	lineOf,
	NEEDS_SESSION,
	type Operation,
	PRIVATE_NO_STORE,
	pathParameter,
	personOf,
	readJson,
} from "../../platform/operation";
import { LANGUAGES, msg, Problem } from "../../platform/problem";
import { newId } from "../../platform/values";
import { actorOf, recordAudit } from "../audit-log";
import {
	deleteView,
	findUser,
	insertView,
	listViews,
	type Profile,
	type SavedView,
	saveProfile,
	saveView,
} from "../users";
import { Me, SessionRecord, toMe, toSessionRecord } from "./record";
import { ME_EXAMPLE, SESSION_EXAMPLE } from "./routes";
import { endOne, listShown, type SessionDeps } from "./sign-in";
import { listSessions } from "./store";

const TAG = "Console";
const VIEWS_MAX = 50;
/** Of the settings as JSON. */
const SETTINGS_BYTES_MAX = 8_192;

const ProfilePatch = Type.Object(
	{
		name: Type.Optional(lineOf(100, "As the team sees it.")),
		language: Type.Optional(
			Type.Union(
				LANGUAGES.map((one) => Type.Literal(one)),
				{ description: "Of the console and of mails." },
			),
		),
		settings: Type.Optional(
			Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
				description: `Settings of the console, which replace the former ones: at most ${SETTINGS_BYTES_MAX} bytes of JSON.`,
			}),
		),
	},
	{ additionalProperties: false },
);

const viewMembers = {
	page: Type.String({ pattern: "^[a-z-]{1,40}$", description: "The page whose list it is: `invoices`." }),
	name: lineOf(60, "As the person calls it."),
	query: Type.String({ maxLength: 2_000, description: "The query of the page's address, without `?`." }),
};
const ViewRequest = Type.Object(viewMembers, { additionalProperties: false });
const ViewPatch = Type.Partial(Type.Pick(ViewRequest, ["name", "query"]), { additionalProperties: false });
const ViewRecord = Type.Object({ id: Type.String(), ...viewMembers, createdAt: Type.String() }, { $id: "SavedView" });
type ViewRecord = Static<typeof ViewRecord>;

const VIEW_EXAMPLE: ViewRecord = {
	...{ id: "0192f1e2-7a00-7b11-9c22-334455667788", page: "invoices", name: "Rechazadas del mes" },
	...{ query: "status=rejected&from=2026-11-01", createdAt: "2026-11-20T14:00:00.000Z" },
};
const ID = pathParameter("id", "The view's id.", VIEW_EXAMPLE.id);
const WRITING = ["malformed-json", "validation-error"] as const;

export function meOperations(deps: SessionDeps): Operation[] {
	return [
		{
			id: "getMe",
			sdk: null,
			...{ method: "GET", path: "/v1/me", tag: TAG, summary: "Read the person who is signed in" },
			description: "Profile, factors, and the companies that the person's roles open.",
			credentials: NEEDS_SESSION,
			answers: { 200: { description: "The person.", schema: Me, example: ME_EXAMPLE } },
			problems: [],
			handle: async (call) => json(200, await describeMe(deps, call), PRIVATE_NO_STORE),
		},
		{
			id: "patchMe",
			sdk: null,
			...{ method: "PATCH", path: "/v1/me", tag: TAG, summary: "Change the profile" },
			description: "Absent members stay as they are.",
			credentials: NEEDS_SESSION,
			body: jsonBody(ProfilePatch, { language: "en", settings: { theme: "dark" } }),
			answers: { 200: { description: "The person.", schema: Me, example: ME_EXAMPLE } },
			problems: [...WRITING],
			handle: (call) => patchMe(deps, call),
		},
		{
			id: "listMySessions",
			sdk: null,
			...{ method: "GET", path: "/v1/me/sessions", tag: TAG, summary: "List the person's sessions" },
			description: "Newest first. A person has 20 at most; another one ends the oldest.",
			credentials: NEEDS_SESSION,
			answers: {
				200: {
					description: "The sessions.",
					schema: Type.Object({ items: Type.Array(SessionRecord) }),
					example: { items: [SESSION_EXAMPLE] },
				},
			},
			problems: [],
			handle: async (call) => {
				const { userId, sessionId } = personOf(call);
				const rows = await listSessions(deps.sql, userId, deps.clock.now());
				return json(200, { items: rows.map((row) => toSessionRecord(row, sessionId)) }, PRIVATE_NO_STORE);
			},
		},
		{
			id: "deleteMySession",
			sdk: null,
			...{ method: "DELETE", path: "/v1/me/sessions/{id}", tag: TAG, summary: "End a session" },
			description: "Its next request is refused, within a second in every process.",
			credentials: NEEDS_SESSION,
			parameters: [pathParameter("id", "The session's id.", SESSION_EXAMPLE.id)],
			answers: { 204: { description: "The session has ended." } },
			problems: ["not-found"],
			handle: async (call) => {
				if (!(await endOne(deps, call, personOf(call), idFrom(call)))) throw new Problem("not-found");
				return new Response(null, { status: 204, headers: PRIVATE_NO_STORE });
			},
		},
		{
			id: "listMyViews",
			sdk: null,
			...{ method: "GET", path: "/v1/me/views", tag: TAG, summary: "List saved views" },
			description: "Filters of lists that the person has saved, oldest first.",
			credentials: NEEDS_SESSION,
			answers: {
				200: {
					description: "The views.",
					schema: Type.Object({ items: Type.Array(ViewRecord) }),
					example: { items: [VIEW_EXAMPLE] },
				},
			},
			problems: [],
			handle: async (call) => {
				const views = await listViews(deps.sql, personOf(call).userId);
				return json(200, { items: views.map(toViewRecord) }, PRIVATE_NO_STORE);
			},
		},
		{
			id: "createMyView",
			sdk: null,
			...{ method: "POST", path: "/v1/me/views", tag: TAG, summary: "Save a view" },
			description: `A person has ${VIEWS_MAX} views at most.`,
			credentials: NEEDS_SESSION,
			body: jsonBody(ViewRequest, { page: VIEW_EXAMPLE.page, name: VIEW_EXAMPLE.name, query: VIEW_EXAMPLE.query }),
			answers: { 201: { description: "The view.", schema: ViewRecord, example: VIEW_EXAMPLE } },
			problems: [...WRITING],
			handle: (call) => createView(deps, call),
		},
		{
			id: "patchMyView",
			sdk: null,
			...{ method: "PATCH", path: "/v1/me/views/{id}", tag: TAG, summary: "Change a saved view" },
			description: "Absent members stay as they are.",
			credentials: NEEDS_SESSION,
			parameters: [ID],
			body: jsonBody(ViewPatch, { name: VIEW_EXAMPLE.name }),
			answers: { 200: { description: "The view.", schema: ViewRecord, example: VIEW_EXAMPLE } },
			problems: [...WRITING, "not-found"],
			handle: async (call) => {
				const patch = await readJson<Static<typeof ViewPatch>>(call);
				const view = await saveView(deps.sql, personOf(call).userId, idFrom(call), patch);
				if (!view) throw new Problem("not-found");
				return json(200, toViewRecord(view), PRIVATE_NO_STORE);
			},
		},
		{
			id: "deleteMyView",
			sdk: null,
			...{ method: "DELETE", path: "/v1/me/views/{id}", tag: TAG, summary: "Delete a saved view" },
			description: "The list itself stays.",
			credentials: NEEDS_SESSION,
			parameters: [ID],
			answers: { 204: { description: "The view is gone." } },
			problems: ["not-found"],
			handle: async (call) => {
				if (!(await deleteView(deps.sql, personOf(call).userId, idFrom(call)))) throw new Problem("not-found");
				return new Response(null, { status: 204, headers: PRIVATE_NO_STORE });
			},
		},
	];
}

async function describeMe(deps: SessionDeps, call: Call): Promise<Me> {
	const person = personOf(call);
	const user = await findUser(deps.sql, person.userId);
	if (!user) throw new Problem("session-expired");
	return toMe(user, person, await listShown(deps, person), deps);
}

async function patchMe(deps: SessionDeps, call: Call): Promise<Response> {
	const { userId } = personOf(call);
	const patch = await readJson<Partial<Profile>>(call);
	if (JSON.stringify(patch.settings ?? {}).length > SETTINGS_BYTES_MAX) {
		const detail = msg`Has more than ${SETTINGS_BYTES_MAX} bytes.`;
		throw new Problem("validation-error", { faults: [{ pointer: "#/settings", code: "too-long", detail }] });
	}
	await deps.sql.begin(async (tx) => {
		await saveProfile(tx, userId, patch);
		const changed = Object.keys(patch).filter((name) => name !== "settings");
		const entry = {
			at: deps.clock.now(),
			actor: actorOf(call),
			action: "user.patch",
			subject: userId,
			changed,
			details: {},
		};
		if (changed.length > 0) await recordAudit(tx, entry);
	});
	deps.directory.forget({ userId });
	return json(200, await describeMe(deps, call), PRIVATE_NO_STORE);
}

async function createView(deps: SessionDeps, call: Call): Promise<Response> {
	const request = await readJson<Static<typeof ViewRequest>>(call);
	const view: SavedView = { id: newId(), ...request, createdAt: deps.clock.now() };
	const isRoom = await deps.sql.begin((tx) => insertView(tx, personOf(call).userId, view, VIEWS_MAX));
	if (!isRoom) {
		const detail = msg`A person has ${VIEWS_MAX} views at most. Remove one first.`;
		throw new Problem("validation-error", { faults: [{ pointer: "", code: "too-many-views", detail }] });
	}
	return json(201, toViewRecord(view), PRIVATE_NO_STORE);
}

function toViewRecord({ createdAt, ...view }: SavedView): ViewRecord {
	return { ...view, createdAt: createdAt.toISOString() };
}
