/**
 * How people sign in, show a factor again, and get back in without one.
 *
 * Every way ends in a session with a new token; a token that the browser sent before ends, so a planted one is worth nothing.
 */
import { retryOnFailure, type Sql, type Tx } from "../../platform/database";
import type { Call, Person } from "../../platform/operation";
import { chooseLanguage, msg, Problem } from "../../platform/problem";
import type { Envelope } from "../../platform/secrets";
import type { Log } from "../../platform/telemetry";
import { type Clock, isForwarded, isLoopbackHost, isSandbox, newId } from "../../platform/values";
import { recordAudit } from "../audit-log";
import { digestOf } from "../auth";
import type { SsoSettings } from "../sso";
import {
	type FactorDeps,
	findUser,
	findUserByEmail,
	insertLink,
	isOperatorRole,
	listMemberships,
	queueAccountMail,
	takeAttempt,
	takeLink,
	takeTypedRecoveryCode,
	type User,
	voidLinks,
} from "../users";
import { type ConsoleAddress, makeToken, type SessionCookie } from "./cookie";
import type { SessionDirectory } from "./directory";
import { addTrialUser, hasMailbox, keepLocalUser } from "./local-user";
import { need, type Proof, provePasskey, provePassword } from "./proof";
import { COMPANIES_MAX, type PersonsCompany } from "./record";
import {
	endSession,
	endSessions,
	findSession,
	insertSession,
	isKnownAgent,
	replaceToken,
	type SessionDigests,
	type SessionRow,
	type SignInMethod,
} from "./store";

export type SessionDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly log: Log;
	readonly envelope: Envelope;
	readonly address: ConsoleAddress;
	/** The service as authenticators know it. */
	readonly party: FactorDeps["party"];
	readonly cookie: SessionCookie;
	readonly directory: Pick<SessionDirectory, "find" | "findById" | "forget">;
	/** Whether the service listens on this machine's own addresses alone. */
	readonly isLoopback: boolean;
	/** Makes a company for a person who tries the public sandbox; absent elsewhere. Throws: rate-limit-exceeded. */
	readonly makeTrialCompany: ((call: Call) => Promise<string>) | undefined;
	/** The organisation's identity provider, where there is one. */
	readonly sso: SsoSettings | undefined;
	/** The companies that memberships open and those with the ids, by name. */
	readonly listCompanies: (
		memberships: Person["memberships"],
		limit: number,
		alsoIds?: readonly string[],
	) => Promise<readonly PersonsCompany[]>;
	/** Wakes the outbox after a commit. */
	readonly wake: () => void;
};

export type StartedSession = { readonly session: SessionRow; readonly token: string };

const SESSIONS_MAX = 20;
const HOUR_SECONDS = 3_600;
const DAY_MS = 86_400_000;
const AGENT_LENGTH_MAX = 200;
/** Requests that were sent with the token before may still arrive. */
const FORMER_MS = 60_000;
const RECOVERY_MS = 30 * 60_000;

/** Throws: forbidden, sign-in-failed, totp-required, sign-in-throttled, link-expired, validation-error, service-unavailable. */
export async function signIn(deps: SessionDeps, call: Call, proof: Proof): Promise<StartedSession> {
	// Gap: the link that a sandbox prints opens it always, or a wrong setting would lock its maker out.
	if (!(proof.method === "link" && isSandbox(deps.address.environment))) refuseBesidesSso(deps);
	if (proof.method === "local") return signInLocally(deps, call);
	if (proof.method === "try") return startTrial(deps, call);
	if (proof.method === "link") return signInByLink(deps, call, need(proof, "token"));
	if (proof.method === "recovery") return recover(deps, call, need(proof, "token"), proof.recoveryCode);
	const { method } = proof;
	const user =
		method === "passkey"
			? await provePasskey(deps, need(proof, "credential"), null)
			: await provePassword(deps, shownPassword(deps, need(proof, "email"), proof));
	const started = await deps.sql.begin((tx) => start(deps, call, tx, user, { method, isOperator: true }));
	deps.wake();
	return started;
}

const shownPassword = ({ address }: SessionDeps, email: string, proof: Proof) => ({
	...{ email, password: need(proof, "password"), code: proof.totp },
	isSandbox: isSandbox(address.environment),
});

/** Throws: forbidden where people sign in at the identity provider only. */
function refuseBesidesSso({ sso }: SessionDeps): void {
	if (sso?.isRequired) throw new Problem("forbidden", { detail: msg`People sign in with ${sso.label} here.` });
}

async function signInByLink(deps: SessionDeps, call: Call, token: string): Promise<StartedSession> {
	return deps.sql.begin(async (tx) => {
		const now = deps.clock.now();
		const link = await takeLink(tx, { digest: digestOf(token), kind: "sign-in", now });
		const user = link?.userId ? await findUser(tx, link.userId) : undefined;
		if (!user || user.disabledAt !== null) throw new Problem("link-expired");
		return start(deps, call, tx, user, { method: "link", isOperator: true });
	});
}

/** For a person who has just accepted an invitation by its mailed link. Throws: session-expired. */
export async function startByMail(deps: SessionDeps, call: Call, tx: Tx, user: User): Promise<StartedSession> {
	if (deps.sso?.isRequired) {
		const detail = msg`Sign in with ${deps.sso.label}. If the invitation is still open then, open the link again.`;
		throw new Problem("session-expired", { detail });
	}
	return start(deps, call, tx, user, { method: "link", isOperator: true });
}

/** For a person whom the identity provider has sent back. */
export function startBySso(
	deps: SessionDeps,
	call: Call,
	tx: Tx,
	user: User,
	confirmedAt: Date,
): Promise<StartedSession> {
	return start(deps, call, tx, user, { method: "sso", isOperator: true, confirmedAt });
}

/** In a local sandbox, from this machine alone, and without operator rights. Throws: forbidden. */
async function signInLocally(deps: SessionDeps, call: Call): Promise<StartedSession> {
	const { sql, clock } = deps;
	if (!isFromHere(deps, call)) throw new Problem("forbidden", { detail: msg`Only this machine may do that.` });
	return sql.begin(async (tx) => {
		const user = await keepLocalUser(tx, clock.now());
		return start(deps, call, tx, user, { method: "link", isOperator: false });
	});
}

/** In the public sandbox: a new company, and a person who owns it until it is wiped. Throws: forbidden, rate-limit-exceeded, service-unavailable. */
async function startTrial(deps: SessionDeps, call: Call): Promise<StartedSession> {
	const { sql, clock, makeTrialCompany } = deps;
	if (!makeTrialCompany) throw new Problem("forbidden", { detail: msg`Only the public sandbox offers that.` });
	const tenantId = await makeTrialCompany(call);
	const now = clock.now();
	const language = chooseLanguage(call.request.headers.get("accept-language"), "es");
	return sql.begin(async (tx) => {
		const user = await addTrialUser(tx, tenantId, language, now);
		const endsAt = new Date(now.getTime() + DAY_MS);
		return start(deps, call, tx, user, { method: "link", isOperator: false, endsAt });
	});
}

/** Listener, caller and Host are this machine, and no proxy stands between. The Host refuses pages whose name leads here (DNS rebinding). */
export function isFromHere({ isLoopback, address }: Pick<SessionDeps, "isLoopback" | "address">, call: Call): boolean {
	const { headers } = call.request;
	const peer = call.remoteAddress.replace(/^::ffff:/, "");
	return (
		address.environment === "sandbox" &&
		isLoopback &&
		isLoopbackHost(peer) &&
		isLoopbackHost(call.url.hostname) &&
		!isForwarded(headers)
	);
}

/**
 * Mails a recovery link, if the address is known; the caller does not learn which, so the answer waits for neither look-up nor mail. After
 * five requests an address waits as after wrong passwords: no mailbox is flooded, and its last link stays in force. Throws: forbidden.
 */
export async function requestRecovery(deps: SessionDeps, email: string): Promise<void> {
	refuseBesidesSso(deps);
	const { sql, clock, log } = deps;
	const wait = await takeAttempt(sql, digestOf(`recovery|${email.toLowerCase()}`), clock.now());
	if (wait !== undefined) return;
	const mailIfKnown = async () => {
		const user = await findUserByEmail(sql, email);
		if (!user || user.disabledAt !== null || !hasMailbox(user)) return;
		await sql.begin((tx) => mailRecoveryLink(tx, mailsOf(deps), user, clock.now()));
		deps.wake();
	};
	mailIfKnown().catch((err) => log.error({ event: "session.recovery_failed", err }, "a recovery link was not mailed"));
}

type Mailer = { readonly envelope: Envelope; readonly consoleUrl: string };
const mailsOf = ({ envelope, address }: SessionDeps): Mailer => ({ envelope, consoleUrl: address.url });

/** Mails a new recovery link and returns it; former ones become void. */
export async function mailRecoveryLink(
	tx: Tx,
	mails: Mailer,
	user: Pick<User, "id" | "email" | "language">,
	now: Date,
): Promise<string> {
	const token = makeToken();
	await voidLinks(tx, user.id, "recovery", now);
	const expiresAt = new Date(now.getTime() + RECOVERY_MS);
	await insertLink(tx, { digest: digestOf(token), kind: "recovery", userId: user.id, createdAt: now, expiresAt });
	const link = `${mails.consoleUrl}/console/recover#${token}`;
	await queueAccountMail(tx, mails, {
		to: user.email,
		language: user.language,
		mail: { kind: "recovery", link, expiresAt },
	});
	return link;
}

/** Who has lost every factor needs a recovery code, unless an owner or the operator has removed the factors. All other sessions end. */
async function recover(deps: SessionDeps, call: Call, token: string, code?: string): Promise<StartedSession> {
	const { sql, clock } = deps;
	const now = clock.now();
	const started = await sql.begin(async (tx) => {
		const link = await takeLink(tx, { digest: digestOf(token), kind: "recovery", now });
		const user = link?.userId ? await findUser(tx, link.userId) : undefined;
		if (!user || user.disabledAt !== null) throw new Problem("link-expired");
		const hasFactors = user.passwordHash !== null || user.passkeys > 0;
		// A wrong code leaves the link in force: the transaction is rolled back, and the address's rate limits guesses of 80 bits.
		if (hasFactors && !(await takeTypedRecoveryCode(tx, user.id, code ?? "", now))) throw new Problem("sign-in-failed");
		await endSessions(tx, user.id, now);
		return start(deps, call, tx, user, { method: "recovery", isOperator: true });
	});
	deps.wake();
	return started;
}

type Terms = {
	readonly method: SignInMethod;
	readonly isOperator: boolean;
	/** When a factor was shown; default now. */
	readonly confirmedAt?: Date;
	/** Of the session; default after its usual time. */
	readonly endsAt?: Date;
};

async function start(
	deps: SessionDeps,
	call: Call,
	tx: Tx,
	user: User,
	{ method, isOperator: may, confirmedAt, endsAt }: Terms,
): Promise<StartedSession> {
	const { clock, cookie, directory } = deps;
	const now = clock.now();
	const memberships = await listMemberships(tx, user.id);
	const isOperator = may && memberships.some(({ role }) => isOperatorRole(role));
	const token = makeToken();
	const agent = (call.request.headers.get("user-agent") ?? "").slice(0, AGENT_LENGTH_MAX);
	const isNewDevice = !(await isKnownAgent(tx, user.id, agent));
	const session: SessionRow = {
		...{
			id: newId(),
			userId: user.id,
			tokenDigest: digestOf(token),
			tokenAt: now,
			formerDigest: null,
			formerUntil: null,
		},
		...{ method, isOperator, address: call.remoteAddress, agent, createdAt: now, lastSeenAt: now },
		confirmedAt: confirmedAt ?? now,
		...{ idleSeconds: isOperator ? HOUR_SECONDS / 2 : 12 * HOUR_SECONDS, endedAt: null },
		expiresAt: endsAt ?? new Date(now.getTime() + (isOperator ? DAY_MS / 2 : 7 * DAY_MS)),
	};
	const sent = cookie.read(call.request);
	const former = sent === undefined ? undefined : await findSession(tx, digestOf(sent));
	if (former) await endSession(tx, former.userId, former.id, now);
	await insertSession(tx, session, SESSIONS_MAX);
	await recordAudit(tx, {
		...{
			at: now,
			actor: { userId: user.id, sessionId: session.id, address: call.remoteAddress, requestId: call.requestId },
		},
		...{
			action: method === "recovery" ? "session.recover" : "session.create",
			subject: session.id,
			details: { method },
		},
	});
	if (former) directory.forget({ tokenDigests: digestsOf(former) });
	const isRecovery = method === "recovery";
	if ((isNewDevice || isRecovery) && hasMailbox(user)) {
		const mail = {
			kind: isRecovery ? "recovered" : "new-device",
			address: call.remoteAddress,
			agent,
			at: now,
		} as const;
		await queueAccountMail(tx, mailsOf(deps), { to: user.email, language: user.language, mail });
	}
	return { session, token };
}

function digestsOf({ tokenDigest, formerDigest }: SessionDigests): Buffer[] {
	return formerDigest ? [tokenDigest, formerDigest] : [tokenDigest];
}

/** Shows a passkey or the password again. Throws: as `signIn`. */
export async function confirm(deps: SessionDeps, call: Call, person: Person, proof: Proof): Promise<StartedSession> {
	const user = await findUser(deps.sql, person.userId);
	if (!user) throw new Problem("session-expired");
	if (proof.method === "passkey") await provePasskey(deps, need(proof, "credential"), person.userId);
	else await provePassword(deps, shownPassword(deps, user.email, proof));
	const renewed = await renew(deps, call, person, true);
	if (!renewed) throw new Problem("session-expired");
	return renewed;
}

/** Confirms a session in force, if its person has the address for which the identity provider vouches; undefined otherwise. */
export async function confirmBySso(
	deps: SessionDeps,
	call: Call,
	sessionId: string,
	email: string,
): Promise<StartedSession | undefined> {
	const known = await deps.directory.findById(sessionId);
	if (known?.user.email !== email) return undefined;
	return renew(deps, call, { userId: known.user.id, sessionId }, true, known.session.tokenDigest);
}

function digestSent({ cookie }: SessionDeps, { request }: Call): Buffer | undefined {
	const token = cookie.read(request);
	return token === undefined ? undefined : digestOf(token);
}

/** Gives a session a new token; the one before works for another minute. Undefined if another request has just done so, or the session has ended. */
export async function renew(
	deps: SessionDeps,
	call: Call,
	person: Pick<Person, "userId" | "sessionId">,
	isConfirmed: boolean,
	sent = digestSent(deps, call),
): Promise<StartedSession | undefined> {
	const { sql, clock, directory } = deps;
	if (sent === undefined) return undefined;
	const [token, now] = [makeToken(), clock.now()];
	const digest = digestOf(token);
	const formerUntil = new Date(now.getTime() + FORMER_MS);
	const { userId, sessionId: id } = person;
	const before = await sql.begin(async (tx) => {
		const replaced = await replaceToken(tx, { id, sent, formerUntil, digest, now, isConfirmed });
		const actor = { userId, sessionId: id, address: call.remoteAddress, requestId: call.requestId };
		const entry = { at: now, actor, action: "session.confirm", subject: id, details: {} };
		if (replaced && isConfirmed) await recordAudit(tx, entry);
		return replaced;
	});
	if (before) directory.forget({ tokenDigests: digestsOf(before) });
	const session = before && (await retryOnFailure(() => findSession(sql, digest)));
	return session && { session, token };
}

/** Ends one session of a person; false if there is none. */
export async function endOne(
	{ sql, clock, directory }: SessionDeps,
	call: Call,
	{ userId, sessionId }: Person,
	id: string,
): Promise<boolean> {
	const now = clock.now();
	const ended = await sql.begin(async (tx) => {
		const digests = await endSession(tx, userId, id, now);
		const actor = { userId, sessionId, address: call.remoteAddress, requestId: call.requestId };
		if (digests) await recordAudit(tx, { at: now, actor, action: "session.end", subject: id, details: {} });
		return digests;
	});
	if (ended) directory.forget({ tokenDigests: digestsOf(ended) });
	return ended !== undefined;
}

/** The companies that the person of a session sees, by name. */
export function listShown(
	{ listCompanies, clock }: Pick<SessionDeps, "listCompanies" | "clock">,
	{ memberships, accesses }: Pick<Person, "memberships" | "accesses">,
): Promise<readonly PersonsCompany[]> {
	const now = clock.now();
	const openIds = accesses.filter(({ expiresAt }) => expiresAt > now).map(({ tenantId }) => tenantId);
	return listCompanies(memberships, COMPANIES_MAX, openIds);
}
