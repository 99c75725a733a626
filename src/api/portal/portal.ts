/**
 * What a portal's page may do, and for how long.
 *
 *   link    at most an hour, opens once; only its digest is stored
 *   token   an hour, in the page's memory: JSON in base64url, and a keyed digest of it
 *
 * A token acts for the key or the session that made its link, with fewer scopes. It ends with them, and with the company.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { type Access, digestOf } from "../../identity/auth";
import type { Sessions } from "../../identity/sessions";
import type { Sql } from "../../platform/database";
import { opensCompany, type Principal, type Scope } from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { type Clock, type Environment, isId } from "../../platform/values";
import { findOrigins, type PortalPage, type Terms, takeLink } from "./store";

/** The company as the page shows it; closed ones have none. */
type PortalCompany = { readonly name: string; readonly rnc: string };

export type PortalDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly environment: Environment;
	/** Where the portal's page is. */
	readonly consoleUrl: string;
	/** The same in every process and after every restart. */
	readonly linkKey: Uint8Array;
	readonly findKeyCaller: Access["findKeyCaller"];
	readonly findSessionCaller: Sessions["findCompanyCaller"];
	/** Undefined for a closed or unknown company. */
	readonly findOpenCompany: (tenantId: string) => Promise<PortalCompany | undefined>;
};

export type PortalSession = {
	readonly token: string;
	readonly expiresAt: Date;
	readonly terms: Terms;
	readonly company: PortalCompany;
	readonly scopes: readonly string[];
};

export type Portal = {
	/** Takes the tokens of portals too, where an operation needs a key and a token. */
	readonly accept: (authenticate: Access["authenticate"]) => Access["authenticate"];
	/** Opens a link. Throws: link-expired. */
	readonly redeem: (portalId: string, link: string) => Promise<PortalSession>;
	/** Sites that may embed the portal; undefined for an unknown one. */
	readonly findOrigins: (portalId: string) => Promise<readonly string[] | undefined>;
};

const SESSION_MS = 3_600_000;
const PREFIX = "pt_";
const SCHEME = /^bearer +pt_/i;
const TOKEN_MAX = 1_024;

const SCOPES_OF_PAGES: Readonly<Record<PortalPage, readonly Scope[]>> = {
	invoices: ["invoices:read", "events:read"],
	deliveries: ["webhooks:read", "events:read"],
};
/** Gap: the one change that a portal may make, where its link says so, needs a scope beside those that only read. */
const REDELIVERY = /^\/v1\/webhooks\/deliveries\/[^/]+\/redeliver$/;
const REDELIVERY_SCOPE: Scope = "webhooks:write";

/** What the maker of a link must have. */
export function scopesOf({ pages, redeliver }: Pick<Terms, "pages" | "redeliver">): readonly Scope[] {
	return [...pages.flatMap((page) => SCOPES_OF_PAGES[page]), ...(redeliver ? [REDELIVERY_SCOPE] : [])];
}

type Claims = Terms & { readonly until: number };

export function openPortal(deps: PortalDeps): Portal {
	const { sql, clock, linkKey } = deps;

	/** Throws: unauthorised. */
	const readToken = (text: string): Claims => {
		const [payload = "", mac = ""] = text.length > TOKEN_MAX ? [] : text.split(".");
		const [expected, given] = [macOf(linkKey, payload), Buffer.from(mac, "base64url")];
		if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw refuseToken();
		const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Claims;
		if (claims.until <= clock.now().getTime()) throw refuseToken();
		return claims;
	};

	/** The key's or the session's caller as it is now; undefined when it has ended or no longer opens the company. */
	const findMaker = async ({ tenantId, keyId, sessionId }: Terms): Promise<Principal | undefined> => {
		if (sessionId !== null) return deps.findSessionCaller(sessionId, tenantId);
		const caller = keyId === null ? undefined : await deps.findKeyCaller(keyId);
		// Gap: the key's addresses do not bind the page, which runs in its reader's browser.
		return caller && opensCompany(caller.principal, tenantId) ? caller.principal : undefined;
	};

	/** Undefined when nothing opens the company any more. */
	const findCaller = async (terms: Terms) => {
		const [maker, company] = await Promise.all([findMaker(terms), deps.findOpenCompany(terms.tenantId)]);
		if (!maker || !company) return undefined;
		const { tenantId } = terms;
		const scopes = new Set(scopesOf(terms).filter((one) => maker.scopes.has(one)));
		return { company, principal: { ...maker, tenantId, companyIds: new Set([tenantId]), scopes } };
	};

	return {
		accept: (authenticate) => async (request, credentials, remoteAddress) => {
			const header = request.headers.get("authorization");
			const isPortals = header !== null && SCHEME.test(header) && !request.headers.has("x-api-key");
			if (!isPortals || credentials.bearer === "ignored" || credentials.needsKey) {
				return authenticate(request, credentials, remoteAddress);
			}
			const claims = readToken(header.replace(SCHEME, ""));
			const caller = await findCaller(claims);
			if (!caller) throw refuseToken();
			const { principal } = caller;
			if (request.method === "GET" || request.method === "HEAD") return principal;
			// Scopes alone would let it change endpoints.
			if (REDELIVERY.test(URL.parse(request.url)?.pathname ?? "")) return principal;
			throw new Problem("forbidden", {
				detail: msg`A portal reads, and sends deliveries again where its link allows it.`,
			});
		},
		redeem: async (portalId, link) => {
			const now = clock.now();
			const taken = isId(portalId) ? await takeLink(sql, digestOf(link), portalId, now) : undefined;
			const caller = taken && (await findCaller(taken));
			if (!taken || !caller) throw new Problem("link-expired");
			const { expiresAt: _, ...terms } = taken;
			const until = now.getTime() + SESSION_MS;
			const payload = Buffer.from(JSON.stringify({ ...terms, until } satisfies Claims)).toString("base64url");
			return {
				token: `${PREFIX}${payload}.${macOf(linkKey, payload).toString("base64url")}`,
				...{ expiresAt: new Date(until), terms, company: caller.company, scopes: [...caller.principal.scopes] },
			};
		},
		findOrigins: async (portalId) => (isId(portalId) ? findOrigins(sql, portalId) : undefined),
	};
}

function refuseToken(): Problem {
	return new Problem("unauthorised", {
		detail: msg`The portal's token is not valid or has ended.`,
		headers: { "www-authenticate": 'Bearer error="invalid_token"' },
	});
}

const macOf = (key: Uint8Array, payload: string) =>
	createHmac("sha256", key).update(`portal ${payload}`).digest().subarray(0, 18);
