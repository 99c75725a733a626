/** A browser on the console's pages, and people who use it. */
import { createHash, randomBytes } from "node:crypto";
import { hashPassword, insertLink, insertMembership, keepUser } from "../../../../src/identity/users";
import type { Role } from "../../../../src/platform/operation";
import { newId } from "../../../../src/platform/values";
import type { Tenant, TestService } from "../../../support/service";

type Sent = {
	readonly body?: unknown;
	readonly company?: string;
	/** Over those of a page of the console; null removes one. */
	readonly headers?: Readonly<Record<string, string | null>>;
};

export type Browser = {
	/** As the service sees it. */
	readonly address: string;
	/** `name=value`; empty without one. */
	cookie: string;
	readonly send: (method: string, path: string, sent?: Sent) => Promise<Response>;
	/** Status and slug of a refusal, or the status alone. */
	readonly refusal: (method: string, path: string, sent?: Sent) => Promise<string>;
};

let addresses = 0;

/** Each browser has an address of its own, because sign-ins are limited by address. */
export function openBrowser({ url }: Pick<TestService, "url">, agent = "Chrome/156"): Browser {
	const address = `198.19.${(addresses >> 8) & 0xff}.${addresses++ & 0xff}`;
	const browser: Browser = {
		address,
		cookie: "",
		async send(method, path, { body, company, headers = {} } = {}) {
			const all: Record<string, string | null> = {
				...{ "sec-fetch-site": "same-origin", "user-agent": agent, "x-forwarded-for": address },
				...(browser.cookie ? { cookie: browser.cookie } : {}),
				...(company ? { "x-company": company } : {}),
				...(body === undefined ? {} : { "content-type": "application/json" }),
				...headers,
			};
			const response = await fetch(`${url}${path}`, {
				method,
				headers: Object.entries(all).filter((one): one is [string, string] => one[1] !== null),
				...(body === undefined ? {} : { body: JSON.stringify(body) }),
			});
			for (const text of response.headers.getSetCookie()) {
				const [pair = ""] = text.split(";");
				browser.cookie = pair.endsWith("=") ? "" : pair;
			}
			return response;
		},
		async refusal(method, path, sent) {
			const response = await browser.send(method, path, sent);
			if (response.ok) return `${response.status}`;
			const { type } = (await response.json()) as { readonly type: string };
			return `${response.status} ${type.slice(type.lastIndexOf("/") + 1)}`;
		},
	};
	return browser;
}

export type TestPerson = { readonly userId: string; readonly email: string; readonly password: string };
type TestRole = { readonly ownerId: string | null; readonly role: Role; readonly tenantIds?: readonly string[] };

/** A person with a password. */
export async function makePerson({ sql }: TestService, ...roles: TestRole[]): Promise<TestPerson> {
	const [userId, createdAt] = [newId(), new Date()];
	const [email, password] = [`${userId}@example.do`, `correct horse ${userId.slice(-6)}`];
	const hash = await hashPassword(password);
	await sql.begin(async (tx) => {
		await keepUser(tx, { id: userId, email, name: "Ana", language: "es", createdAt });
		await tx`update users set password_hash = ${hash} where id = ${userId}`;
		for (const { ownerId, role, tenantIds = null } of roles)
			await insertMembership(tx, { id: newId(), userId, ownerId, role, tenantIds, createdAt });
	});
	return { userId, email, password };
}

export async function ownerOf({ sql }: TestService, { tenantId }: Pick<Tenant, "tenantId">): Promise<string> {
	const [row] = await sql<{ ownerId: string }[]>`
		select owner_id as "ownerId" from companies where tenant_id = ${tenantId}`;
	if (!row) throw new Error("no such company");
	return row.ownerId;
}

/** The token of a link. */
export async function makeLink(
	{ sql }: TestService,
	{ userId }: TestPerson,
	kind: "sign-in" | "recovery",
): Promise<string> {
	const token = randomBytes(32).toString("base64url");
	const [createdAt, digest] = [new Date(), createHash("sha256").update(token).digest()];
	await insertLink(sql, { digest, kind, userId, createdAt, expiresAt: new Date(createdAt.getTime() + 60_000) });
	return token;
}

/** A browser that is signed in. */
export async function signIn(service: TestService, person: TestPerson): Promise<Browser> {
	const browser = openBrowser(service);
	const body = { method: "password", email: person.email, password: person.password };
	const answer = await browser.send("POST", "/v1/session", { body });
	if (answer.status !== 201) throw new Error(`sign-in: ${answer.status} ${await answer.text()}`);
	return browser;
}
