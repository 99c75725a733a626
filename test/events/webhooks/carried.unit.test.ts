/** Deliveries of a document that a lane carries have no message's row until they fail, and are found again when the lane ends. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { createDeliver, enqueueEvents, findUndelivered } from "../../../src/events/webhooks";
import { listDeliveries } from "../../../src/events/webhooks/deliveries/store";
import {
	type Dispatcher,
	done,
	type Handled,
	type LocalDispatch,
	type LoggedWork,
	startDispatcher,
	withoutRows,
} from "../../../src/platform/outbox";
import { createLog, createMetrics } from "../../../src/platform/telemetry";
import { newId, systemClock } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { allDeliveries } from "../../support/deliveries";
import { until } from "../../support/until";
import { type Receiver, startReceiver } from "./receiver";
import { acceptedEvent, addEndpoint, addTenant, envelope } from "./tenant";

let database: TestDatabase;
let receiver: Receiver;
let tenantId: string;
let dispatchers: Dispatcher[] = [];

beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
	await database.owner`truncate work_log`;
	receiver = await startReceiver();
	tenantId = await addTenant(database.sql);
	receiver.secret = (await addEndpoint(database.sql, tenantId, receiver.url)).secret;
});
afterEach(async () => {
	await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop(0)));
	dispatchers = [];
	await receiver.close();
});

const log = createLog("silent", "test");

const findLeft: LoggedWork["findLeft"] = async (sql, documents) => {
	const decided = await sql<{ docId: string }[]>`select doc_id as "docId" from events where tenant_id = ${tenantId}`;
	const undecided = documents.filter(({ docId }) => !decided.some((one) => one.docId === docId));
	const own = undecided.map(({ docId: subject }) => ({ kind: "invoice.submit", tenantId, subject }));
	return withoutRows(sql, [...own, ...(await findUndelivered(sql, documents))]);
};

/** A lane that decides documents and delivers their events. `go` says how it goes on after the commit of a verdict. */
function dispatch(go: (local: LocalDispatch) => Promise<Handled>): Dispatcher {
	const { sql } = database;
	const dispatcher = startDispatcher({
		...{ sql, log, metrics: createMetrics(), slots: 8, leaseSeconds: 5, lane: { lookEveryMs: 20, restSeconds: 0 } },
		work: {
			...{ first: "invoice.submit", last: "invoice.archive", besides: ["webhook.deliver"] },
			findLeft,
		},
		handlers: {
			"invoice.submit": async ({ subject }) => {
				const local = dispatcher.openLocalDispatch();
				const events = [acceptedEvent(tenantId, { docId: subject })];
				const archiving = { kind: "invoice.archive", tenantId, subject };
				await sql.begin((tx) => enqueueEvents(tx, events, [archiving], local));
				return go(local);
			},
			"invoice.archive": async () => done,
			"webhook.deliver": createDeliver({
				...{ sql, envelope, clock: systemClock, log, timeScale: 0.005 },
				policy: { environment: "sandbox", allow: new Set([receiver.host]) },
			}),
		},
	});
	dispatchers.push(dispatcher);
	return dispatcher;
}

const goOn = async (local: LocalDispatch) => {
	local.start();
	return done;
};

async function logDocument(): Promise<void> {
	await database.sql`
		insert into work_log (id, shard, tenant_id, doc_ids) values (${newId()}, shard_of(${tenantId}), ${tenantId}, ${[newId()]}::uuid[])`;
}

const messages = () => database.sql`select kind, subject, failures from outbox where tenant_id = ${tenantId}`;
const deliveries = () =>
	database.sql`select d.id, d.status from ${allDeliveries(database.sql)} d where tenant_id = ${tenantId}`;
const listPending = () => listDeliveries(database.sql, tenantId, { status: "pending" }, 10);

test("a first attempt has no row, a retry has one, and both are listed", async () => {
	const answers: ((status: number) => void)[] = [];
	receiver.answer = () => (response) => answers.push((status) => response.writeHead(status).end());
	await dispatch(goOn).ready;
	await logDocument();
	await until(() => answers.length === 1);
	const [delivery] = await deliveries();
	expect(await messages()).toHaveLength(0);
	expect((await listPending()).map(({ id }) => id)).toEqual([delivery?.id]);
	answers[0]?.(500);
	await until(() => answers.length === 2);
	expect([...(await messages())]).toEqual([{ kind: "webhook.deliver", subject: delivery?.id, failures: 1 }]);
	expect((await deliveries())[0]).toEqual({ id: delivery?.id, status: "failed" });
	answers[1]?.(204);
	await until(async () => (await deliveries())[0]?.status === "delivered" && (await messages()).length === 0);
	expect(receiver.received.map(({ headers }) => headers["x-service-attempt"])).toEqual(["1", "2"]);
});

test("a lane that ends between the verdict and the delivery leaves it to the next", async () => {
	const committed = Promise.withResolvers<void>();
	const lost = dispatch(() => {
		committed.resolve();
		return new Promise(() => undefined);
	});
	await lost.ready;
	await logDocument();
	await committed.promise;
	await lost.stop(0);
	const [delivery] = await deliveries();
	expect(delivery?.status).toBe("pending");
	expect(await messages()).toHaveLength(0);
	dispatch(goOn);
	await until(async () => (await deliveries())[0]?.status === "delivered");
	expect(receiver.received.map(({ headers }) => headers["x-service-delivery"])).toEqual([delivery?.id]);
	expect(await messages()).toHaveLength(0);
	expect(await listPending()).toEqual([]);
});
