/** Dead letters that are sent again automatically, over real HTTP. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { createDeliver, createProbe, enqueueEvent, type NewEvent, redispatch } from "../../../src/events/webhooks";
import { ensureProbes } from "../../../src/events/webhooks/probe";
import { PROBES_MAX, RECOVERIES_MAX } from "../../../src/events/webhooks/retry-schedule";
import { createWake, type Dispatcher, type Message, startDispatcher } from "../../../src/platform/outbox";
import { createLog, createMetrics } from "../../../src/platform/telemetry";
import { newId, systemClock } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { allAttempts, allDeliveries, setStatus } from "../../support/deliveries";
import { rewrite } from "../../support/documents";
import { holdMessage, letGo } from "../../support/held-messages";
import { until } from "../../support/until";
import { type Receiver, startReceiver } from "./receiver";
import { acceptedEvent, addEndpoint, addTenant, envelope } from "./tenant";

const PATIENCE_MS = 60_000;
const log = createLog("silent", "test");

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
	await rewrite(database.owner, (tx) => tx`truncate outbox, events, deliveries, webhook_endpoints`);
});

function handlers(timeScale = 0.0005) {
	const deps = {
		...{ sql: database.sql, envelope, clock: systemClock, log, timeScale, wake: createWake(database.sql) },
		policy: { environment: "sandbox" as const, allow: new Set([receiver.host]) },
	};
	return { "webhook.deliver": createDeliver(deps), "webhook.probe": createProbe(deps) };
}

function dispatch(slots = 16, timeScale?: number): void {
	const on = { sql: database.sql, log, metrics: createMetrics(), slots, leaseSeconds: 5 };
	dispatchers.push(startDispatcher({ ...on, handlers: handlers(timeScale) }));
}

async function addReceivingTenant(change: Parameters<typeof addEndpoint>[4] = {}) {
	const tenantId = await addTenant(database.sql);
	const { id, secret } = await addEndpoint(database.sql, tenantId, receiver.url, ["*", "webhook.disabled"], change);
	receiver.secret = secret;
	return { tenantId, endpointId: id };
}

async function enqueue(event: NewEvent): Promise<void> {
	await database.sql.begin((tx) => enqueueEvent(tx, event));
	createWake(database.sql)();
}

const deliveries = () => database.sql`select * from ${allDeliveries(database.sql)} d order by sequence`;
const statuses = async () => (await deliveries()).map(({ status }) => String(status));
const probes = () => database.sql`select * from outbox where kind = 'webhook.probe' and state = 'ready'`;
const endpointOf = async (id: string) => (await database.sql`select * from webhook_endpoints where id = ${id}`)[0];
const idsOf = (requests: Receiver["received"]) => requests.map(({ headers }) => String(headers["x-service-delivery"]));
const areAll = (status: string) => async () => (await statuses()).every((one) => one === status);

/** An endpoint with dead letters and a probe that no dispatcher carries out. */
async function killLetters(count: number, change: Partial<NewEvent> = {}) {
	const { tenantId, endpointId } = await addReceivingTenant();
	for (let n = 0; n < count; n++) await enqueue(acceptedEvent(tenantId, change));
	await setStatus(database.sql, "dead");
	await database.sql`update outbox set state = 'dead'`;
	await database.sql.begin((tx) => ensureProbes(tx, { timeScale: 0.0005 }, [{ tenantId, id: endpointId }]));
	return { tenantId, endpointId };
}

/** The message of the probe, in the hands of a lane. */
async function holdProbe(): Promise<Message> {
	const [row] = await database.sql`select subject from outbox where kind = 'webhook.probe'`;
	return holdMessage(database.sql, row?.subject);
}

test("when an endpoint recovers, its dead letters arrive, oldest first, with their ids", async () => {
	// One message at a time, so that the order of arrival is that of sending.
	dispatch(1);
	const { tenantId, endpointId } = await addReceivingTenant();
	receiver.answer = () => 500;
	const count = 20;
	for (let n = 0; n < count; n++) await enqueue(acceptedEvent(tenantId));
	await until(areAll("dead"), PATIENCE_MS);
	const ids = (await deliveries()).map(({ id }) => String(id));
	expect(await endpointOf(endpointId)).toMatchObject({ probe_passes: 0, probe_id: expect.any(String) });
	expect(await probes()).toHaveLength(1);

	// The endpoint recovers at a request of the probe, so that no page is answered in part.
	let before = 0;
	receiver.answer = () => {
		if (before === 0 && idsOf(receiver.received).at(-1) === ids[0]) before = receiver.received.length - 1;
		return before > 0 ? 200 : 500;
	};
	await until(areAll("delivered"), PATIENCE_MS);
	const after = receiver.received.slice(before);
	expect(idsOf(after)).toEqual(ids);
	expect(after.every(({ verified, headers }) => verified && headers["x-service-attempt"] === "1")).toBe(true);
	for (const id of ids) {
		const requests = receiver.received.filter(({ headers }) => headers["x-service-delivery"] === id);
		const bodies = requests.map(({ body }) => body.toString());
		expect(new Set(bodies).size).toBe(1);
		const made = await database.sql`select n from ${allAttempts(database.sql)} a where delivery_id = ${id} order by n`;
		expect(made.map(({ n }) => n)).toEqual(bodies.map((_, n) => n + 1));
	}
	await until(async () => (await probes()).length === 0, PATIENCE_MS);
	expect(await endpointOf(endpointId)).toMatchObject({ probe_id: null, probe_next_at: null });
}, 120_000);

test("letters of an endpoint with manual recovery stay dead, without a probe", async () => {
	dispatch();
	const { tenantId, endpointId } = await addReceivingTenant({ recovery: "manual" });
	receiver.answer = () => 500;
	await enqueue(acceptedEvent(tenantId));
	await until(areAll("dead"), PATIENCE_MS);
	expect(await probes()).toHaveLength(0);
	expect(await endpointOf(endpointId)).toMatchObject({ probe_id: null });
}, 120_000);

test("many deaths at once begin one probe", async () => {
	dispatch(32);
	const { tenantId } = await addReceivingTenant();
	receiver.answer = () => 500;
	await Promise.all(Array.from({ length: 40 }, () => enqueue(acceptedEvent(tenantId))));
	await until(areAll("dead"), PATIENCE_MS);
	expect(await probes()).toHaveLength(1);
}, 120_000);

test("a letter that is refused for its content does not hide a recovered endpoint", async () => {
	const { endpointId } = await killLetters(5);
	const [refused] = await deliveries();
	receiver.answer = () => (idsOf(receiver.received).at(-1) === refused?.id ? 400 : 200);
	dispatch();
	await until(async () => (await statuses()).filter((status) => status === "delivered").length === 4, PATIENCE_MS);
	await until(async () => (await statuses())[0] === "dead", PATIENCE_MS);
	// From now on only this letter is tried.
	expect(await endpointOf(endpointId)).toMatchObject({ status: "enabled" });
}, 120_000);

test("a letter that died too often after a probe waits for manual redelivery", async () => {
	const { endpointId } = await killLetters(1);
	await database.sql`update deliveries set recoveries_left = 0`;
	expect(await handlers()["webhook.probe"](await holdProbe())).toEqual({ kind: "done" });
	expect(receiver.received).toHaveLength(0);
	expect(await endpointOf(endpointId)).toMatchObject({ probe_id: null });
	expect(await redispatch(database.sql, "all")).toBe(1);
	expect((await deliveries())[0]).toMatchObject({ status: "pending", recoveries_left: RECOVERIES_MAX });
});

test("the next page follows only when half of the previous one was tried", async () => {
	const { endpointId } = await killLetters(40);
	const message = await holdProbe();
	const probe = handlers()["webhook.probe"];
	expect(await probe(message)).toMatchObject({ kind: "snooze" });
	const counted = async () => {
		const all = await statuses();
		return ["delivered", "pending", "dead"].map((status) => all.filter((one) => one === status).length);
	};
	expect(await counted()).toEqual([1, 8, 31]);
	expect((await statuses()).slice(0, 9)).toEqual(["delivered", ...new Array(8).fill("pending")]);
	expect(await probe(message)).toMatchObject({ kind: "snooze" });
	expect(receiver.received).toHaveLength(1);
	// Half of them were tried. One failed, which does not delay the others.
	await database.sql`
		update deliveries set status = 'delivered' where id in (select id from deliveries where status = 'pending' order by id limit 3)`;
	await database.sql`
		update deliveries set status = 'failed' where id in (select id from deliveries where status = 'pending' order by id limit 1)`;
	expect(await probe(message)).toMatchObject({ kind: "snooze" });
	expect(await counted()).toEqual([5, 4 + 16, 14]);
	expect(await endpointOf(endpointId)).toMatchObject({ probe_passes: 2, probe_failures: 0 });

	receiver.answer = () => 500;
	await database.sql`update deliveries set status = 'dead' where status in ('pending', 'failed')`;
	const outcome = await probe(message);
	expect(outcome.kind === "snooze" && outcome.afterSeconds).toBeGreaterThanOrEqual(0.03);
	expect(await counted()).toEqual([5, 0, 35]);
	expect(await endpointOf(endpointId)).toMatchObject({ probe_passes: 0, probe_failures: 0 });
});

test("a letter never overtakes an earlier one of its document", async () => {
	await killLetters(3, { docId: newId() });
	const [first] = await deliveries();
	receiver.answer = () => 500;
	const probe = handlers()["webhook.probe"];
	const message = await holdProbe();
	expect(await probe(message)).toMatchObject({ kind: "snooze" });
	// The newest was not tried: it is not the first of its document.
	expect(idsOf(receiver.received)).toEqual([String(first?.id)]);
	// The first one was sent again manually and is under way.
	await database.sql`update deliveries set status = 'failed' where id = ${first?.id ?? ""}`;
	expect(await probe(message)).toMatchObject({ kind: "snooze" });
	expect(receiver.received).toHaveLength(1);
});

test("a silent endpoint is probed with one letter, a refusing one with two", async () => {
	await killLetters(3);
	const probe = handlers()["webhook.probe"];
	receiver.answer = () => (response) => response.destroy();
	const message = await holdProbe();
	await probe(message);
	expect(receiver.received).toHaveLength(1);
	receiver.answer = () => 503;
	await probe(message);
	expect(receiver.received).toHaveLength(3);
	expect(await statuses()).toEqual(["dead", "dead", "dead"]);
	expect(await database.sql`select 1 from ${allAttempts(database.sql)} a`).toHaveLength(3);
});

test("410 to a probe disables the endpoint and ends the probe", async () => {
	const { endpointId } = await killLetters(2);
	receiver.answer = () => 410;
	expect(await handlers()["webhook.probe"](await holdProbe())).toEqual({ kind: "done" });
	expect(await endpointOf(endpointId)).toMatchObject({ status: "disabled", probe_id: null });
	expect(await database.sql`select 1 from events where doc_id = ${endpointId}`).toHaveLength(1);
	expect(await statuses()).toEqual(["dead", "dead"]);
});

test("the last failed probe ends probing, and the next death begins another probe", async () => {
	const { tenantId, endpointId } = await killLetters(1);
	receiver.answer = () => 500;
	await database.sql`update webhook_endpoints set probe_failures = ${PROBES_MAX - 1} where id = ${endpointId}`;
	const message = await holdProbe();
	const probe = handlers()["webhook.probe"];
	expect(await probe(message)).toEqual({ kind: "done" });
	expect(await endpointOf(endpointId)).toMatchObject({ probe_id: null });
	await database.sql.begin((tx) => ensureProbes(tx, { timeScale: 1 }, [{ tenantId, id: endpointId }]));
	expect(await endpointOf(endpointId)).toMatchObject({ probe_failures: 0 });
	// The message of the ended probe does nothing.
	expect(await probe(message)).toEqual({ kind: "done" });
	expect(receiver.received).toHaveLength(1);
});

test("a probe does not end while a letter is being written dead", async () => {
	const { tenantId, endpointId } = await killLetters(1);
	await database.sql`update deliveries set status = 'delivered'`;
	await enqueue(acceptedEvent(tenantId));
	const message = await holdProbe();
	let looking: Promise<unknown> | undefined;
	await database.sql.begin(async (tx) => {
		await ensureProbes(tx, { timeScale: 1 }, [{ tenantId, id: endpointId }]);
		looking = Promise.resolve(handlers()["webhook.probe"](message));
		await until(async () => {
			const waiting = await database.sql`
				select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
			return waiting.length > 0;
		}, PATIENCE_MS);
		await setStatus(tx, "dead", tx`status = 'pending'`);
	});
	expect(await looking).toMatchObject({ kind: "snooze" });
	expect(await endpointOf(endpointId)).toMatchObject({ probe_id: expect.any(String) });
}, 120_000);

test("a letter redelivered manually during its probe arrives under the same id", async () => {
	await killLetters(1);
	const [letter] = await deliveries();
	let answerProbe: (() => void) | undefined;
	receiver.answer = (n) => {
		if (n > 1) return 204;
		return (response) => {
			answerProbe = () => response.writeHead(204).end();
		};
	};
	dispatch();
	await until(() => answerProbe !== undefined, PATIENCE_MS);
	expect(await redispatch(database.sql, String(letter?.id))).toBe(1);
	createWake(database.sql)();
	await until(areAll("delivered"), PATIENCE_MS);
	answerProbe?.();
	await until(async () => (await probes()).length === 0, PATIENCE_MS);
	expect(new Set(idsOf(receiver.received))).toEqual(new Set([String(letter?.id)]));
	const made = await database.sql`select n from ${allAttempts(database.sql)} a order by n`;
	expect(made.map(({ n }) => n)).toEqual([1, 2]);
	expect(await statuses()).toEqual(["delivered"]);
}, 120_000);

test("a holder that lost its lease records its attempts and decides nothing", async () => {
	const { endpointId } = await killLetters(2);
	const stale = await holdProbe();
	await letGo(database.sql, stale);
	receiver.answer = () => 500;
	await handlers()["webhook.probe"](stale);
	expect(await database.sql`select 1 from ${allAttempts(database.sql)} a`).toHaveLength(2);
	expect(await endpointOf(endpointId)).toMatchObject({ probe_failures: 0, probe_id: expect.any(String) });
});
