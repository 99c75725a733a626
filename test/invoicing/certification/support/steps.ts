/** A test set in a database, its message carried out step by step, by hand. */

import type { EcfType } from "../../../../src/ecf/mapping";
import { type CertificationDeps, createAdvance } from "../../../../src/invoicing/certification";
import type { TestSetStatus } from "../../../../src/invoicing/certification/machine";
import { findSet, insertSet } from "../../../../src/invoicing/certification/store";
import type { TestSetRow } from "../../../../src/invoicing/certification/test-set";
import type { Sql } from "../../../../src/platform/database";
import { append, type Handler, type Message, OUTBOX_KINDS } from "../../../../src/platform/outbox";
import { settleMessages } from "../../../../src/platform/outbox/store";
import { newId, systemClock } from "../../../../src/platform/values";
import { anIdentity } from "../../../ecf/signing/samples";
import { standings } from "../../../support/documents";
import { holdMessages } from "../../../support/held-messages";
import { decide } from "../../../support/submission";

export async function addSet(
	sql: Sql,
	tenantId: string,
	types: readonly EcfType[] = ["34"],
	mode: "authority" | "simulate" = "authority",
): Promise<string> {
	const id = newId();
	await sql.begin(async (tx) => {
		await insertSet(tx, {
			...{ id, tenantId, environment: "staging", mode, types, niche: "retail", startNumber: null },
			...{ buyer: { rnc: "990000020", name: "PROVEEDOR DE PRUEBA SRL" }, runsMax: 5 },
		});
		await append(tx, { kind: OUTBOX_KINDS.advanceTestSet, tenantId, subject: id });
	});
	return id;
}

export async function openHandler(sql: Sql, change: Partial<CertificationDeps> = {}): Promise<Handler> {
	const identity = await anIdentity();
	const base = "https://authority.example";
	return createAdvance({
		...{ sql, environment: "sandbox", clock: systemClock, wake: () => undefined, openKey: () => identity },
		authorityUrls: { main: base, fc: base, status: base },
		openStage: () => Promise.reject(new Error("no rehearsal is expected here")),
		...change,
	});
}

/** Takes the set's message for a new lane, due or not. */
export async function holdMessage(sql: Sql, setId: string): Promise<Message | undefined> {
	const [message] = await holdMessages(sql, setId, OUTBOX_KINDS.advanceTestSet);
	return message;
}

/** One step; `isSettled` false leaves the message as a holder does that dies right behind its last write. */
export async function takeStep(sql: Sql, handler: Handler, setId: string, isSettled = true): Promise<boolean> {
	const message = await holdMessage(sql, setId);
	if (!message) return false;
	const handled = await handler(message);
	if (isSettled && handled.kind !== "settled") await settleMessages(sql, [{ message, outcome: handled }]);
	return true;
}

const STEPS_MAX = 60;

/** Steps until the set has got there; `between` is what the world does after each. */
export async function takeStepsUntil(
	sql: Sql,
	handler: Handler,
	setId: string,
	status: TestSetStatus,
	between: () => Promise<unknown> = async () => undefined,
): Promise<void> {
	for (let steps = 0; steps < STEPS_MAX; steps++) {
		if ((await readSet(sql, setId)).status === status) return;
		await takeStep(sql, handler, setId);
		await between();
	}
	throw new Error(`expected the set to be ${status}, got ${JSON.stringify(await readSet(sql, setId))}`);
}

export async function readSet(sql: Sql, id: string): Promise<TestSetRow> {
	const [owner] = await sql<{ tenantId: string }[]>`select tenant_id as "tenantId" from test_sets where id = ${id}`;
	const row = owner && (await findSet(sql, owner.tenantId, id));
	if (!row) throw new Error(`expected test set ${id}`);
	return row;
}

/** Numbers of the set's documents that are invoices, in the order in which they became it. */
export async function listInvoices(sql: Sql, setId: string): Promise<string[]> {
	const rows = await sql<{ encf: string }[]>`
		select i.encf from documents i join test_set_cases c on c.doc_id = i.doc_id
		where i.test_set_id = ${setId} order by c.sent_at, i.encf`;
	return rows.map(({ encf }) => encf);
}

/** The authority accepts what is on its way. */
export async function acceptAll(sql: Sql, setId: string): Promise<void> {
	const waiting = await sql<{ tenantId: string; docId: string }[]>`
		select tenant_id as "tenantId", doc_id as "docId" from ${standings(sql)} i where test_set_id = ${setId} and status = 'pending'`;
	await decide(sql, waiting);
}
