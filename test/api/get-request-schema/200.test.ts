/** The JSON Schema of each type's request. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ECF_TYPES, type EcfInvoice, EXAMPLE_INVOICE, planEcf } from "../../../src/ecf/mapping";
import { checkForm } from "../../../src/invoicing/invoices";
import type { Problem } from "../../../src/platform/problem";
import { toInput } from "../../ecf/signing/samples";
import { findSchemaViolations } from "../../support/json-schema";
import { type Served, serveDeclared } from "../support/declared-operations";

const EXAMPLES = join(import.meta.dir, "../../../data/examples/invoices");

let served: Served;
const schemas = new Map<string, Record<string, unknown>>();
beforeAll(async () => {
	served = serveDeclared();
	for (const type of ECF_TYPES) schemas.set(type, (await (await ask(type)).json()) as Body);
});
afterAll(() => served.stop());

const ask = (type: string, headers: Record<string, string> = {}) =>
	fetch(`${served.url}/v1/schemas/${type}`, { headers });

type Body = Record<string, unknown>;

function judge(type: string, body: unknown): string[] {
	return findSchemaViolations(schemas.get(type) ?? { not: {} }, body).map(({ at, keyword }) => `${at} ${keyword}`);
}

/** The minimal example of a type, changed. */
function minimal(type: string, over: Body = {}): Body {
	const body = JSON.parse(readFileSync(join(EXAMPLES, `${type}-minimal.json`), "utf8"));
	return { ...body, ...over };
}
const withLine = (type: string, over: Body) => {
	const body = minimal(type) as { lines: Body[] };
	return { ...body, lines: [{ ...body.lines[0], ...over }] };
};
/** Where the service refuses a body, as it is or once it is planned. */
function refusals(body: Body): (string | undefined)[] {
	try {
		checkForm(body, new Date("2026-11-20T14:20:00Z"));
	} catch (problem) {
		return ((problem as Problem).faults ?? []).map(({ pointer }) => pointer);
	}
	const { faults } = planEcf(toInput(body as unknown as EcfInvoice));
	return faults.map(({ pointer }) => pointer);
}
const REFERENCE = { encf: "E310000000001", issue_date: "2026-01-05", code: 3 };

test("a schema is public, cacheable and says which draft and type it is", async () => {
	const answer = await ask("31");
	expect(answer.status).toBe(200);
	expect(answer.headers.get("content-type")).toBe("application/schema+json; charset=utf-8");
	expect(answer.headers.get("cache-control")).toContain("public");
	const schema = await answer.json();
	expect(schema).toMatchObject({
		$schema: "https://json-schema.org/draft/2020-12/schema",
		$id: `${served.url}/v1/schemas/31`,
		type: "object",
		additionalProperties: false,
	});
	expect(JSON.stringify(schema)).not.toContain("faultCode");
});

test("a schema says of every type where totals count adjustments", () => {
	for (const type of ECF_TYPES) {
		const { adjustments, totals } = (schemas.get(type) as { properties: Record<string, Body> }).properties;
		expect(String(adjustments?.description)).toContain(
			"`totals.subtotal` is the sum of the lines less discounts plus surcharges",
		);
		expect(JSON.stringify(totals)).toContain("less discounts and plus surcharges of `adjustments`");
	}
});

test("a known schema gets 304", async () => {
	const etag = (await ask("44")).headers.get("etag") ?? "";
	expect(etag).toMatch(/^"[\w-]+"$/);
	const again = await ask("44", { "if-none-match": etag });
	expect([again.status, await again.text()]).toEqual([304, ""]);
	expect((await ask("41", { "if-none-match": etag })).status).toBe(200);
});

describe("the examples of the documentation", () => {
	for (const file of readdirSync(EXAMPLES).filter((name) => name.endsWith(".json"))) {
		test(`${file} fits the schema of its type and no other type's`, () => {
			const body = JSON.parse(readFileSync(join(EXAMPLES, file), "utf8"));
			for (const type of ECF_TYPES) expect([type, judge(type, body).length === 0]).toEqual([type, type === body.type]);
		});
	}

	test("the example of the operation fits", () => {
		expect(judge("31", EXAMPLE_INVOICE)).toEqual([]);
	});
});

describe("what a type demands", () => {
	test("31, 41 and 44 name their buyer, with number and name", () => {
		for (const type of ["31", "41", "44"]) {
			expect(judge(type, minimal(type, { customer: undefined })).length).toBeGreaterThan(0);
			const { customer, ...without } = minimal(type);
			expect(judge(type, without)).toEqual([" required"]);
			const rule = type === "44" ? "anyOf" : "required";
			expect(judge(type, { ...without, customer: { name: "X" } })).toEqual([`/customer ${rule}`]);
		}
		for (const type of ["32", "33", "34"]) expect(judge(type, minimal(type, { customer: { name: "X" } }))).toEqual([]);
		expect(judge("32", minimal("32", { customer: {} }))).toEqual(["/customer anyOf"]);
	});

	test("the number is one of the type, or the service's own next one", () => {
		for (const type of ECF_TYPES) expect(judge(type, minimal(type, { encf: "auto" }))).toEqual([]);
		expect(judge("31", minimal("31", { encf: "automatic" }))).toEqual(["/encf pattern"]);
		expect(judge("31", minimal("31", { encf: "E320000000001" }))).toEqual(["/encf pattern"]);
		expect(judge("31", minimal("31", { encf: "E31000000001" }))).toEqual([]);
	});

	test("the number's sequence starts at 1", () => {
		for (const encf of ["E310000000000", "E3100000000"]) {
			expect(judge("31", minimal("31", { encf }))).toEqual(["/encf not"]);
			expect(refusals(minimal("31", { encf }))).toEqual(["/encf"]);
		}
	});

	test("taxpayer numbers have 9 or 11 digits, with hyphens and spaces", () => {
		for (const rnc of ["990000002", "990-00000-2", "00112345678", "001-1234567-8", " 990 000 002 ", "-990000002-"]) {
			const body = minimal("31", { customer: { rnc, name: "X" }, company: { rnc, name: "X" } });
			expect([rnc, judge("31", body), refusals(body)]).toEqual([rnc, [], []]);
		}
		for (const rnc of ["x", "99000000", "9900000021", "001123456789", "99000000a", "990.000.002", "١٢٣٤٥٦٧٨٩"]) {
			const body = minimal("32", { customer: { rnc }, company: { rnc, name: "X" } });
			const pointers = ["/company/rnc", "/customer/rnc"];
			expect([rnc, judge("32", body).toSorted()]).toEqual([rnc, pointers.map((pointer) => `${pointer} pattern`)]);
			expect([rnc, refusals(body)]).toEqual([rnc, pointers]);
		}
	});

	test("quantities, exchange rates and percentages must be above zero", () => {
		for (const quantity of ["0", "0.0", "0.00", "0.004999", "0.000001"]) {
			const body = withLine("33", { quantity });
			expect([quantity, judge("33", body)]).toEqual([quantity, ["/lines/0/quantity not"]]);
			expect([quantity, refusals(body)]).toEqual([quantity, ["/lines/0/quantity"]]);
		}
		for (const quantity of ["0.005", "0.01", "0.1", "10", "1.0"]) {
			expect([quantity, judge("33", withLine("33", { quantity }))]).toEqual([quantity, []]);
		}
		for (const exchange_rate of ["0", "0.00"]) {
			const body = minimal("31", { currency: "USD", exchange_rate });
			expect([judge("31", body), refusals(body)]).toEqual([["/exchange_rate not"], ["/exchange_rate"]]);
		}
		for (const percent of ["0", "0.004", "1000", "12345.67"]) {
			const body = minimal("31", { adjustments: [{ kind: "discount", description: "x", percent }] });
			expect([percent, judge("31", body)]).toEqual([percent, ["/adjustments/0/percent not"]]);
			expect([percent, refusals(body)]).toEqual([percent, ["/adjustments/0/percent"]]);
		}
		for (const percent of ["0.005", "5", "100", "999.99"]) {
			const body = minimal("31", { adjustments: [{ kind: "discount", description: "x", percent }] });
			expect([percent, judge("31", body)]).toEqual([percent, []]);
		}
	});

	test("required texts are more than white space", () => {
		const blank = withLine("32", { description: " \n" });
		expect([judge("32", blank), refusals(blank)]).toEqual([["/lines/0/description pattern"], ["/lines/0/description"]]);
		for (const type of ["31", "41", "44"]) {
			const body = minimal(type, { customer: { rnc: "990000002", name: "  " } });
			expect([type, judge(type, body), refusals(body)]).toEqual([
				...[type, ["/customer/name pattern"], ["/customer/name"]],
			]);
		}
		expect(judge("32", minimal("32", { customer: { rnc: "990000002", name: "  " } }))).toEqual([]);
	});

	test("44 has no rate of ITBIS", () => {
		expect(judge("44", withLine("44", { tax_rate: "18" }))).toEqual(["/lines/0/tax_rate enum"]);
		expect(judge("44", withLine("44", { tax_rate: "exempt" }))).toEqual([]);
		expect(judge("31", withLine("31", { tax_rate: "18" }))).toEqual([]);
		const adjusted = (type: string, tax_rate: string) =>
			judge(type, minimal(type, { adjustments: [{ kind: "discount", description: "x", amount: "1", tax_rate }] }));
		for (const rate of ["18", "16"]) {
			expect(adjusted("44", rate)).toEqual(["/adjustments/0/tax_rate enum"]);
			expect(adjusted("31", rate)).toEqual([]);
		}
		for (const rate of ["0", "exempt"]) expect(adjusted("44", rate)).toEqual([]);
	});

	test("members that a type never has are refused", () => {
		const nothing = ["0", "0.0", "0.00", "0.000000", "0.004", "0.004999"];
		const something = ["0.005", "0.01", "1", "10.00", "0.1"];
		const withheld = (type: string, itbis: string) => judge(type, withLine(type, { withholding: { itbis, isr: "0" } }));
		const taxed = (type: string, code: string, amount: string) =>
			judge(type, withLine(type, { additional_taxes: [{ code, rate: "10", amount }] }));
		for (const amount of nothing) {
			for (const type of ["32", "44"]) expect([amount, withheld(type, amount)]).toEqual([amount, []]);
			for (const type of ["41", "44"]) expect([amount, taxed(type, "006", amount)]).toEqual([amount, []]);
		}
		for (const amount of something) {
			for (const type of ["32", "44"]) {
				expect([amount, withheld(type, amount)]).toEqual([amount, ["/lines/0/withholding/itbis pattern"]]);
			}
			for (const type of ["31", "33", "34", "41"]) expect([amount, withheld(type, amount)]).toEqual([amount, []]);
			expect(taxed("41", "001", amount).length).toBeGreaterThan(0);
			for (const code of ["006", "039"]) {
				expect([amount, taxed("44", code, amount)]).toEqual([amount, ["/lines/0/additional_taxes/0 anyOf"]]);
			}
			for (const type of ["31", "32", "33", "34"]) expect(taxed(type, "039", amount)).toEqual([]);
			for (const code of ["001", "005"]) expect(taxed("44", code, amount)).toEqual([]);
		}
	});

	test("the service refuses every line that the schema refuses, and accepts zeros", () => {
		const rules = ["withholding-not-allowed-for-type", "additional-tax-not-allowed-for-type"];
		const amounts = ["0", "0.004999", "0.005", "1"];
		for (const type of ECF_TYPES) {
			for (const amount of amounts) {
				const lines = [
					{ withholding: { itbis: amount, isr: "0" } },
					{ withholding: { itbis: "0", isr: amount } },
					...["001", "005", "006", "039"].map((code) => ({ additional_taxes: [{ code, rate: "10", amount }] })),
				];
				for (const over of lines) {
					const body = withLine(type, over);
					const { faults } = planEcf(toInput(body as unknown as EcfInvoice));
					const isRefused = faults.some(({ code }) => rules.includes(code));
					expect([type, over, judge(type, body).length > 0]).toEqual([type, over, isRefused]);
				}
			}
		}
	});

	test("notes may refer to anything, other types to a contingency or a consumer invoice", () => {
		for (const code of [1, 2, 3, 4, 5]) {
			for (const type of ["33", "34"])
				expect(judge(type, minimal(type, { reference: { ...REFERENCE, code } }))).toEqual([]);
		}
		expect(judge("31", minimal("31", { reference: { ...REFERENCE, code: 5 } }))).toEqual([]);
		expect(judge("31", minimal("31", { reference: REFERENCE }))).toEqual(["/reference/code enum"]);
		expect(judge("44", minimal("44", { reference: { ...REFERENCE, code: 5 } }))).toEqual(["/reference/code const"]);
	});

	test("members that only the authority requires are marked", () => {
		const at = (type: string, ...path: string[]) =>
			path.reduce<unknown>((found, name) => (found as Body)[name], schemas.get(type));
		for (const type of ["33", "34"]) {
			expect(at(type, "properties", "reference")).toMatchObject({ "x-recommended": true });
		}
		expect(at("41", "properties", "lines", "items", "properties", "withholding")).toMatchObject({
			"x-recommended": true,
		});
		expect(JSON.stringify(schemas.get("31"))).not.toContain("x-recommended");
	});

	test("a thousand lines, ten thousand in notes and consumer invoices", () => {
		const most = (type: string) => (schemas.get(type) as { properties: { lines: Body } }).properties.lines.maxItems;
		expect(ECF_TYPES.map(most)).toEqual([1_000, 10_000, 10_000, 10_000, 1_000, 1_000]);
	});

	test("credit needs its date, a currency its rate, an adjustment its amount", () => {
		const credit = { payment: { terms: "credit" } };
		expect(judge("31", minimal("31", credit))).toEqual([" required"]);
		expect(judge("31", minimal("31", { ...credit, due_date: "2027-01-01" }))).toEqual([]);
		expect(judge("31", minimal("31", { currency: "USD" }))).toEqual([" required"]);
		expect(judge("31", minimal("31", { currency: "USD", exchange_rate: "60" }))).toEqual([]);
		expect(judge("31", minimal("31", { currency: "DOP" }))).toEqual([]);
		const adjustment = { kind: "discount", description: "x" };
		expect(judge("31", minimal("31", { adjustments: [adjustment] }))).toEqual(["/adjustments/0 anyOf"]);
		expect(judge("31", minimal("31", { adjustments: [{ ...adjustment, percent: "5" }] }))).toEqual([]);
	});
});
