/** A test set through deaths, doubles and changes of mind: nothing is sent twice, and nothing that should not be. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { changeStatus, type StatusChange } from "../../../src/companies";
import { ECF_TYPES } from "../../../src/ecf/mapping";
import { operatorActor } from "../../../src/identity/audit-log";
import { hasPassedTestSet } from "../../../src/invoicing/certification";
import { cancelSet, retrySet } from "../../../src/invoicing/certification/ask-for-set";
import { findCases } from "../../../src/invoicing/certification/store";
import { systemClock } from "../../../src/platform/values";
import { anIdentity } from "../../ecf/signing/samples";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { standings } from "../../support/documents";
import { letGo } from "../../support/held-messages";
import { addCompany, addInvoice } from "../../support/submission";
import { until } from "../../support/until";
import {
	acceptAll,
	addSet,
	holdMessage,
	listInvoices,
	openHandler,
	readSet,
	takeStep,
	takeStepsUntil,
} from "./support/steps";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

const doer = () => ({ actor: operatorActor(), at: systemClock.now() });

const ENCFS = ["E310000000004", "E410000000014", "E340000000012", "E340000000013"];

test("with crashes after every write each document is stored and sent once", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const id = await addSet(sql, tenantId);
	const handler = await openHandler(sql);
	for (let steps = 0; steps < 60 && (await readSet(sql, id)).status !== "passed"; steps++) {
		await takeStep(sql, handler, id, false);
		await acceptAll(sql, id);
	}
	expect(await readSet(sql, id)).toMatchObject({ status: "passed", run: 1, failure: null });
	expect(await listInvoices(sql, id)).toEqual(ENCFS);
	const [row] =
		await sql`select count(*)::int as count from outbox where tenant_id = ${tenantId} and kind = 'invoice.submit'`;
	expect(row).toEqual({ count: 4 });
	const events = await sql`select event, doc_id as "docId" from events where tenant_id = ${tenantId}`;
	expect([...events]).toEqual([{ event: "certification.completed", docId: id }]);
	// A part of the set opens nothing.
	expect(await hasPassedTestSet(sql, tenantId, "staging")).toBe(false);
	await sql`update test_sets set types = ${JSON.stringify(ECF_TYPES)}::text::json where id = ${id}`;
	expect(await hasPassedTestSet(sql, tenantId, "staging")).toBe(true);
	expect(await hasPassedTestSet(sql, tenantId, "production")).toBe(false);
}, 120_000);

test("one message carried out twice at once signs one run and sends one document", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const id = await addSet(sql, tenantId);
	const handler = await openHandler(sql);
	// Two at once take one step, or the second finds the first one's done and takes the next.
	while ((await readSet(sql, id)).status !== "submitting") {
		const message = await holdMessage(sql, id);
		if (!message) throw new Error("expected the set's message");
		await Promise.all([handler(message), handler(message)]);
	}
	expect(await findCases(sql, { tenantId, id, run: 1 })).toHaveLength(4);
	const message = await holdMessage(sql, id);
	if (!message) throw new Error("expected the set's message");
	await Promise.all([handler(message), handler(message), handler(message)]);
	expect(await listInvoices(sql, id)).toEqual(ENCFS.slice(0, 1));
}, 120_000);

test("a holder that has lost its message writes nothing", async () => {
	const { sql } = database;
	const id = await addSet(sql, await addCompany(sql));
	const handler = await openHandler(sql);
	const stale = await holdMessage(sql, id);
	if (!stale) throw new Error("expected the set's message");
	await letGo(sql, stale);
	await expect(handler(stale)).rejects.toThrow("no longer held");
	expect((await readSet(sql, id)).status).toBe("pending");
}, 120_000);

test("a set cancelled while signing stores nothing, and later sends nothing more", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const id = await addSet(sql, tenantId);
	const identity = await anIdentity();
	const cancel = (setId: string) => sql.begin((tx) => cancelSet(tx, tenantId, setId, doer()));
	let isCancelled: Promise<unknown> | undefined;
	const handler = await openHandler(sql, {
		openKey: () => {
			isCancelled ??= cancel(id);
			return identity;
		},
	});
	await takeStep(sql, handler, id);
	const message = await holdMessage(sql, id);
	if (!message) throw new Error("expected the set's message");
	await handler(message);
	await isCancelled;
	const cases = await findCases(sql, { tenantId, id, run: 1 });
	// The cancellation came first, or right behind the write: then everything is withdrawn.
	expect(cases.filter(({ status }) => status !== "withdrawn")).toEqual([]);
	expect((await readSet(sql, id)).status).toBe("cancelled");
	expect(await listInvoices(sql, id)).toEqual([]);

	const other = await addSet(sql, tenantId);
	const plain = await openHandler(sql);
	for (let n = 0; n < 3; n++) await takeStep(sql, plain, other);
	const sent = await listInvoices(sql, other);
	expect(sent).toHaveLength(1);
	await cancel(other);
	await acceptAll(sql, other);
	for (let n = 0; n < 3; n++) await takeStep(sql, plain, other);
	expect(await listInvoices(sql, other)).toEqual(sent);
	expect((await findCases(sql, { tenantId, id: other, run: 1 })).map(({ status }): string => status).sort()).toEqual([
		...["accepted", "withdrawn", "withdrawn", "withdrawn"],
	]);
	expect(await holdMessage(sql, other)).toBeUndefined();
}, 120_000);

test.each(["suspended", "closed"] as const)(
	"a set of a company that is %s stands still until it is resumed",
	async (status) => {
		const { sql } = database;
		const tenantId = await addCompany(sql);
		const access = { retireClients: async () => undefined };
		const change = (to: StatusChange) => changeStatus({ sql, access }, tenantId, to, doer());
		const stop = () => change(status === "closed" ? "close" : "suspend");
		const id = await addSet(sql, tenantId);
		const handler = await openHandler(sql);
		await stop();
		for (let n = 0; n < 3; n++) await takeStep(sql, handler, id);
		expect((await readSet(sql, id)).status).toBe("pending");
		await change("resume");
		for (let n = 0; n < 3; n++) await takeStep(sql, handler, id);
		expect(await listInvoices(sql, id)).toEqual(ENCFS.slice(0, 1));

		await stop();
		await acceptAll(sql, id);
		for (let n = 0; n < 3; n++) await takeStep(sql, handler, id);
		// The verdict on what was sent is noted, and nothing is withdrawn.
		expect((await findCases(sql, { tenantId, id, run: 1 })).map((one): string => one.status).sort()).toEqual([
			...["accepted", "generated", "generated", "generated"],
		]);
		expect(await listInvoices(sql, id)).toHaveLength(1);
		await change("resume");
		await takeStepsUntil(sql, handler, id, "passed", () => acceptAll(sql, id));
		expect(await listInvoices(sql, id)).toEqual(ENCFS);
	},
	120_000,
);

test("a suspension during sending leaves the document sent or not sent", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const id = await addSet(sql, tenantId);
	const handler = await openHandler(sql);
	await takeStepsUntil(sql, handler, id, "submitting");
	const message = await holdMessage(sql, id);
	if (!message) throw new Error("expected the set's message");
	const suspending = Promise.withResolvers<void>();
	const looked = Promise.withResolvers<void>();
	const suspended = sql.begin(async (tx) => {
		await tx`update companies set status = 'suspended' where tenant_id = ${tenantId}`;
		suspending.resolve();
		await looked.promise;
	});
	await suspending.promise;
	const handled = handler(message);
	await until(async () => {
		const waiting = await sql`
			select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
		return waiting.length > 0;
	});
	looked.resolve();
	await Promise.all([suspended, handled]);
	expect(await listInvoices(sql, id)).toEqual([]);
}, 120_000);

test("a run that fails the service's checks uses no number", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	await sql`update signing_certificates set not_after = now() - interval '1 hour' where tenant_id = ${tenantId}`;
	const id = await addSet(sql, tenantId);
	const handler = await openHandler(sql);
	await takeStepsUntil(sql, handler, id, "failed");
	expect(await readSet(sql, id)).toMatchObject({ failure: { case: "E31-04", code: "tenant-config-missing" } });
	expect(await findCases(sql, { tenantId, id, run: 1 })).toEqual([]);
	await sql`update signing_certificates set not_after = now() + interval '1 year' where tenant_id = ${tenantId}`;
	await sql.begin((tx) => retrySet(tx, tenantId, id, doer()));
	await takeStepsUntil(sql, handler, id, "submitting");
	expect((await findCases(sql, { tenantId, id, run: 2 })).map(({ encf }) => encf).sort()).toEqual(ENCFS.toSorted());
}, 120_000);

test("an internal failure ends the run like a rejection, and there are five runs", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const id = await addSet(sql, tenantId, ["31"]);
	const handler = await openHandler(sql);
	for (let run = 1; run <= 5; run++) {
		await takeStepsUntil(sql, handler, id, "failed", async () => {
			await sql`
				insert into open_documents (tenant_id, doc_id, status, phase, sendings, attempts, failure, version, updated_at)
				select tenant_id, doc_id, 'f', 'decided', '[]', 0, '{"code":"internal-failure","detail":"Broken."}', 2, now()
				from ${standings(sql)} i where test_set_id = ${id} and status = 'pending'`;
		});
		expect(await readSet(sql, id)).toMatchObject({ run, failure: { case: "E31-01", code: "internal-failure" } });
		if (run < 5) await sql.begin((tx) => retrySet(tx, tenantId, id, doer()));
	}
	await expect(sql.begin((tx) => retrySet(tx, tenantId, id, doer()))).rejects.toThrow("All 5 runs are used up");
	expect(await listInvoices(sql, id)).toHaveLength(5);
}, 120_000);

test("a company that issues in certification gets no number twice", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	await sql`update companies set authority_environment = 'certification' where tenant_id = ${tenantId}`;
	await addInvoice(sql, tenantId, { type: "31", encf: "E310000000003", environment: "c" });
	const id = await addSet(sql, tenantId, ["31"]);
	const handler = await openHandler(sql);
	for (let n = 0; n < 3; n++) await takeStep(sql, handler, id);
	expect(await listInvoices(sql, id)).toEqual(["E310000000004"]);
	const holders = await sql`
		select encf from ${standings(sql)} i where tenant_id = ${tenantId} and not is_released order by encf`;
	expect(holders.map(({ encf }) => encf)).toEqual(["E310000000003", "E310000000004"]);
}, 120_000);
