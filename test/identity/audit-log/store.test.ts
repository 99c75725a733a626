import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AuditEntry, countSince, operatorActor, recordAudit } from "../../../src/identity/audit-log";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

const keyId = newId();
const entry = (over: Partial<AuditEntry> = {}): AuditEntry => ({
	at: new Date("2026-11-20T15:10:00.000Z"),
	actor: { keyId, ownerId: newId(), tenantId: newId(), address: "192.0.2.7", requestId: "request-1" },
	action: "test.done",
	subject: newId(),
	details: { legal_basis: "court-order", times: 3, first: true, left: null },
	...over,
});
const record = (one: AuditEntry) => database.sql.begin((tx) => recordAudit(tx, one));

test("an entry holds all that was recorded", async () => {
	const one = entry();
	await record(one);
	const [row] = await database.sql`select * from audit where subject = ${one.subject}`;
	const { keyId: key_id, ownerId: owner_id, tenantId: tenant_id, address, requestId: request_id } = one.actor;
	const { at, action, subject, details } = one;
	expect({ ...row, id: "" }).toMatchObject({
		...{ id: "", at, key_id, owner_id, tenant_id, address, action, subject, request_id, details },
	});
});

test("an operator has no key, but an account and a machine", async () => {
	const one = entry({ actor: operatorActor() });
	await record(one);
	const [row] = await database.sql`select key_id, tenant_id, address from audit where subject = ${one.subject}`;
	expect(row).toMatchObject({ key_id: null, tenant_id: null, address: expect.stringMatching(/^[^@]+@.+$/) });
});

test("an entry does not exist when its action did not happen", async () => {
	const one = entry();
	const failing = database.sql.begin(async (tx) => {
		await recordAudit(tx, one);
		throw new Error("did not happen");
	});
	await expect(failing).rejects.toThrow("did not happen");
	expect((await database.sql`select 1 from audit where subject = ${one.subject}`).length).toBe(0);
});

test.each([
	["update audit set action = 'nothing'", "UPDATE"],
	["delete from audit", "DELETE"],
	["truncate audit", "TRUNCATE"],
])("%s is refused by the database, from its owner too", async (statement, verb) => {
	await record(entry());
	const before = await database.sql`select * from audit order by id`;
	await expect(database.owner.unsafe(statement)).rejects.toThrow(
		new RegExp(`^${verb} on audit(_\\w+)? is not allowed`),
	);
	expect([...(await database.sql`select * from audit order by id`)]).toEqual([...before]);
});

test("what a key did is counted from a moment on, by action, and of others nothing", async () => {
	const own = newId();
	const minutes = (n: number) => new Date(Date.parse("2026-11-20T16:00:00.000Z") + n * 60_000);
	const did = (action: string, at: Date, by = own) =>
		record(entry({ actor: { keyId: by, address: "192.0.2.7" }, action, at }));
	for (const at of [0, 10, 20, 30]) await did("a.b", minutes(at));
	await did("a.c", minutes(15));
	await did("a.d", minutes(15));
	await did("a.b", minutes(15), newId());
	const count = (actions: string[], since: Date) =>
		database.sql.begin((tx) => countSince(tx, { keyIds: [own], turnIds: [own] }, actions, since));
	expect(await count(["a.b"], minutes(10))).toEqual({ times: 2, firstAt: minutes(20) });
	expect(await count(["a.b", "a.c"], minutes(-1))).toEqual({ times: 5, firstAt: minutes(0) });
	expect(await count(["a.b"], minutes(40))).toEqual({ times: 0, firstAt: null });
});
