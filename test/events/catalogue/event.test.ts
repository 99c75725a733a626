import { expect, test } from "bun:test";
import { toEventBody } from "../../../src/events/catalogue/event";
import { EXTRA_EVENTS, SPECIFIED_EVENTS, wantsEvent } from "../../../src/events/webhooks";
import { newId } from "../../../src/platform/values";
import { acceptedEvent } from "../webhooks/tenant";

test("a body has the specification's five members first, then ours", () => {
	const event = acceptedEvent(newId());
	expect(toEventBody(event, 48_213)).toBe(
		`{"event":"invoice.accepted","docId":"${event.docId}","trackId":"${event.trackId}","tenantId":"${event.tenantId}",` +
			'"occurredAt":"2026-11-20T14:20:00.902Z","sequence":48213,"docVersion":4,"encf":"E310000000001",' +
			'"client_request_id":"POS7-2026-11-20-000123","status":"accepted","authority":{"code":"1"}}',
	);
});

test("what an event does not have is left out", () => {
	const bare = { event: "certificate.expiring", tenantId: newId(), docId: newId(), trackId: newId() } as const;
	const body = JSON.parse(toEventBody({ ...bare, occurredAt: new Date(), clientRequestId: null }, 1));
	expect(Object.keys(body)).toEqual(["event", "docId", "trackId", "tenantId", "occurredAt", "sequence"]);
});

test("a body over 8 KiB is refused before it is stored", () => {
	const long = acceptedEvent(newId(), { clientRequestId: "ñ".repeat(4_096) });
	expect(() => toEventBody(long, 1)).toThrow("over 8192");
});

test.each([
	["in ASCII whole", `https://erp.example/${"x".repeat(1_980)}`, 2_000],
	["of four bytes a character cut", `https://erp.example/${"😀".repeat(1_980)}`, 4_096],
	["of characters that JSON escapes whole", `https://erp.example/${'"'.repeat(1_980)}`, 2_000],
])("the longest URL that a webhook may have is told, one %s", (_, url, bytes) => {
	const disabled = { event: "webhook.disabled", tenantId: newId(), docId: newId(), trackId: newId() } as const;
	const webhook = { id: newId(), url, reason: "The endpoint answered 410 Gone." };
	const body = toEventBody({ ...disabled, occurredAt: new Date(), webhook }, Number.MAX_SAFE_INTEGER);
	const { webhook: told } = JSON.parse(body) as { webhook: typeof webhook };
	expect(url).toStartWith(told.url);
	expect(Buffer.byteLength(told.url)).toBe(bytes);
});

test("the specification's events go to wildcards, additions only to those who name them", () => {
	for (const name of SPECIFIED_EVENTS) {
		for (const pattern of [name, "invoice.*", "*"])
			expect([pattern, wantsEvent([pattern], name)]).toEqual([pattern, true]);
		expect(wantsEvent(["certificate.*", "invoice", "invoice.accept"], name)).toBe(false);
	}
	for (const name of EXTRA_EVENTS) {
		expect([name, wantsEvent(["*", "invoice.*", ...SPECIFIED_EVENTS], name)]).toEqual([name, false]);
		expect([name, wantsEvent(["invoice.*", name], name)]).toEqual([name, true]);
	}
	expect(wantsEvent(["certificate.*"], "certificate.expired")).toBe(true);
	expect(wantsEvent([], "invoice.accepted")).toBe(false);
});
