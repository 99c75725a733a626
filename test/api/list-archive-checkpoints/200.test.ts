/** Checkpoints are public. */
import { beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { openNote, readVerifierKey } from "../../../src/archive/checkpoints";
import { buildInvoice, get, postInvoice, sharedService, type TestService, untilDecided } from "../../support/service";
import { documentOf } from "../support/documents";
import { untilArchived } from "../support/evidence";
import { tenantA } from "../support/tenants";

type Item = { number: number; size: number; previous: string; sha256: string; note: string; keyName: string };
type Page = {
	items: Item[];
	count: number;
	partial: boolean;
	next: string | null;
	keys: { name: string; key: string }[];
};

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
	await (await untilArchived(`/v1/invoices/${(await documentOf("accepted")).docId}/proof`)).body?.cancel();
	// One more: a document that no checkpoint covered.
	const tenant = await tenantA();
	const issued = await postInvoice(service, tenant, buildInvoice(tenant));
	const { docId } = (await issued.json()) as { docId: string };
	await untilDecided(service, tenant, docId, 120_000);
	await (await untilArchived(`/v1/invoices/${docId}/proof`)).body?.cancel();
}, 240_000);

const read = async (query: string) => (await (await get(service, `/v1/archive/checkpoints${query}`)).json()) as Page;

test("checkpoints are chained, never shrink, and are signed with a listed key", async () => {
	const { items, count, partial, next, keys } = await read("?limit=100");
	expect({ count, partial, next }).toEqual({ count: items.length, partial: false, next: null });
	expect(items.length).toBeGreaterThanOrEqual(2);
	const known = keys.map(({ key }) => readVerifierKey(key));
	let before = { sha256: "0".repeat(64), size: 0, number: 0 };
	for (const item of items) {
		expect(item.number).toBe(before.number + 1);
		expect(item.size).toBeGreaterThanOrEqual(before.size);
		expect(item.previous).toBe(before.sha256);
		expect(createHash("sha256").update(item.note).digest("hex")).toBe(item.sha256);
		expect(openNote(item.note, known).key.name).toBe(item.keyName);
		before = item;
	}
});

test("pages follow one another without a gap", async () => {
	const first = await read("?limit=1");
	expect(first).toMatchObject({ count: 1, partial: true, next: "1" });
	const second = await read(`?limit=1&after=${first.next}`);
	expect(second.items[0]?.number).toBe(2);
	expect(await read("?after=999999")).toMatchObject({ items: [], count: 0, partial: false, next: null });
});

test("nothing reveals whose documents they are", async () => {
	const text = JSON.stringify(await read("?limit=100"));
	expect(text).not.toContain((await tenantA()).tenantId);
});
