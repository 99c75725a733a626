/** A person is invited by mail, secures the account, signs in each way, and is removed. */
import { beforeAll, expect, test } from "bun:test";
import { DEMO_TENANT_ID } from "../../src/identity/auth";
import { codeAt } from "../identity/factors/support/code";
import { createAuthenticator } from "../identity/users/support/authenticator";
import { mailsTo } from "../support/mails";
import { sharedService, type TestService } from "../support/service";
import { until } from "../support/until";

let service: TestService;
let origin: string;
beforeAll(async () => {
	service = await sharedService();
	origin = service.url.replace("127.0.0.1", "localhost");
});

type Body = {
	readonly items?: readonly { readonly id: string }[];
	readonly challenge?: string;
	readonly user?: { readonly id: string };
	readonly secret?: string;
	readonly passkey?: { readonly challenge: string };
};
type Answer = { readonly status: number; readonly body: Body };

/** A browser: it keeps the session's cookie and says that its requests come from the console's pages. */
function openBrowser() {
	let cookie = "";
	return async (method: string, path: string, body?: unknown, company?: string): Promise<Answer> => {
		const answer = await fetch(`${origin}${path}`, {
			method,
			headers: {
				"sec-fetch-site": "same-origin",
				...(cookie === "" ? {} : { cookie }),
				...(company === undefined ? {} : { "x-company": company }),
				...(body === undefined ? {} : { "content-type": "application/json" }),
			},
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		const set = answer.headers.get("set-cookie");
		if (set !== null) cookie = set.split(";")[0] ?? "";
		const text = await answer.text();
		return { status: answer.status, body: text === "" ? {} : JSON.parse(text) };
	};
}

test("an invited person signs in in each way, and is out when removed", async () => {
	const [owner, browser] = [openBrowser(), openBrowser()];
	expect((await owner("POST", "/v1/session", { method: "local" })).status).toBe(201);
	const email = "eva@farmacia.do";
	expect((await owner("POST", "/v1/team/invitations", { email, role: "viewer" })).status).toBe(201);
	await until(() => mailsTo(service, email).length === 1);
	const token = /\/console\/accept#(\S{43})/.exec(mailsTo(service, email)[0] ?? "")?.[1];

	const accepted = await browser("POST", "/v1/team/invitations:accept", { token, name: "Eva" });
	expect(accepted.body as object).toEqual({ ownerId: null, role: "viewer", isNewSession: true });
	const read = () => browser("GET", "/v1/invoices", undefined, DEMO_TENANT_ID);
	expect((await read()).status).toBe(200);
	expect((await browser("POST", "/v1/webhooks", {}, DEMO_TENANT_ID)).status).toBe(403);
	expect((await browser("GET", "/v1/team/members")).status).toBe(403);

	const authenticator = createAuthenticator();
	const contextOf = (challenge: string) => ({ rpId: "localhost", origin, challenge });
	const { body: options } = await browser("POST", "/v1/me/passkeys/options");
	const { challenge = "", user } = options;
	const credential = authenticator.register(contextOf(challenge), user?.id ?? "");
	expect((await browser("POST", "/v1/me/passkeys", { label: "Portátil", credential })).status).toBe(201);
	expect((await browser("PUT", "/v1/me/password", { password: "caballo-pila-grapa" })).status).toBe(204);
	const { secret = "" } = (await browser("POST", "/v1/me/totp")).body;
	const code = codeAt(secret, Date.now());
	expect((await browser("PUT", "/v1/me/totp", { secret, code })).status).toBe(204);
	expect((await browser("DELETE", "/v1/session")).status).toBe(204);
	expect((await read()).status).toBe(401);

	const password = { method: "password", email, password: "caballo-pila-grapa" };
	expect((await browser("POST", "/v1/session", password)).body).toMatchObject({ title: "Code required" });
	// The code has confirmed the app already: each works once.
	expect((await browser("POST", "/v1/session", { ...password, totp: code })).status).toBe(401);
	const next = codeAt(secret, Date.now() + 30_000);
	expect((await browser("POST", "/v1/session", { ...password, totp: next })).status).toBe(201);

	const { passkey } = (await browser("POST", "/v1/session/options", { purpose: "sign-in" })).body;
	const assertion = authenticator.assert(contextOf(passkey?.challenge ?? ""));
	const byPasskey = { method: "passkey", credential: assertion };
	expect((await browser("POST", "/v1/session", byPasskey)).status).toBe(201);
	expect((await openBrowser()("POST", "/v1/session", byPasskey)).status).toBe(401);
	expect((await read()).status).toBe(200);

	const members = (await owner("GET", "/v1/team/members")).body.items ?? [];
	expect((await owner("DELETE", `/v1/team/members/${members.at(-1)?.id}`)).status).toBe(204);
	await until(async () => (await read()).status === 404, 10_000);
	expect((await browser("GET", "/v1/me")).body as object).toMatchObject({ memberships: [] });
	await until(() => mailsTo(service, email).some((text) => text.includes("llave de acceso")));
});
