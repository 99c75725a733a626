import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { examineRandomInvoices } from "../../../scripts/random/examine";
import { randomInvoice } from "../../../scripts/random/random-invoice";
import { InvoiceRequest } from "../../../src/ecf/mapping";
import { isXmlText } from "../../../src/platform/values";
import { createChance } from "../../support/chance";
import { FORBIDDEN, hostileText } from "../../support/hostile-text";
import { anIdentity } from "./samples";

const folder = await mkdtemp(join(tmpdir(), "sello-random-"));
afterAll(() => rm(folder, { recursive: true }));

describe("random invoices of all types", () => {
	test("are accepted, signed, verified and valid, and refused with a forbidden character", async () => {
		const count = 30;
		const examined = await examineRandomInvoices({ seed: 1, count, folder, identity: await anIdentity() });
		const { violations, byType, refusedAtTheDoor, documents, verified, verifiedByJdk, valid, excused } = examined;
		expect(violations).toEqual([]);
		expect(Object.values(byType)).toEqual([5, 5, 5, 5, 5, 5]);
		expect(refusedAtTheDoor).toBe(count);
		expect(documents).toBeGreaterThanOrEqual(count);
		expect(verified ?? documents).toBe(documents);
		expect(verifiedByJdk ?? documents).toBe(documents);
		expect(valid ?? documents - excused).toBe(documents - excused);
	}, 120_000);

	test("are the same for the same seed, and others for another", () => {
		const series = (seed: number) => JSON.stringify([1, 2, 3].map((number) => randomInvoice(seed, number)));
		expect(series(5)).toBe(series(5));
		expect(series(5)).not.toBe(series(6));
	});

	test("have every optional member sooner or later, and as many lines as a type allows", () => {
		const invoices = Array.from({ length: 300 }, (_, number) => randomInvoice(1, number));
		const members = (values: readonly object[]) => new Set(values.flatMap((value) => Object.keys(value)));
		const missing = (known: object, seen: ReadonlySet<string>) => Object.keys(known).filter((name) => !seen.has(name));
		expect(missing(InvoiceRequest.properties, members(invoices))).toEqual([]);
		const lines = invoices.flatMap((invoice) => invoice.lines);
		expect(missing(InvoiceRequest.properties.lines.items.properties, members(lines))).toEqual([]);
		expect(Math.max(...invoices.map((invoice) => invoice.lines.length))).toBe(10_000);
	});
});

describe("hostile texts", () => {
	test("are legal in XML, no longer than asked for and not blank", () => {
		const chance = createChance(7);
		for (let round = 0; round < 2_000; round++) {
			const most = chance.whole(1, 1_000);
			const text = hostileText(chance, most);
			expect([text, isXmlText(text), text.length <= most, text.trim() !== ""]).toEqual([text, true, true, true]);
		}
	});

	test("that are forbidden are not legal in XML", () => {
		expect(FORBIDDEN.filter((character) => isXmlText(`a${character}b`))).toEqual([]);
	});
});
