/** Prepared invoices: what a program has prepared is read, approved or discarded by a person. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findBrowser } from "../support/browser";
import { buildInvoice, get, post } from "../support/service";
import { findViolations, LOOKS, type OpenConsole, openConsole, overflowOf, shoot } from "./support/open-console";

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)("prepared invoices", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
	}, 60_000);
	afterAll(() => opened.close());

	type Prepared = { readonly id: string; readonly docId: string | null; readonly reason: string | null };

	const prepare = async (name: string) => {
		const { service, tenant } = opened;
		const body = buildInvoice(tenant, { customer: { rnc: "990000004", name } });
		const answer = await post(service, "/v1/prepared-invoices", tenant.headers, body);
		expect(answer.status).toBe(201);
		return ((await answer.json()) as Prepared).id;
	};
	const read = async (id: string) =>
		(await (await get(opened.service, `/v1/prepared-invoices/${id}`, opened.tenant.headers)).json()) as Prepared;

	test("one appears by itself, and is issued with two clicks", async () => {
		const page = await opened.openPage("/prepared");
		await page.getByText("Nada por aprobar").waitFor();
		await shoot(page, "prepared-empty");
		expect(await findViolations(page)).toEqual([]);
		const id = await prepare("FARMACIA <b>CENTRAL</b> SRL");
		await page.getByRole("link", { name: "FARMACIA <b>CENTRAL</b> SRL" }).click();
		await page.getByText("La autoridad lo aceptaría").waitFor();
		await page.getByRole("button", { name: "Aprobar y emitir" }).click();
		await page.getByRole("heading", { name: /^E31/ }).waitFor();
		const { docId } = await read(id);
		expect(page.url()).toEndWith(`/invoices/${docId}`);
		await page.goBack();
		await page.getByRole("link", { name: "Ver el comprobante" }).waitFor();
		expect(await page.getByRole("button", { name: "Aprobar y emitir" }).count()).toBe(0);
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	test("one is discarded with a reason, which its author can read", async () => {
		const id = await prepare("CLIENTE SRL");
		const page = await opened.openPage(`/prepared/${id}`);
		await page.getByRole("button", { name: "Descartar" }).click();
		await page.getByLabel("Motivo").fill("Precio equivocado");
		await shoot(page, "prepared-discard");
		expect(await findViolations(page)).toEqual([]);
		await page.getByRole("dialog").getByRole("button", { name: "Descartar" }).click();
		await page.getByText(/^Se descartó .*: Precio equivocado$/).waitFor();
		expect((await read(id)).reason).toBe("Precio equivocado");
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	test("what has changed since the preparation is shown beside each other", async () => {
		const id = await prepare("CLIENTE SRL");
		await opened.service.sql`
			update prepared_invoices set validation = jsonb_set(validation::jsonb, '{registry,buyer}', '"SUSPENDIDO"') where id = ${id}`;
		const page = await opened.openPage(`/prepared/${id}`);
		await page.getByRole("row", { name: "Estado del comprador SUSPENDIDO ACTIVO" }).waitFor();
		await shoot(page, "prepared-changed");
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	test("one that was decided elsewhere is refused with the reason", async () => {
		const id = await prepare("CLIENTE SRL");
		const page = await opened.openPage(`/prepared/${id}`);
		await page.getByText("La autoridad lo aceptaría").waitFor();
		await post(opened.service, `/v1/prepared-invoices/${id}:reject`, opened.tenant.headers, {});
		await page.getByRole("button", { name: "Aprobar y emitir" }).click();
		await page.getByRole("alert").getByText("Se rechazó.").waitFor();
		await page.close();
		// The browser itself reports the refused request.
		opened.takeFaults();
	});

	for (const look of LOOKS)
		test(`they have no fault with ${Object.values(look).join(", ")}`, async () => {
			const page = await opened.openPage("/prepared?status=all", look);
			await page.getByRole("table").waitFor();
			await shoot(page, `prepared-${Object.values(look).join("-")}`);
			expect(await findViolations(page)).toEqual([]);
			expect(await overflowOf(page)).toBe(0);
			const id = await prepare("DISTRIBUIDORA DEL ESTE SRL");
			await page.goto(page.url().replace(/\/prepared.*/, `/prepared/${id}`));
			await page.locator(".outlook-good").waitFor();
			await shoot(page, `prepared-decision-${Object.values(look).join("-")}`);
			expect(await findViolations(page)).toEqual([]);
			expect(await overflowOf(page)).toBe(0);
			await page.close();
			expect(opened.takeFaults()).toEqual([]);
		});
});
