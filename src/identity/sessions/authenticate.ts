/**
 * The third credential: a session of the console in place of key and token. Its cookie counts only for requests of the console's own pages,
 * and only where neither key nor token is sent. A request names its company in `X-Company`.
 */
import type { Credentials, Person, Principal } from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { type Clock, isId } from "../../platform/values";
import type { Access } from "../auth";
import { isOperatorRole, OPERATOR_READS, scopesOf } from "../users";
import { type ConsoleAddress, refuseCrossSite, type SessionCookie } from "./cookie";
import type { KnownCompany, KnownSession, SessionDirectory } from "./directory";

/** What an operator may do in a company that it has opened for a while. */
export const ACCESS_ROLE = "viewer";

const COMPANY_HEADER = "x-company";

/**
 * Tries the session where the operation takes one, else key and token. Throws, besides their refusals: cross-site-request, session-expired,
 * company-required, not-found.
 */
export function acceptSessions({
	authenticate,
	directory,
	cookie,
	address,
	clock,
}: {
	readonly authenticate: Access["authenticate"];
	readonly directory: Pick<SessionDirectory, "find" | "findCompany">;
	readonly cookie: SessionCookie;
	readonly address: ConsoleAddress;
	readonly clock: Clock;
}): Access["authenticate"] {
	const findSession = async (request: Request): Promise<KnownSession | undefined> => {
		const token = cookie.read(request);
		if (token === undefined) return undefined;
		refuseCrossSite(request, address);
		// A stream goes on by itself: a page that is left open does not keep its session.
		const isUse = request.headers.get("accept")?.includes("text/event-stream") !== true;
		const known = await directory.find(token, isUse);
		if (!known) throw new Problem("session-expired");
		return known;
	};
	const findCaller = async (request: Request): Promise<Principal> => {
		const known = await findSession(request);
		if (!known) throw new Problem("session-expired", { detail: msg`The request has no session: sign in.` });
		return toPersonPrincipal(known, address);
	};
	const findCompanyCaller = async (request: Request): Promise<Principal | undefined> => {
		const known = await findSession(request);
		if (!known) return undefined;
		const tenantId = request.headers.get(COMPANY_HEADER);
		if (tenantId === null) throw new Problem("company-required");
		const company = isId(tenantId) ? await directory.findCompany(tenantId) : undefined;
		const principal = company && toCompanyPrincipal(known, tenantId, company, address, clock.now());
		if (!principal) throw new Problem("not-found");
		return principal;
	};
	const findOperator = async (request: Request): Promise<Principal | undefined> => {
		const known = await findSession(request);
		return known && toOperatorPrincipal(known, request.method, address);
	};
	return async (request, credentials, remoteAddress) => {
		if (credentials.session) return findCaller(request);
		const { headers } = request;
		if (
			headers.has("cookie") &&
			takesSession(credentials) &&
			!headers.has("x-api-key") &&
			!headers.has("authorization")
		) {
			const principal = await (credentials.operates ? findOperator(request) : findCompanyCaller(request));
			if (principal) return principal;
		}
		return authenticate(request, credentials, remoteAddress);
	};
}

/** The caller of a session in force for one of its companies; undefined otherwise. */
export async function findCompanyCaller(
	{
		directory,
		address,
		clock,
	}: {
		readonly directory: Pick<SessionDirectory, "findById" | "findCompany">;
		readonly address: ConsoleAddress;
		readonly clock: Clock;
	},
	sessionId: string,
	tenantId: string,
): Promise<Principal | undefined> {
	const [known, company] = await Promise.all([directory.findById(sessionId), directory.findCompany(tenantId)]);
	return known && company && toCompanyPrincipal(known, tenantId, company, address, clock.now());
}

function takesSession({ key, bearer, needsKey }: Credentials): boolean {
	return !needsKey && (key === "required" || bearer === "required");
}

/** For operations that act on the person alone: it has no company and no scope. */
function toPersonPrincipal(known: KnownSession, { environment }: ConsoleAddress): Principal {
	return { environment, plan: "free", ownerId: null, person: toPerson(known), scopes: new Set() };
}

/** Without the role of an operator it may do nothing. */
function toOperatorPrincipal(known: KnownSession, method: string, { environment }: ConsoleAddress): Principal {
	const person = toPerson(known);
	const role = person.memberships.find((one) => isOperatorRole(one.role))?.role;
	const scopes = new Set<string>(role === undefined ? [] : scopesOf(role, environment));
	if (scopes.has(OPERATOR_READS) && (method === "GET" || method === "HEAD")) scopes.add("admin");
	return { environment, plan: "unlimited", ownerId: null, person, scopes };
}

/** Undefined for a company that neither a membership nor an operator's access opens. */
function toCompanyPrincipal(
	known: KnownSession,
	tenantId: string,
	company: KnownCompany,
	{ environment }: ConsoleAddress,
	now: Date,
): Principal | undefined {
	if (company.environment !== environment) return undefined;
	const person = toPerson(known);
	const membership = person.memberships.find(
		({ ownerId, role, tenantIds }) =>
			!isOperatorRole(role) && ownerId === company.ownerId && (tenantIds === null || tenantIds.includes(tenantId)),
	);
	const hasAccess = person.accesses.some((one) => one.tenantId === tenantId && one.expiresAt > now);
	const role = membership?.role ?? (hasAccess ? ACCESS_ROLE : undefined);
	if (role === undefined) return undefined;
	const { ownerId, plan } = company;
	// What a session makes has its scopes: a company's clients have none on the team.
	const scopes = new Set([...scopesOf(role, environment)].filter((scope) => !scope.startsWith("team:")));
	return { environment, plan, ownerId, tenantId, companyIds: new Set([tenantId]), person, scopes };
}

/** A session without operator rights hides those of its person. */
export function toPerson({ user, memberships, accesses, session }: KnownSession): Person {
	const shown = memberships.filter(({ role }) => session.isOperator || !isOperatorRole(role));
	return {
		...{ userId: user.id, sessionId: session.id, confirmedAt: session.confirmedAt },
		hasFactor: user.passwordHash !== null || user.passkeys > 0 || session.method === "sso",
		memberships: shown,
		accesses: shown.some(({ role }) => isOperatorRole(role)) ? accesses : [],
	};
}
