import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import {
	createDeliver,
	type Delivering,
	enqueueEvent,
	enqueueEvents,
	listDeadLetters,
	type NewEvent,
	RETRY_DELAYS_SECONDS,
	redispatch,
} from "../../../src/events/webhooks";
import { createWake, type Dispatcher, type Message, startDispatcher } from "../../../src/platform/outbox";
import { createLog, createMetrics } from "../../../src/platform/telemetry";
import { newId, systemClock } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { allAttempts, allDeliveries } from "../../support/deliveries";
import { rewrite } from "../../support/documents";
import { holdMessage, letGo } from "../../support/held-messages";
import { until } from "../../support/until";
import { type Receiver, startReceiver } from "./receiver";
import { acceptedEvent, addEndpoint, addTenant, envelope } from "./tenant";

let database: TestDatabase;
let receiver: Receiver;
let dispatchers: Dispatcher[] = [];

beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
	receiver = await startReceiver();
});
afterEach(async () => {
	await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop(2_000)));
	dispatchers = [];
	await receiver.close();
	await rewrite(database.owner, (tx) => tx`truncate outbox, events, deliveries`);
});

const log = createLog("silent", "test");

function depsFor(change: Partial<Delivering> = {}): Delivering {
	return {
		sql: database.sql,
		envelope,
		policy: { environment: "sandbox", allow: new Set([receiver.host]) },
		clock: systemClock,
		log,
		timeScale: 0.005,
		limits: { connectTimeoutMs: 10_000, totalTimeoutMs: 10_000 },
		...change,
	};
}

function dispatch(change: Partial<Delivering> = {}, { slots = 16, leaseSeconds = 5 } = {}): void {
	const deliver = createDeliver(depsFor(change));
	const handlers = { "webhook.deliver": deliver };
	dispatchers.push(
		startDispatcher({ sql: database.sql, log, metrics: createMetrics(), handlers, slots, leaseSeconds }),
	);
}

async function enqueue(event: NewEvent): Promise<void> {
	await database.sql.begin((tx) => enqueueEvent(tx, event));
	createWake(database.sql)();
}

/** A tenant whose one endpoint is the receiver. */
async function addReceivingTenant(): Promise<{ tenantId: string; endpointId: string }> {
	const tenantId = await addTenant(database.sql);
	const { id, secret } = await addEndpoint(database.sql, tenantId, receiver.url);
	receiver.secret = secret;
	return { tenantId, endpointId: id };
}

const deliveries = () => database.sql`select * from ${allDeliveries(database.sql)} d order by sequence`;
const attempts = () => database.sql`select * from ${allAttempts(database.sql)} a order by delivery_id, n`;
const statuses = async () => (await deliveries()).map((delivery) => delivery.status);

test("an event reaches its endpoint once, signed, with the stored bytes", async () => {
	dispatch();
	const { tenantId } = await addReceivingTenant();
	await enqueue(acceptedEvent(tenantId));
	await until(async () => (await statuses())[0] === "delivered");
	expect(receiver.received).toHaveLength(1);
	const [request] = receiver.received;
	const [delivery] = await deliveries();
	const [event] = await database.sql`select body from events where tenant_id = ${tenantId}`;
	expect(request?.verified).toBe(true);
	expect(request?.body.toString()).toBe(event?.body);
	expect(request?.headers).toMatchObject({
		"content-type": "application/json",
		"user-agent": "ecf-webhooks/1",
		"x-service-event": "invoice.accepted",
		"x-service-delivery": delivery?.id,
		"x-service-attempt": "1",
		"webhook-id": delivery?.id,
	});
	expect(String(request?.headers["x-service-signature"])).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/);
	expect(String(request?.headers["webhook-signature"])).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
	expect([...(await attempts())]).toMatchObject([{ n: 1, response_status: 204, error: null, response_body: "" }]);
	expect(delivery?.ended_at).toBeInstanceOf(Date);
});

test("over a thousand deliveries can be under way while receivers are silent", async () => {
	const [tenants, each, enough] = [160, 8, 1_100];
	const silent: (() => void)[] = [];
	receiver.answer = () => (response) => silent.push(() => response.writeHead(204).end());
	const events: NewEvent[] = [];
	for (let i = 0; i < tenants; i++) {
		const { tenantId } = await addReceivingTenant();
		for (let n = 0; n < each; n++) events.push(acceptedEvent(tenantId));
	}
	await database.sql.begin((tx) => enqueueEvents(tx, events));
	dispatch({ limits: { connectTimeoutMs: 60_000, totalTimeoutMs: 100_000 } }, { slots: 2_048, leaseSeconds: 60 });
	await until(() => silent.length >= enough);
	receiver.answer = () => 204;
	for (const answer of silent) answer();
	await until(async () => {
		const [open] =
			await database.sql`select count(*)::int as count from ${allDeliveries(database.sql)} d where status <> 'delivered'`;
		return open?.count === 0;
	});
	expect(new Set(receiver.received.map(({ headers }) => headers["x-service-delivery"])).size).toBe(tenants * each);
}, 120_000);

test("failing deliveries die after five retries, and redispatch keeps their id", async () => {
	const timeScale = 0.01;
	dispatch({ timeScale });
	const { tenantId } = await addReceivingTenant();
	receiver.answer = () => (response) => response.writeHead(500).end("no room");
	const count = 8;
	for (let i = 0; i < count; i++) await enqueue(acceptedEvent(tenantId));
	await until(async () => (await statuses()).every((status) => status === "dead"), 20_000);

	expect(receiver.received).toHaveLength(count * 6);
	expect(receiver.received.every((request) => request.verified)).toBe(true);
	const ids = (await deliveries()).map((delivery) => String(delivery.id));
	for (const id of ids) {
		const requests = receiver.received.filter((request) => request.headers["x-service-delivery"] === id);
		expect(requests.map((request) => request.headers["x-service-attempt"])).toEqual(["1", "2", "3", "4", "5", "6"]);
		expect(new Set(requests.map((request) => request.body.toString())).size).toBe(1);
		for (const [i, delay] of RETRY_DELAYS_SECONDS.entries()) {
			const gapMs = (requests[i + 1]?.atMs ?? 0) - (requests[i]?.atMs ?? 0);
			const scheduledMs = delay * 1000 * timeScale;
			// Never earlier. How much later depends on the machine; the schedule has tests of its own.
			expect(gapMs).toBeGreaterThanOrEqual(scheduledMs - 2);
		}
	}
	const letters = await listDeadLetters(database.sql);
	expect(letters.map((letter) => letter.deliveryId).sort()).toEqual([...ids].sort());
	expect(letters[0]).toMatchObject({
		tenantId,
		event: "invoice.accepted",
		attempts: 6,
		responseStatus: 500,
		error: null,
		reason: "6 attempts failed, the last with status 500",
	});
	const [attempt] = await attempts();
	expect(attempt).toMatchObject({ response_status: 500, response_body: "no room" });
	await until(async () => (await database.sql`select 1 from outbox where state = 'dead'`).length === count);

	receiver.answer = () => 200;
	const first = ids[0] ?? "";
	expect(await redispatch(database.sql, first)).toBe(1);
	expect(await redispatch(database.sql, first)).toBe(0);
	expect(await redispatch(database.sql, "all")).toBe(count - 1);
	createWake(database.sql)();
	await until(async () => (await statuses()).every((status) => status === "delivered"));
	const again = receiver.received.slice(count * 6);
	expect(again.map((request) => String(request.headers["x-service-delivery"])).sort()).toEqual([...ids].sort());
	expect(again.every((request) => request.verified && request.headers["x-service-attempt"] === "1")).toBe(true);
	expect((await attempts()).filter((row) => row.delivery_id === first).map((row) => row.n)).toEqual([
		1, 2, 3, 4, 5, 6, 7,
	]);
	expect(await listDeadLetters(database.sql)).toEqual([]);
}, 120_000);

test("a redispatched letter that fails again has a whole schedule and dies again", async () => {
	dispatch({ timeScale: 0.001 });
	const { tenantId } = await addReceivingTenant();
	receiver.answer = () => 404;
	await enqueue(acceptedEvent(tenantId));
	await until(async () => (await statuses())[0] === "dead");
	await until(async () => (await database.sql`select 1 from outbox where state = 'dead'`).length === 1);
	expect(await redispatch(database.sql, "all")).toBe(1);
	createWake(database.sql)();
	await until(() => receiver.received.length === 12);
	await until(async () => (await statuses())[0] === "dead");
});

test("a delivery that succeeds after failures is delivered and not sent again", async () => {
	dispatch();
	const { tenantId } = await addReceivingTenant();
	receiver.answer = (n) => (n < 3 ? 503 : 200);
	await enqueue(acceptedEvent(tenantId));
	await until(async () => (await database.sql`select 1 from outbox`).length === 0);
	expect(await statuses()).toEqual(["delivered"]);
	expect((await attempts()).map((row) => row.response_status)).toEqual([503, 503, 200]);
});

test("between attempts a delivery counts as failed", async () => {
	dispatch({ timeScale: 100 });
	const { tenantId } = await addReceivingTenant();
	receiver.answer = () => (response) => response.destroy();
	await enqueue(acceptedEvent(tenantId));
	await until(async () => (await statuses())[0] === "failed");
	expect([...(await attempts())]).toMatchObject([{ n: 1, response_status: null, error: "connection-reset" }]);
	expect(await redispatch(database.sql, "all")).toBe(0);
});

test("Retry-After postpones the retry after 429 and 503 only", async () => {
	dispatch({ timeScale: 0.001 });
	const { tenantId } = await addReceivingTenant();
	const cases: [status: number, waits: boolean][] = [
		[503, true],
		[429, true],
		[500, false],
	];
	for (const [status, waits] of cases) {
		receiver.received.length = 0;
		receiver.answer = (n) => (n > 1 ? 200 : (response) => response.writeHead(status, { "retry-after": "1" }).end());
		await enqueue(acceptedEvent(tenantId));
		await until(() => receiver.received.length === 2);
		const gapMs = (receiver.received[1]?.atMs ?? 0) - (receiver.received[0]?.atMs ?? 0);
		expect([status, gapMs >= 995]).toEqual([status, waits]);
	}
});

test("410 disables the endpoint at once and its other deliveries die", async () => {
	const { tenantId, endpointId } = await addReceivingTenant();
	receiver.answer = () => 410;
	for (let i = 0; i < 5; i++) await enqueue(acceptedEvent(tenantId));
	// One at a time, so that the others are still waiting when the first answer comes.
	const deliver = createDeliver(depsFor());
	const handlers = { "webhook.deliver": deliver };
	dispatchers.push(
		startDispatcher({ sql: database.sql, log, metrics: createMetrics(), handlers, slots: 1, leaseSeconds: 5 }),
	);
	await until(async () => (await statuses()).every((status) => status === "dead"));
	expect(receiver.received).toHaveLength(1);
	const [endpoint] = await database.sql`select status, disabled_at from webhook_endpoints where id = ${endpointId}`;
	expect(endpoint).toMatchObject({ status: "disabled", disabled_at: expect.any(Date) });
	const reasons = (await listDeadLetters(database.sql)).map((letter) => letter.reason);
	expect(reasons.filter((reason) => reason === "the endpoint is disabled")).toHaveLength(4);
	expect(reasons).toContain("the endpoint answered 410 and was disabled");
	await enqueue(acceptedEvent(tenantId));
	expect(await deliveries()).toHaveLength(5);
});

test("a letter of a replaced endpoint goes to the new one; without any it stays dead", async () => {
	const { sql } = database;
	const { tenantId, endpointId } = await addReceivingTenant();
	await enqueue(acceptedEvent(tenantId));
	await sql`delete from webhook_endpoints where id = ${endpointId}`;
	dispatch();
	await until(async () => (await statuses())[0] === "dead");
	const [letter] = await listDeadLetters(sql);
	expect(letter).toMatchObject({ webhookId: endpointId, reason: "the endpoint was removed", attempts: 0 });
	await addEndpoint(sql, tenantId, receiver.url, ["invoice.rejected"]);
	expect(await redispatch(sql, "all")).toBe(0);

	const replacement = await addEndpoint(sql, tenantId, receiver.url);
	receiver.secret = replacement.secret;
	expect(await redispatch(sql, "all")).toBe(1);
	createWake(sql)();
	await until(async () => (await statuses())[0] === "delivered");
	expect(receiver.received).toMatchObject([{ verified: true, headers: { "x-service-delivery": letter?.deliveryId } }]);
	expect((await deliveries())[0]?.endpoint_id).toBe(replacement.id);
});

test("events of one document arrive in order; other events do not wait", async () => {
	dispatch({ timeScale: 0.05 });
	const { tenantId } = await addReceivingTenant();
	const docId = newId();
	let isBroken = true;
	receiver.answer = () => {
		const { body } = receiver.received[receiver.received.length - 1] ?? {};
		return isBroken && body?.includes("invoice.failed") ? 500 : 200;
	};
	await enqueue(acceptedEvent(tenantId, { event: "invoice.failed", docId, docVersion: 3, status: "failed" }));
	await enqueue(acceptedEvent(tenantId, { docId, docVersion: 5 }));
	await enqueue(acceptedEvent(tenantId));
	await until(() => receiver.received.length >= 4);
	expect(await statuses()).toEqual(["failed", "pending", "delivered"]);
	isBroken = false;
	await until(async () => (await statuses()).every((status) => status === "delivered"));
	const ofDocument = receiver.received.map((r) => JSON.parse(r.body.toString())).filter((b) => b.docId === docId);
	const arrived = ofDocument.map((body) => body.sequence - ofDocument[0].sequence);
	expect(arrived).toEqual([...new Array(arrived.length - 1).fill(0), 1]);
});

test("an endpoint with a private address is not called, and the attempt says why", async () => {
	dispatch({ policy: { environment: "production", allow: new Set() }, timeScale: 100 });
	const { tenantId } = await addReceivingTenant();
	await enqueue(acceptedEvent(tenantId));
	await until(async () => (await statuses())[0] === "failed");
	expect([...(await attempts())]).toMatchObject([{ response_status: null, error: "blocked-address" }]);
	expect(receiver.received).toHaveLength(0);
});

test("a receiver that never answers does not delay other deliveries", async () => {
	const quick = await startReceiver();
	try {
		dispatch({
			policy: { environment: "sandbox", allow: new Set([receiver.host, quick.host]) },
			limits: { totalTimeoutMs: 5_000 },
			timeScale: 100,
		});
		const { tenantId: slow } = await addReceivingTenant();
		receiver.answer = () => () => undefined;
		const other = await addTenant(database.sql);
		quick.secret = (await addEndpoint(database.sql, other, quick.url)).secret;
		for (const tenantId of [slow, slow, slow, slow, other, other, other, other]) await enqueue(acceptedEvent(tenantId));
		await until(() => receiver.received.length === 4 && quick.received.length === 4);
		expect((await attempts()).filter((row) => row.error !== null)).toHaveLength(0);
		await until(async () => (await attempts()).filter((row) => row.error === "timeout").length === 4);
	} finally {
		await quick.close();
	}
});

test("an endpoint that never answers does not block its tenant's other endpoint", async () => {
	const quick = await startReceiver();
	try {
		dispatch({
			policy: { environment: "sandbox", allow: new Set([receiver.host, quick.host]) },
			limits: { totalTimeoutMs: 120_000 },
		});
		const { tenantId } = await addReceivingTenant();
		receiver.answer = () => () => undefined;
		quick.secret = (await addEndpoint(database.sql, tenantId, quick.url)).secret;
		const count = 30;
		for (let n = 0; n < count; n++) await enqueue(acceptedEvent(tenantId));
		await until(async () => (await statuses()).filter((status) => status === "delivered").length === count);
		await until(() => receiver.received.length >= 8);
		expect(receiver.received).toHaveLength(8);
	} finally {
		await receiver.close();
		await quick.close();
	}
}, 120_000);

test("waiting first attempts go out when the endpoint answers; retries keep their time", async () => {
	const metrics = createMetrics();
	// The retries are so far away that none comes.
	dispatch({ timeScale: 100, metrics });
	const { tenantId } = await addReceivingTenant();
	receiver.answer = () => 500;
	const count = 30;
	for (let n = 0; n < 5; n++) await enqueue(acceptedEvent(tenantId));
	await until(async () => (await statuses()).filter((status) => status === "failed").length === 5);
	expect((await metrics.webhookBreakersOpen.get()).values[0]?.value).toBe(1);
	const due = () => database.sql`select id, available_at from outbox where failures > 0 order by id`;
	const before = [...(await due())];
	receiver.answer = () => 200;
	for (let n = 5; n < count; n++) await enqueue(acceptedEvent(tenantId));
	await until(async () => (await statuses()).filter((status) => status === "delivered").length === count - 5);
	expect([...(await due())]).toEqual(before);
	await until(async () => (await metrics.webhookBreakersOpen.get()).values[0]?.value === 0);
}, 120_000);

/** The message of the only delivery, in the hands of a lane. */
async function holdDelivery(): Promise<Message> {
	const [row] = await database.sql`select subject from outbox where kind = 'webhook.deliver'`;
	return holdMessage(database.sql, row?.subject);
}

test("a holder that lost its lease records its attempt and decides nothing", async () => {
	const { tenantId } = await addReceivingTenant();
	await enqueue(acceptedEvent(tenantId));
	const stale = await holdDelivery();
	await letGo(database.sql, stale);
	expect(await createDeliver(depsFor())(stale)).toEqual({ kind: "done" });
	expect(receiver.received).toHaveLength(1);
	expect(await attempts()).toHaveLength(1);
	expect(await statuses()).toEqual(["pending"]);
});

test("a holder that finds its predecessor's result sends nothing", async () => {
	const { tenantId } = await addReceivingTenant();
	await enqueue(acceptedEvent(tenantId));
	const message = await holdDelivery();
	const deliver = createDeliver(depsFor());
	expect(await deliver(message)).toEqual({ kind: "settled", outcome: { kind: "done" } });
	expect(await database.sql`select 1 from outbox`).toHaveLength(0);
	// The message was made ready manually, so another holder gets it.
	expect(await deliver(message)).toEqual({ kind: "done" });
	expect(receiver.received).toHaveLength(1);
	await database.sql`update deliveries set status = 'dead', reason = 'over'`;
	expect(await deliver(message)).toEqual({ kind: "dead", reason: "over" });
	expect(await deliver({ ...message, subject: newId() })).toMatchObject({ kind: "dead" });
	expect(receiver.received).toHaveLength(1);
});

test("an attempt and its message's outcome are written together", async () => {
	const { tenantId } = await addReceivingTenant();
	receiver.answer = () => 500;
	await enqueue(acceptedEvent(tenantId));
	const message = await holdDelivery();
	expect(await createDeliver(depsFor())(message)).toMatchObject({ kind: "settled", outcome: { kind: "retry" } });
	const [row] = await database.sql`select state, failures, busy_until from outbox`;
	expect(row).toMatchObject({ state: "ready", failures: 1, busy_until: null });
	expect(await statuses()).toEqual(["failed"]);
});

test("a letter that is redispatched after its last attempt is sent", async () => {
	const { tenantId } = await addReceivingTenant();
	receiver.answer = () => 500;
	await enqueue(acceptedEvent(tenantId));
	const message = { ...(await holdDelivery()), failures: 5 };
	expect(await createDeliver(depsFor())(message)).toMatchObject({ kind: "settled", outcome: { kind: "dead" } });
	expect(await redispatch(database.sql, message.subject)).toBe(1);
	receiver.answer = () => 200;
	dispatch();
	await until(async () => (await statuses())[0] === "delivered");
	expect(receiver.received[1]?.headers["x-service-delivery"]).toBe(message.subject);
});
