/**
 * The third credential: a session of the console in place of key and token. Its cookie counts only for requests of the console's own pages,
 * and only where neither key nor token is sent. A request names its company in `X-Company`.
 */
import type { Credentials, Person, Principal } from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { isId } from "../../platform/values";
import type { Access } from "../auth";
import { isOperatorRole, scopesOf } from "../users";
import { type ConsoleAddress, refuseCrossSite, type SessionCookie } from "./cookie";
import type { KnownCompany, KnownSession, SessionDirectory } from "./directory";

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
}: {
	readonly authenticate: Access["authenticate"];
	readonly directory: Pick<SessionDirectory, "find" | "findCompany">;
	readonly cookie: SessionCookie;
	readonly address: ConsoleAddress;
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
		const principal = company && toCompanyPrincipal(known, tenantId, company, address);
		if (!principal) throw new Problem("not-found");
		return principal;
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
			const principal = await findCompanyCaller(request);
			if (principal) return principal;
		}
		return authenticate(request, credentials, remoteAddress);
	};
}

/** The caller of a session in force for one of its companies; undefined otherwise. */
export async function findCompanyCaller(
	directory: Pick<SessionDirectory, "findById" | "findCompany">,
	address: ConsoleAddress,
	sessionId: string,
	tenantId: string,
): Promise<Principal | undefined> {
	const [known, company] = await Promise.all([directory.findById(sessionId), directory.findCompany(tenantId)]);
	return known && company && toCompanyPrincipal(known, tenantId, company, address);
}

function takesSession({ key, bearer, needsKey }: Credentials): boolean {
	return !needsKey && (key === "required" || bearer === "required");
}

/** For operations that act on the person alone: it has no company and no scope. */
function toPersonPrincipal(known: KnownSession, { environment }: ConsoleAddress): Principal {
	return { environment, plan: "free", ownerId: null, person: toPerson(known), scopes: new Set() };
}

/** Undefined for a company that none of the memberships opens. */
function toCompanyPrincipal(
	known: KnownSession,
	tenantId: string,
	company: KnownCompany,
	{ environment }: ConsoleAddress,
): Principal | undefined {
	if (company.environment !== environment) return undefined;
	const person = toPerson(known);
	const membership = person.memberships.find(
		({ ownerId, role, tenantIds }) =>
			!isOperatorRole(role) && ownerId === company.ownerId && (tenantIds === null || tenantIds.includes(tenantId)),
	);
	if (!membership) return undefined;
	const { ownerId, plan } = company;
	// What a session makes has its scopes: a company's clients have none on the team.
	const scopes = new Set([...scopesOf(membership.role, environment)].filter((scope) => !scope.startsWith("team:")));
	return { environment, plan, ownerId, tenantId, companyIds: new Set([tenantId]), person, scopes };
}

/** A session without operator rights hides those of its person. */
export function toPerson({ user, memberships, session }: KnownSession): Person {
	return {
		...{ userId: user.id, sessionId: session.id, confirmedAt: session.confirmedAt },
		hasFactor: user.passwordHash !== null || user.passkeys > 0 || session.method === "sso",
		memberships: memberships.filter(({ role }) => session.isOperator || !isOperatorRole(role)),
	};
}
