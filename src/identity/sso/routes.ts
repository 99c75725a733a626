/**
 * The two operations that lead a browser to the organisation's identity provider and back.
 *
 *   page ─▶ /v1/session/sso ─▶ provider ─▶ /v1/session/sso/callback ─▶ page, signed in or with the reason why not
 *
 * What binds the way back to the way there is in a sealed cookie, so a sign-in that is begun costs no row. The session's own cookie does not
 * come along on the way back, because the provider is another site: a session that is confirmed is named in the sealed cookie.
 */
import type { Sql, Tx } from "../../platform/database";
import {
	type Call,
	type Operation,
	type Person,
	PRIVATE_NO_STORE,
	PUBLIC,
	queryParameter,
} from "../../platform/operation";
import { Problem, type ProblemSlug } from "../../platform/problem";
import { type Envelope, SealedSecretError } from "../../platform/secrets";
import type { Log } from "../../platform/telemetry";
import type { Clock, Environment } from "../../platform/values";
import { acceptOpenInvitations } from "../team";
import { findUserByEmail, type User } from "../users";
import {
	createIssuer,
	type Identity,
	type Issuer,
	isShownSince,
	type Sent,
	SsoError,
	type SsoReason,
	type SsoSettings,
} from "./issuer";

export type SsoDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly log: Log;
	readonly envelope: Envelope;
	readonly environment: Environment;
	readonly consoleUrl: string;
	/** Absent: people do not sign in elsewhere. */
	readonly settings: SsoSettings | undefined;
	readonly sessions: SsoSessions;
};

/** What signing in elsewhere needs of sessions. */
export type SsoSessions = {
	/** The cookie of a sign-in under way, which comes along when the provider leads back. */
	readonly cookie: {
		readonly read: (request: Request) => string | undefined;
		readonly write: (request: Request, value: string, seconds: number) => string;
		readonly clear: () => readonly string[];
	};
	/** The person of the request's session. Throws: cross-site-request, session-expired. */
	readonly findPerson: (request: Request) => Promise<Person>;
	/** Opens a session; the answer's `Set-Cookie`. */
	readonly start: (tx: Tx, call: Call, user: User, confirmedAt: Date) => Promise<string>;
	/** Confirms a session in force of a person with this address; the answer's `Set-Cookie`. Undefined for another person's. */
	readonly confirm: (call: Call, sessionId: string, email: string) => Promise<string | undefined>;
	/** Drops what this process knows of a person. */
	readonly forget: (of: { readonly userId: string }) => void;
	/** Wakes the outbox. */
	readonly wake: () => void;
};

const TAG = "Console";
const FLOW_SECONDS = 600;
const FLOW_CONTEXT = "sso-flow";
/** Where a window that confirms a session ends. */
const CONFIRMED_PATH = "/console/confirmed";

/** A sign-in under way. */
type Flow = Sent & {
	readonly startedAt: number;
	/** Of the session that is confirmed; absent for a sign-in. */
	readonly sessionId?: string;
	/** The console's page where the person goes on. */
	readonly page: string;
};

const SLUGS: Readonly<Record<SsoReason, ProblemSlug>> = {
	"sso-away": "service-unavailable",
	"sso-cancelled": "sign-in-failed",
	"sso-failed": "sign-in-failed",
	"sso-expired": "link-expired",
	"sso-not-fresh": "sign-in-failed",
	"sso-other-person": "sign-in-failed",
	"email-not-verified": "email-not-invited",
	"email-not-invited": "email-not-invited",
};

const TO_CONSOLE = { 303: { description: "Where the browser goes on.", headers: { Location: "The address." } } };

export function ssoOperations(deps: SsoDeps): Operation[] {
	const { settings, environment, consoleUrl } = deps;
	const callbackUrl = `${consoleUrl}/v1/session/sso/callback`;
	const issuer = settings && createIssuer({ settings, environment, callbackUrl });
	const shared = { sdk: null, method: "GET", tag: TAG, credentials: PUBLIC, limit: "sign-in" } as const;
	/** People read a refusal on a page of the console. */
	const renderProblem: Operation["renderProblem"] = ({ slug, extensions }, request) =>
		issuer &&
		toPage(
			deps,
			`${openFlow(deps, request)?.page ?? "/console"}#sso=${extensions.reason ?? slug}`,
			deps.sessions.cookie.clear(),
		);
	return [
		{
			...{ id: "startSso", path: "/v1/session/sso", summary: "Sign in elsewhere", ...shared, renderProblem },
			description: "Leads the browser to the identity provider of `OIDC_ISSUER`. Without that setting, 404.",
			parameters: [
				queryParameter("purpose", "`confirm` shows a factor again, for the session that is sent. Default: `sign-in`."),
				queryParameter("page", "The console's page to go on with."),
			],
			answers: TO_CONSOLE,
			problems: ["not-found", "cross-site-request", "session-expired", "service-unavailable"],
			handle: (call) => begin(deps, issuer, call),
		},
		{
			...{
				id: "finishSso",
				path: "/v1/session/sso/callback",
				summary: "Come back signed in",
				...shared,
				renderProblem,
			},
			description:
				"The provider leads here. An address that it has verified, with an account or an invitation, gets a session. A refusal goes to the console as `#sso=REASON`.",
			answers: TO_CONSOLE,
			problems: ["not-found", "link-expired", "sign-in-failed", "email-not-invited", "service-unavailable"],
			handle: (call) => finish(deps, issuer, call),
		},
	];
}

async function begin(deps: SsoDeps, issuer: Issuer | undefined, { request, url }: Call): Promise<Response> {
	if (!issuer) throw new Problem("not-found");
	const isFresh = url.searchParams.get("purpose") === "confirm";
	const person = isFresh ? await deps.sessions.findPerson(request) : undefined;
	const { address, sent } = await explain(deps, () => issuer.begin(isFresh));
	const flow: Flow = {
		...{ ...sent, startedAt: deps.clock.now().getTime() },
		...(person
			? { sessionId: person.sessionId, page: CONFIRMED_PATH }
			: { page: pageIn(url.searchParams.get("page")) }),
	};
	const sealed = deps.envelope.seal(Buffer.from(JSON.stringify(flow)), FLOW_CONTEXT);
	const cookie = deps.sessions.cookie.write(request, Buffer.from(sealed).toString("base64url"), FLOW_SECONDS);
	return new Response(null, {
		status: 303,
		headers: { ...PRIVATE_NO_STORE, location: address.href, "set-cookie": cookie },
	});
}

/** A page of the console, whatever was asked for. */
function pageIn(asked: string | null): string {
	return asked !== null && /^\/console(?:[/?][\w\-./?=&%:,+~]{0,600})?$/.test(asked) ? asked : "/console";
}

async function finish(deps: SsoDeps, issuer: Issuer | undefined, call: Call): Promise<Response> {
	if (!issuer) throw new Problem("not-found");
	const flow = openFlow(deps, call.request);
	const cookie = await explain(deps, async () => {
		if (!flow) throw new SsoError("sso-expired");
		const identity = await issuer.finish(call.url.search, flow);
		return flow.sessionId === undefined
			? signIn(deps, call, identity)
			: confirm(deps, call, identity, { sessionId: flow.sessionId, since: new Date(flow.startedAt) });
	});
	return toPage(deps, flow?.page ?? "/console", [cookie, ...deps.sessions.cookie.clear()]);
}

/**
 * Opens a session for the person with this address. Without an account, the invitations that are open for it make one. Throws: SsoError.
 *
 * Gap: the address is the account's name. Who is given another person's former address at the provider comes into that person's account.
 */
async function signIn({ sql, clock, sessions }: SsoDeps, call: Call, identity: Identity): Promise<string> {
	const { email, name, authenticatedAt } = identity;
	const { cookie, userId } = await sql.begin(async (tx) => {
		const now = clock.now();
		const user = (await findUserByEmail(tx, email)) ?? (await acceptOpenInvitations(tx, call, { email, name }, now));
		if (!user || user.disabledAt !== null) throw new SsoError("email-not-invited");
		// Gap: where the provider does not say when a factor was shown, that counts as now.
		const confirmedAt = authenticatedAt && authenticatedAt < now ? authenticatedAt : now;
		return { cookie: await sessions.start(tx, call, user, confirmedAt), userId: user.id };
	});
	sessions.forget({ userId });
	sessions.wake();
	return cookie;
}

/** Throws: SsoError. */
async function confirm(
	{ sessions }: SsoDeps,
	call: Call,
	identity: Identity,
	{ sessionId, since }: { readonly sessionId: string; readonly since: Date },
): Promise<string> {
	if (!isShownSince(identity, since)) throw new SsoError("sso-not-fresh");
	const cookie = await sessions.confirm(call, sessionId, identity.email);
	if (cookie === undefined) throw new SsoError("sso-other-person");
	return cookie;
}

/** The sign-in that the request's cookie belongs to; undefined without one, after ten minutes, and after a change of the key. */
function openFlow({ envelope, clock, sessions }: SsoDeps, request: Request): Flow | undefined {
	const sealed = sessions.cookie.read(request);
	if (sealed === undefined) return undefined;
	try {
		const flow = JSON.parse(envelope.open(Buffer.from(sealed, "base64url"), FLOW_CONTEXT).toString()) as Flow;
		return clock.now().getTime() < flow.startedAt + FLOW_SECONDS * 1_000 ? flow : undefined;
	} catch (error) {
		if (error instanceof SealedSecretError) return undefined;
		throw error;
	}
}

/** Throws a Problem that names the reason in place of an SsoError. */
async function explain<T>({ log }: SsoDeps, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof SsoError)) throw error;
		const { reason, cause } = error;
		if (cause !== undefined) log.warn({ event: "sso.failed", reason, err: cause }, "signing in elsewhere failed");
		throw new Problem(SLUGS[reason], { extensions: { reason } });
	}
}

function toPage({ consoleUrl }: SsoDeps, page: string, cookies: readonly string[]): Response {
	const response = new Response(null, {
		status: 303,
		headers: { ...PRIVATE_NO_STORE, location: `${consoleUrl}${page}` },
	});
	for (const text of cookies) response.headers.append("set-cookie", text);
	return response;
}
