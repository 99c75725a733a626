/** The operations of the portal: where it may be embedded, links to it, and what its page exchanges a link for. */
import { randomBytes } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { actorOf, recordAudit } from "../../identity/audit-log";
import { digestOf, requireScope } from "../../identity/auth";
import {
	type Call,
	json,
	jsonBody,
	NEEDS_BOTH,
	type Operation,
	PRIVATE_NO_STORE,
	PUBLIC,
	readJson,
	tenantOf,
} from "../../platform/operation";
import { type Fault, msg, Problem } from "../../platform/problem";
import { type Environment, isLoopbackHost, isSandbox, newId } from "../../platform/values";
import { type Portal, type PortalDeps, scopesOf } from "./portal";
import { findPortal, insertLink, PAGES, type PortalRow, savePortal } from "./store";

const TAG = "Portal";
const ORIGINS_MAX = 10;
const SECONDS_MAX = 3_600;
const WRITE = { credentials: NEEDS_BOTH, scope: "portal:write" } as const;

const Origins = Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
	maxItems: ORIGINS_MAX,
	uniqueItems: true,
	description: "Sites whose pages may embed the portal, such as `https://erp.example.do`; none: no page may.",
});
const PortalSettingsRequest = Type.Object({ origins: Origins }, { additionalProperties: false });
const PortalSettings = Type.Object(
	{
		portalId: Type.Union([Type.String(), Type.Null()], { description: "Null before the first settings." }),
		origins: Origins,
		updatedAt: Type.Union([Type.String(), Type.Null()]),
	},
	{ $id: "PortalSettings" },
);

const Pages = Type.Array(Type.Union(PAGES.map((page) => Type.Literal(page))), {
	minItems: 1,
	uniqueItems: true,
	description: "The pages that it shows.",
});
const PortalLinkRequest = Type.Object(
	{
		pages: Pages,
		redeliver: Type.Optional(
			Type.Boolean({ default: false, description: "Whether deliveries may be sent again; needs `webhooks:write`." }),
		),
		expiresIn: Type.Optional(
			Type.Integer({
				...{ minimum: 1, maximum: SECONDS_MAX, default: 900 },
				description: "For how many seconds the link may be opened. Default: 900.",
			}),
		),
	},
	{ $id: "PortalLinkRequest", additionalProperties: false },
);
type PortalLinkRequest = Static<typeof PortalLinkRequest>;
const PortalLink = Type.Object(
	{
		url: Type.String({ description: "Opens once. Treat it as a secret." }),
		expiresAt: Type.String({ format: "date-time" }),
	},
	{ $id: "PortalLink" },
);

const PortalSessionRequest = Type.Object(
	{
		portalId: Type.String({ minLength: 1, maxLength: 36, description: "Of the address." }),
		token: Type.String({ minLength: 1, maxLength: 100, description: "The part of the link after `#`." }),
	},
	{ additionalProperties: false },
);
const PortalSession = Type.Object(
	{
		accessToken: Type.String({ description: "A bearer token, which stands for key and token." }),
		expiresAt: Type.String({ format: "date-time" }),
		company: Type.Object({ tenantId: Type.String(), rnc: Type.String(), name: Type.String() }),
		environment: Type.String(),
		pages: Pages,
		scopes: Type.Array(Type.String()),
	},
	{ $id: "PortalSession" },
);

const PORTAL_ID = "0192f1e2-7a00-7b11-9c22-334455667788";
const SETTINGS = {
	...{ portalId: PORTAL_ID, origins: ["https://erp.example.do"], updatedAt: "2026-11-20T14:10:00.000Z" },
};
const LINK_TOKEN = "Zm9yIG9uZSB1c2Ugb25seQ";
const INVALID = ["malformed-json", "validation-error", "insufficient-scope"] as const;

export function portalOperations(deps: PortalDeps, portal: Pick<Portal, "redeem">): Operation[] {
	const { sql } = deps;
	return [
		{
			...{ id: "getPortalSettings", sdk: "portal.getSettings", method: "GET", path: "/v1/portal-settings", tag: TAG },
			summary: "Read where the portal may be embedded",
			description: "Of the company.",
			...WRITE,
			answers: { 200: { description: "The settings.", schema: PortalSettings, example: SETTINGS } },
			problems: ["insufficient-scope"],
			handle: async (call) => json(200, toSettings(await findPortal(sql, tenantOf(call))), PRIVATE_NO_STORE),
		},
		{
			...{ id: "putPortalSettings", sdk: "portal.setSettings", method: "PUT", path: "/v1/portal-settings", tag: TAG },
			summary: "Set where the portal may be embedded",
			description: "Replaces the list. The first settings give the portal its id, which stays.",
			...WRITE,
			body: jsonBody(PortalSettingsRequest, { origins: SETTINGS.origins }),
			answers: { 200: { description: "The settings.", schema: PortalSettings, example: SETTINGS } },
			problems: INVALID,
			handle: (call) => putSettings(deps, call),
		},
		{
			...{ id: "createPortalLink", sdk: "portal.createLink", method: "POST", path: "/v1/portal-links", tag: TAG },
			summary: "Make a link to the portal",
			description:
				"The address of a page that shows the company's invoices or deliveries inside your own: put it into an `iframe`. It opens once. What it opens reads " +
				"for an hour, acts for the caller's key or session, and ends with them. A key's list of addresses does not bind it.",
			...WRITE,
			body: jsonBody(PortalLinkRequest, { pages: ["invoices", "deliveries"], redeliver: false, expiresIn: 900 }),
			answers: {
				201: {
					description: "The link.",
					schema: PortalLink,
					example: {
						url: `https://console.example/portal/${PORTAL_ID}#${LINK_TOKEN}`,
						expiresAt: "2026-11-20T14:25:00.000Z",
					},
				},
			},
			problems: [...INVALID, "not-found"],
			handle: (call) => createLink(deps, call),
		},
		{
			...{ id: "createPortalSession", sdk: null, method: "POST", path: "/v1/portal-sessions", tag: TAG },
			summary: "Open a link to the portal",
			description: "What the portal's page does with its link, once.",
			...{ credentials: PUBLIC, limit: "page" },
			body: jsonBody(PortalSessionRequest, { portalId: PORTAL_ID, token: LINK_TOKEN }),
			answers: {
				201: {
					description: "What the link opens.",
					schema: PortalSession,
					example: {
						...{ accessToken: "pt_eyJ0…", expiresAt: "2026-11-20T15:10:00.000Z", environment: "sandbox" },
						company: {
							...{ tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566", rnc: "990000001", name: "FARMACIA CENTRAL SRL" },
						},
						...{ pages: ["invoices"], scopes: ["invoices:read", "events:read"] },
					},
				},
			},
			problems: ["malformed-json", "validation-error", "link-expired"],
			handle: (call) => createSession(deps, portal, call),
		},
	];
}

function toSettings(row: PortalRow | undefined): Static<typeof PortalSettings> {
	return {
		portalId: row?.id ?? null,
		origins: [...(row?.origins ?? [])],
		updatedAt: row?.updatedAt.toISOString() ?? null,
	};
}

/** Throws: validation-error with all malformed origins. */
async function putSettings({ sql, clock, environment }: PortalDeps, call: Call): Promise<Response> {
	const { origins } = await readJson<Static<typeof PortalSettingsRequest>>(call);
	const faults = origins.flatMap((origin, at): Fault[] => {
		if (isOrigin(origin, environment)) return [];
		const detail = msg`Is not the origin of a site: https, a host, at most a port, and no path.`;
		return [{ pointer: `/origins/${at}`, code: "invalid-origin", detail }];
	});
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	const [tenantId, now] = [tenantOf(call), clock.now()];
	const saved = await sql.begin(async (tx) => {
		const row = await savePortal(tx, { id: newId(), tenantId, origins, updatedAt: now });
		const entry = { at: now, actor: actorOf(call), action: "portal.change", subject: row.id };
		await recordAudit(tx, { ...entry, tenantId, details: { origins: origins.length } });
		return row;
	});
	return json(200, toSettings(saved), PRIVATE_NO_STORE);
}

/**
 * The origin stands in a header of the page, so only its canonical form counts. Gap: in the sandboxes a page of this machine may be without
 * https.
 */
function isOrigin(text: string, environment: Environment): boolean {
	const url = URL.parse(text);
	if (!url || url.origin !== text || !/^[a-z0-9.-]+$/.test(url.hostname)) return false;
	return url.protocol === "https:" || (isSandbox(environment) && isLoopbackHost(url.hostname));
}

/** Throws: not-found before the portal has settings; insufficient-scope. */
async function createLink({ sql, clock, consoleUrl }: PortalDeps, call: Call): Promise<Response> {
	const { pages, redeliver = false, expiresIn = 900 } = await readJson<PortalLinkRequest>(call);
	const tenantId = tenantOf(call);
	const portal = await findPortal(sql, tenantId);
	if (!portal) throw new Problem("not-found", { detail: msg`The company's portal has no settings yet.` });
	const { principal } = call;
	if (principal) for (const scope of scopesOf({ pages, redeliver })) requireScope(principal, scope);
	const { keyId, person } = principal ?? {};
	const [token, now] = [randomBytes(32).toString("base64url"), clock.now()];
	const expiresAt = new Date(now.getTime() + expiresIn * 1_000);
	const maker = person ? { keyId: null, sessionId: person.sessionId } : { keyId: keyId ?? null, sessionId: null };
	await sql.begin(async (tx) => {
		await insertLink(tx, digestOf(token), { tenantId, pages, redeliver, ...maker }, { now, expiresAt });
		const entry = { at: now, actor: actorOf(call), action: "portal.link", subject: portal.id };
		await recordAudit(tx, { ...entry, tenantId, details: { pages: pages.join(" "), redeliver } });
	});
	const url = `${consoleUrl}/portal/${portal.id}#${token}`;
	return json(201, { url, expiresAt: expiresAt.toISOString() }, PRIVATE_NO_STORE);
}

async function createSession(
	{ environment }: PortalDeps,
	portal: Pick<Portal, "redeem">,
	call: Call,
): Promise<Response> {
	const { portalId, token } = await readJson<Static<typeof PortalSessionRequest>>(call);
	const { token: accessToken, expiresAt, terms, company, scopes } = await portal.redeem(portalId, token);
	const body: Static<typeof PortalSession> = {
		...{ accessToken, expiresAt: expiresAt.toISOString(), environment, pages: [...terms.pages], scopes: [...scopes] },
		company: { tenantId: terms.tenantId, ...company },
	};
	return json(201, body, PRIVATE_NO_STORE);
}
