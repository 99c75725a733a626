/** `sello events listen` prints events as they happen and forwards them with a valid signature. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Sello } from "../../src/sdk/typescript";
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
import { credentialsOf, startSello } from "./support/start-sello";

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

test("new events are printed and forwarded with both signatures of the given secret", async () => {
	const before = await issue();
	await until(async () => (await service.sql`select 1 from events where doc_id = ${before}`).length === 1);
	const hook = `http://${receiver.host}/hooks`;
	const run = startSello(["events", "listen", "--forward", hook, "--secret", SECRET], credentialsOf(service, tenant));
	await until(() => run.errors().includes("listening at"));
	const docId = await issue();
	await until(() => /→ \d{3} in \d+ ms/.test(run.printed()));
	await run.stop();

	expect(receiver.received).toHaveLength(1);
	const [{ headers, body, path } = { headers: {}, body: Buffer.alloc(0), path: "" }] = receiver.received;
	expect(path).toBe("/hooks");
	expect(JSON.parse(body.toString())).toMatchObject({ event: "invoice.accepted", docId, sequence: 2 });
	const given = headers as Record<string, string>;
	const families = [
		{ "x-service-signature": given["x-service-signature"] },
		{
			"webhook-id": given["webhook-id"],
			"webhook-timestamp": given["webhook-timestamp"],
			"webhook-signature": given["webhook-signature"],
		},
	];
	for (const family of families) expect(await Sello.webhooks.verify(body, family, [SECRET])).toMatchObject({ docId });
	expect(run.printed()).toMatch(/\d\d:\d\d:\d\d +2 +invoice\.accepted +E31\d{10} +→ 204 in/);
});

test("a broken connection resumes after the last printed event", async () => {
	const other = await createTenant(service);
	const proxy = await startTcpProxy({ port: Number(new URL(service.url).port) });
	const env = { ...credentialsOf(service, other), SELLO_URL: `http://127.0.0.1:${proxy.port}` };
	const run = startSello(["events", "listen", "--after", "0", "--json"], env);
	const shown = () =>
		run
			.printed()
			.split("\n")
			.filter(Boolean)
			.map((line) => (JSON.parse(line) as { sequence: number }).sequence);
	try {
		for (const count of [1, 2, 3]) {
			await issue(other);
			await until(() => shown().length >= count, 120_000);
			for (const link of proxy.links()) link.reset();
		}
	} finally {
		await run.stop();
		await proxy.stop();
	}
	expect(shown()).toEqual([1, 2, 3]);
}, 120_000);

test("a test event is signed and forwarded, and names that it is one", async () => {
	const hook = `http://${receiver.host}/trigger`;
	const run = startSello(
		["events", "trigger", "sequence.low", "--forward", hook, "--secret", SECRET],
		credentialsOf(service, tenant),
	);
	expect(await run.exited).toBe(0);
	const sent = receiver.received.find(({ path }) => path === "/trigger");
	expect(JSON.parse(String(sent?.body))).toMatchObject({ event: "sequence.low", test: true, low: { type: "31" } });
});

test("an interruption has an exit code of its own", async () => {
	const run = startSello(["invoices", "tail"], credentialsOf(service, tenant));
	await until(() => run.errors().includes("listening at"));
	run.interrupt();
	expect(await run.exited).toBe(130);
});

test("it ends when the service refuses its credentials", async () => {
	const env = { ...credentialsOf(service, tenant), SELLO_CLIENT_SECRET: "wrong" };
	const run = startSello(["events", "listen"], env);
	expect(await run.exited).toBe(3);
	expect(run.errors()).toStartWith("Unauthorised: ");
});

async function issue(of: Tenant = tenant): Promise<string> {
	const answer = await postInvoice(service, of, buildInvoice(of));
	return ((await answer.json()) as { docId: string }).docId;
}
