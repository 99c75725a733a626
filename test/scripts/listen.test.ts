/** Events on a laptop: printed as they happen, and forwarded to a receiver that verifies them as it would the real ones. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type FeedMessage, readMessages } from "../../scripts/listen/messages";
import { verifySignature } from "../../src/webhooks";
import {
	buildInvoice,
	createTenant,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
} from "../support/service";
import { until } from "../support/until";
import { startReceiver, type WebhookReceiver } from "../support/webhook-receiver";

let service: TestService;
let tenant: Tenant;
let receiver: WebhookReceiver;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
	receiver = await startReceiver();
});
afterAll(() => receiver.stop());

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

function listen(args: readonly string[], env: Record<string, string>) {
	const child = Bun.spawn([process.execPath, join(import.meta.dir, "../../scripts/listen.ts"), ...args], {
		env: { PATH: process.env.PATH ?? "", ...env },
		stdout: "pipe",
		stderr: "pipe",
	});
	let printed = "";
	const reading = (async () => {
		for await (const chunk of child.stdout) printed += new TextDecoder().decode(chunk);
	})();
	return { child, printed: () => printed, reading };
}

test("what happens from now on is printed and forwarded with a signature of the given secret", async () => {
	const before = await issue();
	await until(async () => (await service.sql`select 1 from events where doc_id = ${before}`).length === 1);
	const env = {
		SELLO_API_KEY: tenant.apiKey,
		...{ SELLO_CLIENT_ID: tenant.clientId, SELLO_CLIENT_SECRET: tenant.clientSecret },
	};
	const hook = `http://${receiver.host}/hooks`;
	const { child, printed, reading } = listen(["--url", service.url, "--forward", hook, "--secret", SECRET], env);
	await until(() => printed().includes("listening at"));
	const docId = await issue();
	await until(() => /→ \d{3} in \d+ ms/.test(printed()));
	child.kill();
	await Promise.all([child.exited, reading]);

	expect(receiver.received).toHaveLength(1);
	const [{ headers, body, path } = { headers: {}, body: Buffer.alloc(0), path: "" }] = receiver.received;
	expect(path).toBe("/hooks");
	expect(JSON.parse(body.toString())).toMatchObject({ event: "invoice.accepted", docId, sequence: 2 });
	const signature = String((headers as Record<string, unknown>)["x-service-signature"]);
	expect(verifySignature(SECRET, signature, body, Date.now() / 1_000)).toBe(true);
	expect(printed()).toMatch(/\d\d:\d\d:\d\d +2 +invoice\.accepted +E31\d{10} +→ 204 in/);
});

test("without credentials it says which are missing", async () => {
	const { child } = listen([], {});
	expect(await child.exited).toBe(2);
	expect(await new Response(child.stderr).text()).toContain("expected SELLO_API_KEY in the environment");
});

test("with credentials that the service refuses it ends and says so", async () => {
	const env = { SELLO_API_KEY: tenant.apiKey, SELLO_CLIENT_ID: tenant.clientId, SELLO_CLIENT_SECRET: "wrong" };
	const { child } = listen(["--url", service.url], env);
	expect(await child.exited).toBe(1);
	expect(await new Response(child.stderr).text()).toContain("no token: 401");
});

test("messages are read whatever the pieces in which they come", async () => {
	const text = 'retry: 2000\n\n:\n\nid: 7\nevent: a.b\ndata: {"x":"é"}\n\ndata: one\ndata: two\n\nid: 8\n\n';
	const expected: FeedMessage[] = [
		{ id: "7", event: "a.b", data: '{"x":"é"}' },
		{ id: "7", event: "message", data: "one\ntwo" },
	];
	const bytes = Buffer.from(text);
	for (let size = 1; size <= bytes.length; size++) {
		const pieces = async function* () {
			for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
		};
		expect(await Array.fromAsync(readMessages(pieces()))).toEqual(expected);
	}
});

async function issue(): Promise<string> {
	return ((await (await postInvoice(service, tenant, buildInvoice(tenant))).json()) as { docId: string }).docId;
}
