/** The operations of a session: to sign in and out, to show a factor again, and to recover an account. */
import { Type } from "@sinclair/typebox";
import {
	type Call,
	json,
	jsonBody,
	NEEDS_SESSION,
	type Operation,
	type Person,
	PRIVATE_NO_STORE,
	PUBLIC,
	personOf,
	readJson,
} from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { isSandbox } from "../../platform/values";
import { findUser, listAccessesOf, listMemberships, offerPasskeys, PasskeyAssertion } from "../users";
import { toPerson } from "./authenticate";
import { refuseCrossSite } from "./cookie";
import type { KnownSession } from "./directory";
import type { Proof } from "./proof";
import { SignedIn, toMe, toSessionRecord } from "./record";
import {
	confirm,
	endOne,
	isFromHere,
	listShown,
	renew,
	requestRecovery,
	type SessionDeps,
	type StartedSession,
	signIn,
} from "./sign-in";

const TAG = "Console";
const DAY_MS = 86_400_000;
const PASSWORD_LENGTH_MAX = 1_024;

const Text = (maxLength: number, description: string) =>
	Type.Optional(Type.String({ minLength: 1, maxLength, description }));
const shown = {
	password: Text(PASSWORD_LENGTH_MAX, "For `password`."),
	totp: Text(10, "Code of the authenticator app, where one is set up."),
	credential: Type.Optional(PasskeyAssertion),
};

const SignInRequest = Type.Object(
	{
		method: Type.Union(
			(["passkey", "password", "link", "recovery", "local", "try"] as const).map((one) => Type.Literal(one)),
			{
				description:
					"`link` is a printed or mailed link, `local` the person of a local sandbox on this machine, `try` a new company in the public sandbox.",
			},
		),
		email: Text(254, "For `password`."),
		...shown,
		token: Text(100, "For `link` and `recovery`: the part of the link after `#`."),
		recoveryCode: Text(40, "For `recovery`."),
	},
	{ additionalProperties: false },
);
const ConfirmRequest = Type.Object(
	{
		method: Type.Union([Type.Literal("passkey"), Type.Literal("password")], { description: "The factor." }),
		...shown,
	},
	{ additionalProperties: false },
);
const OptionsRequest = Type.Object(
	{
		purpose: Type.Union([Type.Literal("sign-in"), Type.Literal("confirm")], {
			description: "`confirm` needs a session.",
		}),
	},
	{ additionalProperties: false },
);
const RecoveryRequest = Type.Object(
	{ email: Type.String({ minLength: 3, maxLength: 254, description: "The account's address." }) },
	{ additionalProperties: false },
);

const SignInOptions = Type.Object(
	{
		methods: Type.Array(Type.String(), { description: "Methods that are offered here." }),
		totp: Type.Boolean({ description: "Whether each password needs the code of an authenticator app." }),
		sso: Type.Union([Type.String(), Type.Null()], {
			description: "Name of the identity provider behind `GET /v1/session/sso`; null without one.",
		}),
		passkey: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
			description: "Options of `navigator.credentials.get()` as JSON; null where passkeys do not work.",
		}),
	},
	{ $id: "SignInOptions" },
);

const ID = "0192f1e0-7a00-7b11-9c22-334455667788";
const TENANT_ID = "0192f0a1-b2c3-7d4e-8f00-112233445566";
export const ME_EXAMPLE = {
	user: { id: ID, email: "ana@cliente.do", name: "Ana Pérez", language: "es", settings: { theme: "dark" } },
	factors: { password: true, totp: true, passkeys: 1, recoveryCodes: 10, sso: null },
	teams: [
		{ ownerId: "0192f0a0-7a00-7b11-9c22-334455667788", role: "viewer", tenantIds: null, scopes: ["invoices:read"] },
	],
	memberships: [
		{
			...{ tenantId: TENANT_ID, ownerId: "0192f0a0-7a00-7b11-9c22-334455667788" },
			...{ rnc: "990000001", name: "FARMACIA CENTRAL SRL", status: "active" },
			...{ role: "viewer", scopes: ["invoices:read"] },
		},
	],
	environment: "sandbox",
};
export const SESSION_EXAMPLE = {
	...{
		id: "0192f1e1-7a00-7b11-9c22-334455667788",
		method: "password",
		current: true,
		operator: false,
		address: "203.0.113.7",
	},
	...{ agent: "Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0.0.0", createdAt: "2026-11-20T14:00:00.000Z" },
	...{ lastSeenAt: "2026-11-20T14:05:00.000Z", expiresAt: "2026-11-27T14:00:00.000Z", idleSeconds: 43_200 },
	confirmedUntil: "2026-11-20T14:10:00.000Z",
};
const SIGNED_IN = { session: SESSION_EXAMPLE, me: ME_EXAMPLE };
const COOKIE = { "Set-Cookie": "The session: HttpOnly, Secure, SameSite=Strict." };
const ONLY_CONSOLE = "For the console's own pages: a request from another site is refused.";

export function sessionOperations(deps: SessionDeps): Operation[] {
	return [
		{
			id: "postSessionOptions",
			sdk: null,
			...{ method: "POST", path: "/v1/session/options", tag: TAG, summary: "Read how to sign in" },
			description: `The methods that are offered, and a challenge for passkeys, which is good for five minutes and one use. ${ONLY_CONSOLE}`,
			...{ credentials: PUBLIC, limit: "page" },
			body: jsonBody(OptionsRequest, { purpose: "sign-in" }),
			answers: {
				200: {
					description: "The methods.",
					schema: SignInOptions,
					example: { methods: ["passkey", "password"], totp: true, sso: null, passkey: null },
				},
			},
			problems: ["malformed-json", "validation-error", "cross-site-request", "session-expired"],
			handle: (call) => readOptions(deps, call),
		},
		{
			id: "createSession",
			sdk: null,
			...{ method: "POST", path: "/v1/session", tag: TAG, summary: "Sign in" },
			description:
				"Starts a session, whose cookie stands for key and token: each further request names its company in `X-Company`. A session " +
				`ends after 12 hours without a request and after 7 days; one of an operator after 30 minutes and 12 hours. ${ONLY_CONSOLE}`,
			...{ credentials: PUBLIC, limit: "sign-in" },
			body: jsonBody(SignInRequest, {
				method: "password",
				email: "ana@cliente.do",
				password: "correct horse battery",
				totp: "123456",
			}),
			answers: { 201: { description: "The session.", schema: SignedIn, example: SIGNED_IN, headers: COOKIE } },
			problems: [
				...([
					"malformed-json",
					"validation-error",
					"sign-in-failed",
					"totp-required",
					"cross-site-request",
					"forbidden",
				] as const),
				...(["link-expired", "sign-in-throttled"] as const),
			],
			handle: async (call) => {
				refuseCrossSite(call.request, deps.address);
				const proof = await readJson<Proof>(call);
				return answerStarted(deps, call, 201, await signIn(deps, call, proof));
			},
		},
		{
			id: "getSession",
			sdk: null,
			...{ method: "GET", path: "/v1/session", tag: TAG, summary: "Read the session" },
			description: "The session and its person. Once a day the answer brings a new token.",
			credentials: NEEDS_SESSION,
			answers: { 200: { description: "The session.", schema: SignedIn, example: SIGNED_IN } },
			problems: [],
			handle: async (call) => {
				const { person, known } = await findKnown(deps, call);
				const isOld = deps.clock.now().getTime() - known.session.tokenAt.getTime() >= DAY_MS;
				const renewed = isOld ? await renew(deps, call, person, false) : undefined;
				return renewed
					? answerStarted(deps, call, 200, renewed)
					: json(200, await describe(deps, known), PRIVATE_NO_STORE);
			},
		},
		{
			id: "deleteSession",
			sdk: null,
			...{ method: "DELETE", path: "/v1/session", tag: TAG, summary: "Sign out" },
			description: "Ends the session at once and clears what the console has stored in the browser.",
			credentials: PUBLIC,
			answers: {
				204: {
					description: "There is no session now.",
					headers: { "Clear-Site-Data": '`"storage"`: drafts and settings.' },
				},
			},
			problems: ["cross-site-request"],
			handle: (call) => signOut(deps, call),
		},
		{
			id: "confirmSession",
			sdk: null,
			...{ method: "POST", path: "/v1/session/confirm", tag: TAG, summary: "Show a factor again" },
			description:
				"Some operations need a factor that was shown in the last ten minutes, such as those on keys, certificates and the team. The " +
				"session gets a new token.",
			...{ credentials: NEEDS_SESSION, limit: "sign-in" },
			body: jsonBody(ConfirmRequest, { method: "password", password: "correct horse battery", totp: "123456" }),
			answers: { 200: { description: "The session.", schema: SignedIn, example: SIGNED_IN, headers: COOKIE } },
			problems: ["malformed-json", "validation-error", "sign-in-failed", "totp-required", "sign-in-throttled"],
			handle: async (call) => {
				const person = personOf(call);
				return answerStarted(deps, call, 200, await confirm(deps, call, person, await readJson<Proof>(call)));
			},
		},
		{
			id: "recoverSession",
			sdk: null,
			...{ method: "POST", path: "/v1/session/recovery", tag: TAG, summary: "Request a recovery link" },
			description:
				"Mails a link that is good for 30 minutes and one use. It signs in with one of the recovery codes, and ends all other sessions. " +
				"The answer is the same for an unknown address.",
			...{ credentials: PUBLIC, limit: "sign-in" },
			body: jsonBody(RecoveryRequest, { email: "ana@cliente.do" }),
			answers: { 202: { description: "A mail is under way if the address is known." } },
			problems: ["malformed-json", "validation-error", "cross-site-request", "forbidden"],
			handle: async (call) => {
				refuseCrossSite(call.request, deps.address);
				const { email } = await readJson<{ readonly email: string }>(call);
				await requestRecovery(deps, email);
				return new Response(null, { status: 202, headers: PRIVATE_NO_STORE });
			},
		},
	];
}

async function findKnown(
	deps: SessionDeps,
	call: Call,
): Promise<{ readonly person: Person; readonly known: KnownSession }> {
	const token = deps.cookie.read(call.request);
	const known = token === undefined ? undefined : await deps.directory.find(token);
	if (!known) throw new Problem("session-expired");
	return { person: toPerson(known), known };
}

async function describe(deps: SessionDeps, known: KnownSession) {
	const person = toPerson(known);
	return {
		session: toSessionRecord(known.session, known.session.id),
		me: toMe(known.user, person, await listShown(deps, person), deps),
	};
}

async function answerStarted(
	deps: SessionDeps,
	call: Call,
	status: number,
	{ session, token }: StartedSession,
): Promise<Response> {
	const user = await findUser(deps.sql, session.userId);
	if (!user) throw new Problem("session-expired");
	const memberships = await listMemberships(deps.sql, user.id);
	const accesses = await listAccessesOf(deps.sql, user.id, deps.clock.now());
	const body = await describe(deps, { user, memberships, accesses, session });
	return json(status, body, { ...PRIVATE_NO_STORE, "set-cookie": toCookie(deps, call, { session, token }) });
}

/** The session's `Set-Cookie`. */
export function toCookie(
	{ cookie, clock }: SessionDeps,
	{ request }: Call,
	{ session, token }: StartedSession,
): string {
	const seconds = Math.max(1, Math.round((session.expiresAt.getTime() - clock.now().getTime()) / 1_000));
	return cookie.write(request, token, seconds);
}

/** A session that has ended is signed out too. */
async function signOut(deps: SessionDeps, call: Call): Promise<Response> {
	refuseCrossSite(call.request, deps.address);
	const token = deps.cookie.read(call.request);
	if (token !== undefined) {
		const known = await deps.directory.find(token);
		if (known) await endOne(deps, call, toPerson(known), known.session.id);
	}
	const response = new Response(null, {
		status: 204,
		headers: { ...PRIVATE_NO_STORE, "clear-site-data": '"storage"' },
	});
	for (const text of deps.cookie.clear()) response.headers.append("set-cookie", text);
	return response;
}

async function readOptions(deps: SessionDeps, call: Call): Promise<Response> {
	refuseCrossSite(call.request, deps.address);
	const { purpose } = await readJson<{ readonly purpose: "sign-in" | "confirm" }>(call);
	const userId = purpose === "confirm" ? (await findKnown(deps, call)).known.user.id : null;
	const { environment, url } = deps.address;
	const { sso } = deps;
	// Gap: passkey and password still confirm where people sign in elsewhere, since not every provider asks for a factor again.
	const isElsewhere = sso?.isRequired === true && purpose === "sign-in";
	// An IP address is no name that authenticators know. Source: Web Authentication, 5.4.2.
	const hasPasskeys = !isElsewhere && !/^\[|^[\d.]+$/.test(new URL(url).hostname);
	const body = {
		methods: [
			...(sso ? ["sso"] : []),
			...(hasPasskeys ? ["passkey"] : []),
			...(isElsewhere ? [] : ["password"]),
			...(purpose === "sign-in" && !isElsewhere && isFromHere(deps, call) ? ["local"] : []),
			...(purpose === "sign-in" && !isElsewhere && deps.makeTrialCompany ? ["try"] : []),
		],
		totp: !isSandbox(environment),
		sso: sso?.label ?? null,
		passkey: hasPasskeys ? await offerPasskeys(deps, userId) : null,
	};
	return json(200, body, PRIVATE_NO_STORE);
}
