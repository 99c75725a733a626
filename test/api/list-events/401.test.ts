/** Lines that are open when a credential ends. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, get, getToken, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { deleteKey, makeKey, withKey } from "../support/api-keys";
import { expectUnauthorised } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

type Ending = readonly [string, () => Promise<{ caller: Tenant; end: () => Promise<unknown> }>];

const endings: readonly Ending[] = [
	[
		"key is removed",
		async () => {
			const { id, key } = await makeKey(service, tenant);
			return { caller: withKey(tenant, key), end: () => deleteKey(service, tenant, id) };
		},
	],
	[
		"key is revoked by another process",
		async () => {
			const { id, key } = await makeKey(service, tenant);
			const end = () => service.sql`update api_keys set revoked_at = now() where id = ${id}`;
			return { caller: withKey(tenant, key), end };
		},
	],
	[
		"token is ended",
		async () => {
			const token = await getToken(service, tenant.clientId, tenant.clientSecret);
			const headers = { ...tenant.headers, authorization: `Bearer ${token}` };
			return { caller: { ...tenant, token, headers }, end: () => post(service, "/v1/auth/revoke", {}, { token }) };
		},
	],
];

test.each(endings)("a stream ends when its %s, and others of the company go on", async (_, make) => {
	const { caller, end } = await make();
	const open = (headers: Tenant["headers"], signal?: AbortSignal) =>
		fetch(`${service.url}/v1/events?after=latest`, {
			headers: { ...headers, accept: "text/event-stream" },
			...(signal ? { signal } : {}),
		});
	const stop = new AbortController();
	const [stream, other] = [await open(caller.headers), await open(tenant.headers, stop.signal)];
	expect([stream.status, other.status]).toEqual([200, 200]);
	await end();
	// It comes to its end by itself: nothing else stops the reading of it.
	expect(await stream.text()).toStartWith("retry: ");
	const beginning = await other.body?.getReader().read();
	expect(beginning?.done).toBe(false);
	stop.abort();
	await expectUnauthorised(open(caller.headers));
});

test.each(endings)("a request that waits is refused when its %s", async (_, make) => {
	const { caller, end } = await make();
	const waiting = get(service, "/v1/events?after=latest&wait=25", caller.headers);
	await end();
	await expectUnauthorised(waiting);
});

test("a stream ends with the life of its token", async () => {
	const { clientId: client_id, clientSecret: client_secret } = tenant;
	const body = { grant_type: "client_credentials", client_id, client_secret };
	const answer = await post(service, "/v1/auth/token", {}, body);
	const { access_token } = (await answer.json()) as { access_token: string };
	const headers = { ...tenant.headers, authorization: `Bearer ${access_token}`, accept: "text/event-stream" };
	const stream = await get(service, "/v1/events?after=latest", headers);
	expect(stream.status).toBe(200);
	// As when a company's test clock is moved on: this token's hour is over, its client's other tokens live.
	const [, payload = ""] = access_token.split(".");
	const { jti } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { jti: string };
	await service.sql`
		insert into revoked_tokens (jti, expires_at, ends_at) values (${jti}, now() + interval '1 day', now())`;
	expect(await stream.text()).toStartWith("retry: ");
});
