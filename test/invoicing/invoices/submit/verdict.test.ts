/** Two holders get contradicting verdicts on one document: the first one written stands, and an operator is notified. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Rejected, Verdict } from "../../../../src/authority/client";
import { LeaseLostError } from "../../../../src/platform/outbox";
import { createMetrics } from "../../../../src/platform/telemetry";
import { openTestDatabase, type TestDatabase } from "../../../support/database";
import { addCompany, addInvoice, holdMessageOf, openSubmit, readInvoice, takeStep } from "../../../support/submission";
import { scriptAuthority } from "../support/scripted-authority";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

const accepted = { kind: "accepted", conditional: false, code: "1", messages: [], sequenceConsumed: true } as const;
const rejected: Rejected = {
	kind: "rejected",
	code: "2",
	messages: [{ code: "2", text: "texto" }],
	sequenceConsumed: true,
	duplicate: false,
	retryable: false,
};

/** What stands and what was counted after one holder got `first` while another one waited with `second`. */
async function decideTwice(first: Verdict, second: Verdict) {
	const { sql } = database;
	const { docId } = await addInvoice(sql, await addCompany(sql));
	const metrics = createMetrics();
	const { authority } = scriptAuthority({
		submit: [{ kind: "received", trackId: `t-${docId}` }],
		// The first question of all may come with the reception.
		queryResult: [{ kind: "in-process" }, first],
	});
	const quick = openSubmit(sql, authority, metrics);
	const doubting: typeof authority = {
		...authority,
		async queryResult() {
			while ((await readStatus(docId)) === "pending") await takeStep(sql, quick, docId);
			return second;
		},
	};
	const slow = openSubmit(sql, doubting, metrics);
	await takeStep(sql, quick, docId);
	const message = await holdMessageOf(sql, docId);
	if (!message) throw new Error("the document has no message");
	const ending = await slow(message).catch((error: unknown) => error);
	const counted = (await metrics.verdictContradictions.get()).values[0]?.value ?? 0;
	return { ending, status: await readStatus(docId), counted };
}

async function readStatus(docId: string): Promise<string> {
	return (await readInvoice(database.sql, docId)).status;
}

for (const [first, second, status] of [
	[accepted, rejected, "accepted"],
	[rejected, accepted, "rejected"],
] as const) {
	test(`${first.kind} stands when ${second.kind} comes later, and that is counted`, async () => {
		const result = await decideTwice(first, second);
		expect(result.ending).toBeInstanceOf(LeaseLostError);
		expect(result).toMatchObject({ status, counted: 1 });
	});
}

test("equal verdicts, and a number used by the document itself, do not contradict", async () => {
	expect(await decideTwice(accepted, accepted)).toMatchObject({ status: "accepted", counted: 0 });
	expect(await decideTwice(accepted, { ...rejected, duplicate: true })).toMatchObject({
		status: "accepted",
		counted: 0,
	});
});
