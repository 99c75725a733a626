import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { findEarlierSealing, isEarlier } from "../../../src/archive/documents/archive-document";
import { readManifest, type SealParts, sealDocument, toZip } from "../../../src/archive/documents/seal";
import { sealedObjectKey, sha256Hex } from "../../../src/archive/object-store/archive";

const at = new Date("2026-11-20T15:00:00.000Z");
const after = new Date("2026-11-20T15:00:01.000Z");
const answer = (body: string, operation = "result", when = at) => ({
	at: when,
	operation,
	httpStatus: 200,
	mediaType: "text/xml",
	body,
});
const event = (version: number, when = at) => ({ version, at: when.toISOString() });
const parts: SealParts = {
	docId: "0192f180-7a00-7b11-9c22-334455667788",
	tenantId: "0192f180-7a00-7b11-9c22-334455667789",
	...{ environment: "sandbox", encf: "E310000000001", type: "31", status: "accepted" },
	decidedAt: at,
	retainUntil: new Date("2036-11-20T15:00:00.000Z"),
	ecf: Buffer.from("<ECF/>"),
	request: "{}",
	answers: [answer("<one/>")],
	events: [event(1)],
};
const seal = (over: Partial<SealParts> = {}) => sealDocument({ ...parts, ...over });
const later = seal({
	answers: [...parts.answers, answer("<two/>", "result", after)],
	events: [...parts.events, event(2, after)],
});

test("the same object, and one before a later answer and event, are earlier sealings", () => {
	expect(isEarlier(seal(), later)).toBe(true);
	expect(isEarlier(later, later)).toBe(true);
	expect(isEarlier(later, seal())).toBe(false);
});

describe("a sealing with another part is not an earlier one:", () => {
	const others: Readonly<Record<string, Partial<SealParts>>> = {
		"another document": { docId: "0192f180-7a00-7b11-9c22-33445566778a" },
		"another tenant": { tenantId: "0192f180-7a00-7b11-9c22-33445566778a" },
		"another environment": { environment: "production" },
		"another number": { encf: "E310000000002" },
		"another verdict": { status: "rejected" },
		"another moment": { decidedAt: new Date("2026-11-20T15:00:00.001Z") },
		"kept for another time": { retainUntil: new Date("2026-11-21T15:00:00.000Z") },
		"other signed bytes": { ecf: Buffer.from("<ECF></ECF>") },
		"a summary besides": { summary: Buffer.from("<RFCE/>") },
		"another request": { request: '{"a":1}' },
		"another answer": { answers: [answer("<forged/>")] },
		"an answer of another operation": { answers: [answer("<one/>", "submit")] },
		"another event": { events: [event(9)] },
		"no answer of before the decision": { answers: [] },
		"no event of before the decision": { events: [] },
		"events that are none": { events: [null as never] },
	};
	test.each(Object.entries(others))("%s", (_, over) => expect(isEarlier(seal(over), later)).toBe(false));

	test("nor is a damaged one, or one without its parts", () => {
		expect(isEarlier(seal().subarray(0, -30), later)).toBe(false);
		expect(isEarlier(Buffer.from("no ZIP"), later)).toBe(false);
		const whole = readManifest(seal());
		const made = (manifest: object, events?: string) =>
			toZip([
				["manifest.json", Buffer.from(JSON.stringify(manifest))],
				...(events === undefined ? [] : [["events.json", Buffer.from(events)] as [string, Uint8Array]]),
			]);
		const sha256 = (text: string) => ({ "events.json": createHash("sha256").update(text).digest("hex") });
		expect(isEarlier(made({ ...whole, sha256: {} }), later)).toBe(false);
		expect(isEarlier(made({ ...whole, answers: undefined, sha256: sha256("[]") }, "[]"), later)).toBe(false);
		expect(isEarlier(made({ ...whole, answers: [], sha256: sha256("{") }, "{"), later)).toBe(false);
		expect(isEarlier(made({ ...whole, answers: [], sha256: sha256("{}") }, "{}"), later)).toBe(false);
	});
});

test("an object is accepted only under the key of its digest", async () => {
	const sealed = seal();
	const inStore = (objectKey: string, bytes = sealed.length) => ({
		list: async function* () {
			yield { key: objectKey, bytes };
		},
		get: async () => sealed,
	});
	const own = sealedObjectKey({ ...parts, sha256: sha256Hex(sealed) });
	const found = await findEarlierSealing(inStore(own), parts, later);
	expect(found?.objectKey).toBe(own);
	expect(
		await findEarlierSealing(inStore(own.replace(/.{16}\.zip$/, "0000000000000000.zip")), parts, later),
	).toBeUndefined();
	expect(await findEarlierSealing(inStore(own, 65 * 1024 * 1024), parts, later)).toBeUndefined();
});
