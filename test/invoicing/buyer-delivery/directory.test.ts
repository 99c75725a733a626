/** What the directory has said counts for a while, in all processes; who asks again sees that an address has changed. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Caller, Listing } from "../../../src/authority/client";
import { openDirectory } from "../../../src/invoicing/buyer-delivery";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;
let asked = 0;
let listing: Listing;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());
beforeEach(async () => {
	asked = 0;
	listing = listed("https://a.example/");
	await database.sql`delete from receiver_directory`;
});

const listed = (url: string): Listing => ({
	kind: "listed",
	receiver: { rnc: "101010101", name: "CLIENTE SRL", receptionUrl: url, approvalUrl: url },
});
const down: Listing = { kind: "unavailable", reason: "authority-timeout", detail: "" };
const open = () =>
	openDirectory<string>({
		sql: database.sql,
		authority: {
			findReceiver: async () => {
				asked++;
				return listing;
			},
		},
	});
const who = async (): Promise<Caller<string>> => ({ segment: "testecf", certificateId: "c", identity: "i" });
const ask = (isAgain = false, directory = open()) =>
	directory.findReceiver({ segment: "testecf", rnc: "101010101", who, isAgain });
const age = (hours: number) =>
	database.sql`update receiver_directory set asked_at = now() - make_interval(secs => ${hours * 3_600})`;

test("it is asked once for a day, by all processes and by all who ask at the same time", async () => {
	const directory = open();
	const answers = await Promise.all(Array.from({ length: 20 }, () => ask(false, directory)));
	expect(answers).toEqual(Array(20).fill(listing));
	expect(asked).toBe(1);
	await age(23.9);
	expect(await ask()).toEqual(listing);
	expect(asked).toBe(1);
	await age(24.1);
	listing = listed("https://b.example/");
	expect(await ask()).toEqual(listing);
	expect(asked).toBe(2);
});

test("an address that leads nowhere is asked for again, and a new one is seen", async () => {
	const before = await ask();
	listing = listed("https://b.example/");
	expect(await ask(true)).toEqual(before);
	await age(0.2);
	expect(await ask(true)).toEqual(listing);
	const [row] = await database.sql`select changed_at = asked_at as is_new, reception_url from receiver_directory`;
	expect(row).toEqual({ is_new: true, reception_url: "https://b.example/" });
});

test("an absence is valid for an hour, but not after a failed delivery", async () => {
	listing = { kind: "not-listed" };
	await ask();
	expect(await ask()).toEqual({ kind: "not-listed" });
	expect(asked).toBe(1);
	listing = listed("https://a.example/");
	await age(0.5);
	expect(await ask()).toEqual({ kind: "not-listed" });
	expect(await ask(true)).toEqual(listing);
	expect(await ask()).toEqual(listing);
});

test("while it is down its last word counts for a week, but an absence does not", async () => {
	const known = await ask();
	listing = down;
	await age(6 * 24);
	expect(await ask()).toEqual(known);
	await age(8 * 24);
	expect(await ask()).toEqual(down);
	await database.sql`update receiver_directory set reception_url = null, approval_url = null`;
	await age(2);
	expect(await ask()).toEqual(down);
});

test("an unavailable directory is left alone and no buyer counts as absent", async () => {
	listing = down;
	const directory = open();
	for (let n = 0; n < 5; n++) expect(await ask(false, directory)).toEqual(down);
	expect(await ask(false, directory)).toMatchObject({ kind: "unavailable", reason: "send-withdrawn" });
	expect(asked).toBe(5);
});

test("one segment's answer counts in no other", async () => {
	await ask();
	listing = { kind: "not-listed" };
	const there = { segment: "ecf" as const, rnc: "101010101", who };
	expect(await open().findReceiver(there)).toEqual({ kind: "not-listed" });
});
