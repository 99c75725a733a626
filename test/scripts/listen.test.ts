/** `bun run listen` prints events as they happen and forwards them with a valid signature. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type FeedMessage, readMessages } from "../../scripts/listen/messages";
import { verifySignature } from "../../src/events/webhooks";
import {
	buildInvoice,
	createTenant,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
} from "../support/service";
import { startTcpProxy } from "../support/tcp-proxy";
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

test("new events are printed and forwarded with a signature of the given secret", async () => {
	const before = await issue();
	await until(async () => (await service.sql`select 1 from events where doc_id = ${before}`).length === 1);
	const env = credentialsOf(tenant);
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

test("a broken connection resumes after the last printed event", async () => {
	const other = await createTenant(service);
	const proxy = await startTcpProxy({ port: Number(new URL(service.url).port) });
	const url = `http://127.0.0.1:${proxy.port}`;
	const { child, printed, reading } = listen(["--url", url, "--after", "0"], credentialsOf(other));
	const shown = () => [...printed().matchAll(/^\d\d:\d\d:\d\d +(\d+) +invoice/gm)].map(([, sequence]) => sequence);
	try {
		for (const count of [1, 2, 3]) {
			await issue(other);
			await until(() => shown().length >= count, 120_000);
			for (const link of proxy.links()) link.reset();
		}
	} finally {
		child.kill();
		await Promise.all([child.exited, reading]);
		await proxy.stop();
	}
	expect(shown()).toEqual(["1", "2", "3"]);
}, 120_000);

test("missing credentials are named all at once", async () => {
	const { child } = listen([], { SELLO_CLIENT_ID: "cli_x" });
	expect(await child.exited).toBe(2);
	const errors = await new Response(child.stderr).text();
	expect(errors).toContain("expected SELLO_API_KEY, SELLO_CLIENT_SECRET in the environment");
	expect(errors).toContain("bun run listen [--forward");
});

test("an invalid address and an incomplete secret are refused before it listens", async () => {
	const wrong = ["--forward", "localhost:8080/hooks", "--url", "nonsense", "--secret", "5W0b"];
	const { child } = listen(wrong, credentialsOf(tenant));
	expect(await child.exited).toBe(2);
	const errors = await new Response(child.stderr).text();
	expect(errors).toContain("expected --forward http://… or https://…, got localhost:8080/hooks");
	expect(errors).toContain("expected --url http://… or https://…, got nonsense");
	expect(errors).toContain("expected --secret whsec_…, whole");
	expect(errors).not.toContain("5W0b");
});

test("an unreachable service is named", async () => {
	const { child } = listen(["--url", "http://127.0.0.1:1"], credentialsOf(tenant));
	expect(await child.exited).toBe(1);
	expect(await new Response(child.stderr).text()).toStartWith("no events from http://127.0.0.1:1: ");
});

test("--help prints the usage, and an unknown option is refused", async () => {
	const help = listen(["--help"], {});
	expect(await help.child.exited).toBe(0);
	await help.reading;
	expect(help.printed()).toContain("SELLO_API_KEY, the key that registered it");
	const unknown = listen(["--foo"], {});
	expect(await unknown.child.exited).toBe(2);
	expect(await new Response(unknown.child.stderr).text()).toMatch(/^Unknown option '--foo'/);
});

test("it ends when the service refuses its credentials", async () => {
	const env = { ...credentialsOf(tenant), SELLO_CLIENT_SECRET: "wrong" };
	const { child } = listen(["--url", service.url], env);
	expect(await child.exited).toBe(1);
	expect(await new Response(child.stderr).text()).toContain("no token: 401");
});

test("messages are read from chunks of any size", async () => {
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

async function issue(company = tenant): Promise<string> {
	return ((await (await postInvoice(service, company, buildInvoice(company))).json()) as { docId: string }).docId;
}

function credentialsOf({ apiKey, clientId, clientSecret }: Tenant) {
	return { SELLO_API_KEY: apiKey, SELLO_CLIENT_ID: clientId, SELLO_CLIENT_SECRET: clientSecret };
}
