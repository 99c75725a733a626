/**
 * The WooCommerce plug-in: what it makes of orders passes the service's checks, and its hooks issue documents. WooCommerce itself is stubs. CI
 * tries a few orders; by hand:
 *
 *     WOO_ORDERS=1000 bun test --timeout 600000 test/sdk/woocommerce.test.ts
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildWooCommerce } from "../../scripts/sdk/woocommerce";
import { sharedService, type Tenant, type TestService } from "../support/service";
import { reportSkip } from "../support/skips";
import { createIssuer } from "./world";

const COUNT = Number(process.env.WOO_ORDERS ?? 30);

const hasPhp = Bun.which("php") !== null;
if (!hasPhp) reportSkip("the WooCommerce plug-in needs php");
const folder = mkdtempSync(join(tmpdir(), "sello-woocommerce-"));
const plugin = join(folder, "sello-woocommerce");
afterAll(() => rmSync(folder, { recursive: true }));

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	await buildWooCommerce(folder, "1.2.3");
	service = await sharedService();
	tenant = await createIssuer(service);
});

async function php(script: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
	const child = Bun.spawn(["php", "-d", "error_reporting=-1", join(import.meta.dir, script), ...args], {
		env: { PATH: process.env.PATH ?? "", ...env },
		stdout: "pipe",
		stderr: "pipe",
	});
	const [output, complaints] = await Promise.all([child.stdout, child.stderr].map((it) => new Response(it).text()));
	if ((await child.exited) !== 0 || complaints) throw new Error(`${output}${complaints}`);
	return output ?? "";
}

type Made = { order: unknown; total: string; body: { type: string; totals: { grand_total: string } } };

test.skipIf(!hasPhp)(
	`${COUNT} random orders and refunds pass the checks to the cent`,
	async () => {
		const today = new Date(Date.now() - 4 * 3_600_000).toISOString().slice(0, 10);
		const made = JSON.parse(await php("woocommerce-orders.php", [plugin, String(COUNT), "7", today])) as Made[];
		expect([...new Set(made.map(({ body }) => body.type))].sort()).toEqual(["31", "32", "34"]);
		for (const { order, total, body } of made) {
			const answer = await fetch(`${service.url}/v1/invoices?dry_run=true`, {
				method: "POST",
				headers: { ...tenant.headers, "content-type": "application/json; charset=utf-8" },
				body: JSON.stringify({ ...body, company: { rnc: tenant.rnc, name: tenant.name } }),
			});
			const found = (await answer.json()) as { warnings?: { code: string }[] };
			const warnings = (found.warnings ?? []).filter(({ code }) => code !== "reference-unknown-here");
			if (answer.status !== 200 || warnings.length > 0) throw new Error(JSON.stringify({ order, body, found }));
			expect(Number(body.totals.grand_total)).toBe(Number(total));
		}
	},
	600_000,
);

type State = { encf: string; status: string; docId: string; notes: string[] };
type Shop = Record<
	"paid" | "business" | "refund" | "part" | "gift" | "odd" | "refused" | "interrupted" | "rejected" | "waiting",
	State
> & {
	[name in "first" | "before" | "untouched" | "shown"]: string;
} & { fields: string[]; compatible: string[]; scheduled: [string, number[]][]; paidBody: unknown; partBody: unknown };

test.skipIf(!hasPhp)(
	"an order gets one document, and its refund a credit note",
	async () => {
		const { apiKey, clientId, clientSecret, rnc, name } = tenant;
		const credentials = { url: service.url, api_key: apiKey, client_id: clientId, client_secret: clientSecret };
		const settings = JSON.stringify({ ...credentials, rnc, name, issue_at: "processing" });
		const shop = JSON.parse(await php("woocommerce-hooks.php", [plugin], { SHOP: settings })) as Shop;

		expect(shop.fields).toEqual(["url", "api_key", "client_id", "client_secret", "rnc", "name", "issue_at"]);
		expect(shop.compatible).toEqual(["custom_order_tables"]);
		const { paid, business, refund } = shop;
		expect([paid, business, refund].map(({ encf }) => encf.slice(0, 3))).toEqual(["E32", "E31", "E34"]);
		expect([paid, business, refund].map(({ status }) => status)).toEqual(["accepted", "accepted", "accepted"]);
		expect(paid.notes).toEqual([`Comprobante ${paid.encf}: aceptado.`]);
		expect(business.notes).toHaveLength(3);
		expect(shop.paidBody).toMatchObject({
			lines: [
				{ quantity: "4", unit_price: "300.00", discount: "200.00", subtotal: "1000.00", tax_rate: "18", kind: "good" },
				{ quantity: "1", unit_price: "100.00", subtotal: "100.00", tax_rate: "exempt", kind: "service" },
			],
			totals: { subtotal: "1100.00", tax: "180.00", grand_total: "1280.00" },
		});
		// RD$50.00 of the 1,280.00, which are 1,180.00 with ITBIS and 100.00 exempt.
		expect(shop.part.status).toBe("accepted");
		expect(shop.partBody).toMatchObject({
			reference: { encf: business.encf, code: 3 },
			lines: [{ tax_rate: "18" }, { tax_rate: "exempt", subtotal: "3.91" }],
			totals: { grand_total: "50.00" },
		});
		expect(shop.shown).toContain(business.encf);
		expect(shop.shown).toContain("Código de seguridad");

		expect(shop.gift.notes[0]).toContain("las líneas no suman el total");
		expect(shop.odd.notes[0]).toContain("tasa de impuesto");
		expect(shop.refused).toMatchObject({ encf: "", status: "" });
		expect(shop.refused.notes[0]).toContain("no se emitió");
		expect(shop.interrupted.docId).toBe(shop.first);
		expect(shop.untouched).toBe(shop.before);
		expect(shop.rejected.docId).not.toBe(shop.before);
		expect(shop.waiting.notes[0]).toContain("se intentará de nuevo");
		expect(shop.scheduled.at(-1)).toEqual(["sello_issue", [48, 1]]);
	},
	60_000,
);
