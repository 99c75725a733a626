import { beforeAll, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { EVENT_SCHEMAS } from "../../../src/events/catalogue";
import {
	buildInvoice,
	createTenant,
	get,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
} from "../../support/service";
import { sendVerdict } from "../support/deliveries";
import { uuid } from "../support/tenants";
import { createWebhook } from "../support/webhooks";

type Event = { readonly id: string; readonly sequence: number; readonly event: string; readonly docId: string };
type Page = { readonly events: Event[]; readonly count: number; readonly partial: boolean; readonly next: string };

let service: TestService;
let tenant: Tenant;
const docIds: string[] = [];
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
	await createWebhook(service, tenant);
	for (let n = 0; n < 3; n++) docIds.push(await sendVerdict(service, tenant));
}, 120_000);

/** The cursor of the nth event. */
const nextOf = (n: number) => expect.stringMatching(new RegExp(`^${n}-[0-9a-f]{8}$`));

const read = async (query = "", who = tenant) => {
	const answer = await get(service, `/v1/events${query}`, who.headers);
	expect(answer.status).toBe(200);
	expect(answer.headers.get("cache-control")).toContain("no-store");
	return (await answer.json()) as Page;
};

test("events are in order, with the webhooks' bodies and their own ids", async () => {
	const page = await read();
	expect(page).toMatchObject({ count: 3, partial: false, next: nextOf(3) });
	expect(page.events.map(({ docId }) => docId)).toEqual(docIds);
	expect(page.events.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
	for (const { id, ...body } of page.events) {
		expect(id).toMatch(uuid);
		// Others' tests send it what is no JSON.
		const sent = service.receiver.received.find((one) => one.body.toString().includes(`"docId":"${body.docId}"`));
		expect(JSON.parse(sent?.body.toString() ?? "{}")).toEqual(body);
		expect([...Value.Errors(EVENT_SCHEMAS["invoice.accepted"], body)]).toEqual([]);
	}
});

test("pages have no gaps or duplicates, and nothing follows the last", async () => {
	const first = await read("?limit=2");
	expect([first.count, first.partial, first.next]).toEqual([2, true, nextOf(2)]);
	const second = await read(`?limit=2&after=${first.next}`);
	expect([second.count, second.partial, second.next]).toEqual([1, false, nextOf(3)]);
	expect(await read(`?after=${second.next}`)).toEqual({ events: [], count: 0, partial: false, next: nextOf(3) });
});

test("types are names and families; what is passed over is passed over for good", async () => {
	expect((await read("?types=invoice.accepted")).count).toBe(3);
	expect((await read("?types=certificate.*,invoice.*")).count).toBe(3);
	expect(await read("?types=invoice.rejected")).toEqual({ events: [], count: 0, partial: false, next: nextOf(3) });
	// An underscore is no wildcard.
	expect((await read("?types=invoice._ccepted")).count).toBe(0);
});

test("another company has a feed of its own", async () => {
	expect(await read("", await createTenant(service))).toEqual({ events: [], count: 0, partial: false, next: "0" });
});

test("who waits is answered as soon as something happens", async () => {
	const own = await createTenant(service);
	const waiting = read("?wait=25", own);
	const posted = await postInvoice(service, own, buildInvoice(own));
	const { docId } = (await posted.json()) as { docId: string };
	expect(await waiting).toMatchObject({ count: 1, events: [{ event: "invoice.accepted", docId }], next: nextOf(1) });
});

test("latest is the place behind all that has happened", async () => {
	expect(await read("?after=latest")).toEqual({ events: [], count: 0, partial: false, next: nextOf(3) });
	expect(await read("?after=latest", await createTenant(service))).toMatchObject({ count: 0, next: "0" });
});

test("who waits in vain is answered with nothing and the same place", async () => {
	expect(await read("?after=3&wait=1")).toEqual({ events: [], count: 0, partial: false, next: nextOf(3) });
});

test("a cursor marks its event, and the sequence alone is the same position", async () => {
	const { events } = await read();
	const cursors = await Promise.all(
		events.map(async ({ sequence }) => (await read(`?limit=1&after=${sequence - 1}`)).next),
	);
	expect(cursors).toEqual(events.map(({ id, sequence }) => `${sequence}-${id.slice(-8)}`));
	for (const cursor of cursors)
		expect(await read(`?after=${cursor}`)).toEqual(await read(`?after=${Number.parseInt(cursor, 10)}`));
});
