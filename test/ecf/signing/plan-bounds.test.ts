/** No sum and no quotient has more digits than the format: what the plan lets through is judged by the authority's schema. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EcfInvoice, type EcfLine, planEcf, writeEcf } from "../../../src/ecf/mapping";
import { findJudge } from "../../support/judges";
import { buildInvoice, buildLine, toInput } from "./samples";

const validate = findJudge("validate-ecf");
const folder = await mkdtemp(join(tmpdir(), "sello-bounds-"));
afterAll(() => rm(folder, { recursive: true }));

const faults = (changes: Partial<EcfInvoice>) =>
	planEcf(toInput(buildInvoice(changes))).faults.map(({ code, pointer }) => `${code} ${pointer}`);

/** What the schema says of the document; nothing where it is valid. */
async function judge(changes: Partial<EcfInvoice>): Promise<string> {
	const xml = writeEcf(planEcf(toInput(buildInvoice(changes))));
	const file = join(folder, `${Bun.hash(xml)}.xml`);
	await writeFile(file, xml.replace("</ECF>", "<Signature></Signature></ECF>"));
	const verdict = await validate?.(file);
	return verdict?.exitCode === 0 ? "" : (verdict?.output ?? "");
}

const LARGEST = "9999999999999999";

describe("what is withheld", () => {
	const purchase = (...isr: string[]): Partial<EcfInvoice> => ({
		type: "41",
		lines: isr.map((amount) => buildLine({ tax_rate: "exempt", withholding: { itbis: "18", isr: amount } })),
		totals: { subtotal: `${isr.length}00.00`, tax: "0", grand_total: `${isr.length}00.00` },
	});

	test.skipIf(!validate)("is refused with the line whose amount makes its sum too large", async () => {
		expect(faults(purchase(LARGEST, "0.00", LARGEST, "1.00"))).toEqual(["amount-too-large /lines/2/withholding/isr"]);
		expect(await judge(purchase(LARGEST, LARGEST))).not.toBe("");
	});

	test.skipIf(!validate)("may come to the largest amount", async () => {
		const most = purchase("9999999999999998.99", "1.00");
		expect(faults(most)).toEqual([]);
		expect(await judge(most)).toBe("");
	});
});

describe("an amount in another currency", () => {
	/** A line of 1.00, whatever is taken from it and added to it, at the smallest rate. */
	const sold = (line: Partial<EcfLine>, changes: Partial<EcfInvoice> = {}): Partial<EcfInvoice> => ({
		lines: [buildLine({ unit_price: "1", subtotal: "1", tax_rate: "exempt", ...line })],
		totals: { subtotal: "1", tax: "0", grand_total: "1" },
		currency: "USD",
		exchange_rate: "0.0001",
		...changes,
	});
	// At a rate of 0.0001 an amount has four digits more.
	const most = "999999999999.99";
	const tooMuch = "1000000000000";

	test.skipIf(!validate)("is refused with the member that it comes from", async () => {
		const discounted = { quantity: "10000000000", unit_price: "100000", discount: "999999999999999" };
		expect(faults(sold(discounted))).toEqual(["amount-too-large /lines/0/discount"]);
		expect(await judge(sold(discounted))).not.toBe("");
		expect(faults(sold({ discount: tooMuch, surcharge: tooMuch }))).toEqual([
			"amount-too-large /lines/0/discount",
			"amount-too-large /lines/0/surcharge",
		]);
		expect(faults(sold({ quantity: "0.01", unit_price: tooMuch }))).toEqual(["amount-too-large /lines/0/unit_price"]);
	});

	test.skipIf(!validate)("may be the largest, in the line and in the sums", async () => {
		const largest = sold({ quantity: "0.01", unit_price: most, discount: most, surcharge: most });
		expect(faults(largest)).toEqual([]);
		expect(await judge(largest)).toBe("");
		const whole = sold(
			{ unit_price: most, subtotal: most },
			{ totals: { subtotal: most, tax: "0", grand_total: most } },
		);
		expect(faults(whole)).toEqual([]);
		expect(await judge(whole)).toBe("");
	});

	test.skipIf(!validate)("is refused where it is an adjustment's, given or a percentage", async () => {
		const adjusted = (size: { amount?: string; percent?: string }) =>
			sold(
				{ unit_price: most, subtotal: most },
				{
					adjustments: [
						{ kind: "surcharge", description: "Más", ...size },
						{ kind: "discount", description: "Menos", ...size },
					],
					totals: { subtotal: most, tax: "0", grand_total: most },
				},
			);
		expect(faults(adjusted({ amount: tooMuch }))).toEqual([
			"amount-too-large /adjustments/0/amount",
			"amount-too-large /adjustments/1/amount",
		]);
		expect(await judge(adjusted({ amount: tooMuch }))).not.toBe("");
		expect(faults(adjusted({ percent: "200" }))).toEqual([
			"amount-too-large /adjustments/0/percent",
			"amount-too-large /adjustments/1/percent",
		]);
		expect(faults(adjusted({ percent: "100" }))).toEqual([]);
		expect(await judge(adjusted({ percent: "100" }))).toBe("");
	});

	test("is a base or a tax that the total holds as well", () => {
		const lines = [buildLine({ unit_price: most, subtotal: most, tax_rate: "18" })];
		const totals = { subtotal: most, tax: "180000000000.00", grand_total: "1179999999999.99" };
		expect(faults(sold({}, { lines, totals }))).toEqual(["amount-too-large /totals/grand_total"]);
	});
});

describe("a percentage of the lines", () => {
	test.skipIf(!validate)("is refused when it has too many digits by itself", async () => {
		const half = "5000000000000000";
		const adjusted = (percent: string): Partial<EcfInvoice> => ({
			lines: [buildLine({ unit_price: half, subtotal: half, tax_rate: "exempt" })],
			adjustments: [
				{ kind: "surcharge", description: "Más", percent },
				{ kind: "discount", description: "Menos", percent },
			],
			totals: { subtotal: half, tax: "0", grand_total: half },
		});
		expect(faults(adjusted("200"))).toEqual([
			"amount-too-large /adjustments/0/percent",
			"amount-too-large /adjustments/1/percent",
		]);
		expect(await judge(adjusted("200"))).not.toBe("");
		expect(faults(adjusted("199"))).toEqual([]);
		expect(await judge(adjusted("199"))).toBe("");
	});
});
