/**
 * Whatever `buildInvoice` makes passes the service's checks without a warning. CI tries a few; by hand:
 *
 *     SDK_INVOICES=2000 bun test --timeout 600000 test/sdk/build-invoice.test.ts
 */
import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { buildInvoice, type InvoiceInput, type InvoiceLine } from "../../src/sdk/typescript";
import { sharedService, type Tenant, type TestService } from "../support/service";
import { createIssuer } from "./world";

const COUNT = Number(process.env.SDK_INVOICES ?? 40);

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createIssuer(service);
});

const decimal = (max: number, places: number) =>
	fc
		.tuple(fc.integer({ min: 1, max: max * 10 ** places }), fc.integer({ min: 0, max: places }))
		.map(([units, shown]) => (Math.max(units, 10 ** (places - shown)) / 10 ** places).toFixed(shown));

const line = (rates: readonly InvoiceLine["taxRate"][]): fc.Arbitrary<InvoiceLine> =>
	fc
		.record({
			quantity: decimal(500, 2),
			unitPrice: decimal(20_000, 4),
			taxRate: fc.constantFrom(...rates),
			kind: fc.constantFrom("good" as const, "service" as const),
			/** Hundredths of the line. */
			discount: fc.option(fc.integer({ min: 1, max: 90 }), { nil: undefined }),
			surcharge: fc.option(decimal(100, 2), { nil: undefined }),
		})
		.map(({ discount, surcharge, taxRate, ...others }) => ({
			...{ description: "Artículo — ñ", ...others },
			...(taxRate === undefined ? {} : { taxRate }),
			...(discount === undefined ? {} : { discount: share(others, discount) }),
			...(surcharge === undefined ? {} : { surcharge }),
		}));

/** So many hundredths of a line, in whole cents. */
const share = (of: { quantity: string; unitPrice: string }, hundredths: number) =>
	(Math.floor(Number(of.quantity) * Number(of.unitPrice) * hundredths) / 100).toFixed(2);

const TAXED = ["18", "16", "0", "exempt"] as const;
const input = fc
	.record({
		type: fc.constantFrom("31" as const, "32" as const, "33" as const, "34" as const, "41" as const, "44" as const),
		prices: fc.constantFrom("net" as const, "gross" as const),
		taxed: fc.array(line(TAXED), { minLength: 1, maxLength: 12 }),
		untaxed: fc.array(line([undefined]), { minLength: 1, maxLength: 12 }),
	})
	.map(({ type, prices, taxed, untaxed }) => {
		const isFree = type === "44";
		return { type, prices: isFree ? ("net" as const) : prices, lines: isFree ? untaxed : taxed };
	});

/** What a document of the type needs besides its lines. */
function complete({
	type,
	prices,
	lines,
}: {
	type: InvoiceInput["type"];
	prices: "net" | "gross";
	lines: InvoiceLine[];
}): InvoiceInput {
	const isNote = type === "33" || type === "34";
	return {
		...{ type, prices, lines, company: { rnc: tenant.rnc, name: tenant.name } },
		customer: { rnc: "990000002", name: "CLIENTE SRL" },
		...(isNote
			? {
					reference: {
						encf: "E310000000001",
						issue_date: new Date(Date.now() - 4 * 3_600_000).toISOString().slice(0, 10),
						code: 3,
					},
				}
			: {}),
	};
}

test(`${COUNT} random invoices pass the service's checks to the cent`, async () => {
	for (const random of fc.sample(input, COUNT)) {
		const body = buildInvoice(complete(random));
		const answer = await fetch(`${service.url}/v1/invoices?dry_run=true`, {
			method: "POST",
			headers: { ...tenant.headers, "content-type": "application/json; charset=utf-8" },
			body: JSON.stringify(body),
		});
		const found = (await answer.json()) as { totals: { total: string }; warnings: { code: string }[] };
		const context = { status: answer.status, body, found };
		if (answer.status !== 200) throw new Error(JSON.stringify(context));
		const warnings = found.warnings.filter(({ code }) => code !== "reference-unknown-here");
		if (warnings.length > 0) throw new Error(JSON.stringify({ ...context, found: warnings }));
		expect(Number(found.totals.total)).toBe(Number(body.totals.grand_total));
	}
}, 600_000);

test("what cannot be computed exactly is refused", () => {
	const company = { rnc: "990000131", name: "EMPRESA DE DEMOSTRACION SRL" };
	const build = (over: Partial<InvoiceLine>, further = {}) => {
		const plain = { description: "Café", quantity: "1", unitPrice: "1.00", taxRate: "18" as const };
		return () => buildInvoice({ type: "32", company, lines: [{ ...plain, ...over }], ...further });
	};
	expect(build({ unitPrice: "4,50" })).toThrow('lines[0].unitPrice is "4,50"');
	expect(build({ unitPrice: 4.5 })).toThrow("send a text");
	expect(build({ quantity: "1e3" })).toThrow("lines[0].quantity");
	expect(build({ quantity: "0.1234567" })).toThrow("six decimals");
	expect(build({ discount: "2.00" })).toThrow("more than the line");
	expect(build({ taxRate: "13" as "18" })).toThrow("18, 16, 0 or exempt");
	expect(build({}, { adjustments: [] })).toThrow("adjustments");
	expect(build({ additional_taxes: [] } as object)).toThrow("additional taxes");
	expect(() =>
		buildInvoice({ type: "32", company, lines: [{ description: "Café", quantity: 1, unitPrice: 1 }] }),
	).toThrow("taxRate is missing");
});
