/** Members beside lines, totals and payment: what they become in the e-CF, and in which types they are refused. */
import { describe, expect, test } from "bun:test";
import { ECF_TYPES, type EcfInvoice, planEcf, writeEcf, writeSummary } from "../../../src/ecf/mapping";
import { buildInvoice, buildLine, readExample, toInput } from "../signing/samples";

const plan = (changes: Partial<EcfInvoice>) => planEcf(toInput(buildInvoice(changes)));
const faults = (changes: Partial<EcfInvoice>) => plan(changes).faults.map(({ code, pointer }) => `${code} ${pointer}`);
const warnings = (changes: Partial<EcfInvoice>) =>
	plan(changes).warnings.map(({ code, pointer }) => `${code} ${pointer}`);

describe("a foreign buyer", () => {
	const customer = { foreign_id: " P1234567 ", name: "JOHN DOE" };

	test("takes the place of an RNC, in the e-CF and in its summary", () => {
		const made = plan({ type: "32", customer });
		expect(made.faults).toEqual([]);
		for (const text of [writeEcf(made), writeSummary(made, "a1B2c3")]) {
			expect(text).toContain("<Comprador><IdentificadorExtranjero>P1234567</IdentificadorExtranjero>");
			expect(text).not.toContain("RNCComprador");
		}
	});

	test("has no RNC beside it, and no place in the types that need an RNC", () => {
		expect(faults({ type: "32", customer: { ...customer, rnc: "990000002" } })).toEqual([
			"exclusive /customer/foreign_id",
		]);
		expect(faults({ type: "31", customer })).toEqual(["not-allowed-for-type /customer/foreign_id"]);
		expect(faults({ type: "44", customer: { foreign_id: "DIP-0042" } })).toContain("buyer-required /customer/name");
	});
});

describe("items that are not billed", () => {
	const deposit = { description: "Depósito", quantity: "2", unit_price: "2500.00", amount: "5000.00" };

	test("follow the lines, outside the total", () => {
		const made = plan({ non_billable_lines: [deposit] });
		expect(made.nonBillableLines).toMatchObject([{ number: made.lines.length + 1, indicator: 0, amount: "5000.00" }]);
		const { total } = made.totals;
		expect(made.balance).toMatchObject({ nonBillable: "5000.00", period: String((Number(total) + 5_000).toFixed(2)) });
		expect(made.balance.payable).toBeUndefined();
	});

	test("are multiplied, counted and described like lines", () => {
		expect(warnings({ non_billable_lines: [{ ...deposit, amount: "4999.00" }] })).toEqual([
			"line-product /non_billable_lines/0/amount",
		]);
		expect(faults({ non_billable_lines: [{ ...deposit, description: " ", quantity: "0.001" }] })).toContain(
			"description-empty /non_billable_lines/0/description",
		);
	});

	test("are no part of a total that is itself too large in pesos", () => {
		const subtotal = "9999999999999999.00";
		const big = buildLine({ quantity: "1", unit_price: subtotal, subtotal, tax_rate: "exempt" });
		const totals = { subtotal, tax: "0.00", grand_total: subtotal };
		const dollars = { currency: "USD", exchange_rate: "2.0000", amounts_in: "document" } as const;
		const found = faults({ lines: [big], totals, ...dollars });
		expect(found).toContain("amount-too-large /totals/grand_total");
		expect(found).not.toContain("amount-too-large /non_billable_lines");
	});
});

test("the amount due is the total with the balance before, less what was paid", () => {
	const { totals, balance } = plan({ advance: "100.5", prior_balance: "-20" });
	expect(balance).toEqual({
		advance: "100.50",
		priorBalance: "-20.00",
		payable: (Number(totals.total) - 120.5).toFixed(2),
	});
	expect(plan({}).balance).toEqual({});
});

test("a place or a phone that the format lacks is refused", () => {
	const customer = { rnc: "990000002", name: "X", address: { municipality_code: "010199", province_code: "990000" } };
	expect(faults({ customer, delivery: { phone: "555-0101" } })).toEqual([
		"place-unknown /customer/address/municipality_code",
		"place-unknown /customer/address/province_code",
		"phone-form /delivery/phone",
	]);
});

test("a member that the type lacks is refused by name, once", () => {
	const { invoice } = readExample("31-everything");
	const { deferred, all_inclusive, period, sales_zone, sales_route, delivery, order_date, non_billable_lines } =
		invoice;
	const given = { deferred, all_inclusive, period, sales_zone, sales_route, delivery, order_date, non_billable_lines };
	const refused = (type: string) =>
		faults({ type, ...given, payment: { terms: "cash", ...pick(invoice.payment) } })
			.filter((fault) => fault.startsWith("not-allowed-for-type"))
			.map((fault) => fault.slice("not-allowed-for-type /".length))
			.sort();
	expect(Object.fromEntries(ECF_TYPES.map((type) => [type, refused(type)]))).toEqual({
		...{ 31: [], 32: [], 33: [], 34: ["payment/account", "payment/terms_text"], 44: [] },
		41: Object.keys(given).sort(),
	});
});

function pick(payment: EcfInvoice["payment"]): Partial<NonNullable<EcfInvoice["payment"]>> {
	const { account, terms_text } = payment ?? {};
	return { ...(account ? { account } : {}), ...(terms_text ? { terms_text } : {}) };
}
