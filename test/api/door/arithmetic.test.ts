/** Rules 2 and 3 against an oracle that knows nothing of the service: integers of a millionth. */
import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { buildInvoice, postInvoice, sharedService, type Tenant, type TestService } from "../../support/service";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const UNIT = 1_000_000n;

/** Millionths as a decimal, with as many decimals as it needs or two. */
function write(units: bigint): string {
	const text = units.toString().padStart(7, "0");
	const decimals = text.slice(-6).replace(/0{1,4}$/, "");
	return `${text.slice(0, -6)}.${decimals}`;
}

const cents = (cents: bigint) => cents * 10_000n;
const amount = fc.bigInt({ min: 1n, max: 10_000_000n }).map(cents);
const offset = fc.constantFrom(
	0n,
	0n,
	0n,
	...[1n, -1n, 2n, -2n].map(cents),
	1n,
	-1n,
	11_000n,
	-11_000n,
	10_001n,
	-10_001n,
);
const cases = fc.record({
	lines: fc.array(amount, { minLength: 1, maxLength: 40 }),
	lineOffset: offset,
	totalOffset: fc.constantFrom(0n, 0n, 0n, 1n, -1n, cents(1n), cents(-1n)),
	taxed: fc.boolean(),
});
const oneCent = { lines: [10_000n], lineOffset: 0n, totalOffset: 0n, taxed: false };

test("two hundred random invoices get the oracle's verdict", async () => {
	const verdicts = { accepted: 0, refused: 0 };
	const check = async (one: { lines: bigint[]; lineOffset: bigint; totalOffset: bigint; taxed: boolean }) => {
		const sum = one.lines.reduce((total, line) => total + line, 0n);
		const subtotal = sum + one.lineOffset > 0n ? sum + one.lineOffset : sum;
		const tax = one.taxed ? ((sum * 18n) / 100n / 10_000n) * 10_000n : 0n;
		const stated = subtotal + tax + one.totalOffset;
		// An amount below zero is refused before any sum is looked at.
		const grand = stated >= 0n ? stated : subtotal + tax;
		const distance = subtotal > sum ? subtotal - sum : sum - subtotal;
		const isRight = distance <= UNIT / 100n && subtotal + tax === grand;
		const invoice = buildInvoice(tenant, {
			lines: one.lines.map((line, i) => {
				const price = write(line);
				return { line_number: i + 1, description: "x", quantity: "1", unit_price: price, subtotal: price };
			}),
			totals: { subtotal: write(subtotal), tax: write(tax), grand_total: write(grand) },
		});
		const answer = await postInvoice(service, tenant, invoice);
		const body = (await answer.json()) as { type?: string };
		expect({ totals: invoice.totals, status: answer.status }).toEqual({
			totals: invoice.totals,
			status: isRight ? 202 : 422,
		});
		if (!isRight) expect(body.type).toEndWith("/errors/mathematical-discrepancy");
		verdicts[isRight ? "accepted" : "refused"]++;
	};
	await fc.assert(
		fc.asyncProperty(fc.array(cases, { minLength: 10, maxLength: 10 }), (batch) =>
			Promise.all(batch.map(check)).then(() => undefined),
		),
		{
			numRuns: 20,
			// One cent, and a total that would be below zero, zero, or a millionth lower.
			examples: [
				[
					[
						{ ...oneCent, lineOffset: -1n, totalOffset: -10_000n },
						{ ...oneCent, totalOffset: -10_000n },
						{ ...oneCent, totalOffset: -1n },
					],
				],
			],
		},
	);
	expect(verdicts.accepted).toBeGreaterThan(20);
	expect(verdicts.refused).toBeGreaterThan(50);
}, 120_000);
