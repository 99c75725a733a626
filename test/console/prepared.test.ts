/** Prepared invoices: what a program has prepared is read, approved or discarded by a person. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findBrowser } from "../support/browser";
import { buildInvoice, get, post } from "../support/service";
import { until } from "../support/until";
import { findViolations, inspect, LANGUAGES, type OpenConsole, openConsole, shoot } from "./support/open-console";

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)("prepared invoices", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
	}, 60_000);
	afterAll(() => opened.close());

	type Prepared = {
		readonly id: string;
		readonly sha256: string;
		readonly docId: string | null;
		readonly reason: string | null;
	};

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
		await page.getByRole("heading", { name: /^E31\d+$/ }).waitFor();
		const { docId } = await read(id);
		expect(page.url()).toEndWith(`/invoices/${docId}`);
		await page.goBack();
		await page.getByRole("link", { name: "Ver el comprobante" }).waitFor();
		expect(await page.getByRole("button", { name: "Aprobar y emitir" }).count()).toBe(0);
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	const countDocuments = async () => {
		const [row] = await opened.service.sql<{ count: number }[]>`
			select count(*)::int as count from documents where tenant_id = ${opened.tenant.tenantId}`;
		return row?.count ?? 0;
	};

	test("two are approved from the overview with four clicks", async () => {
		const before = await countDocuments();
		await Promise.all(["FARMACIA CENTRAL SRL", "FERRETERIA DEL ESTE SRL"].map(prepare));
		const page = await opened.openPage("");
		await page.getByText("Comprobantes preparados por aprobar: 2").waitFor();
		await shoot(page, "prepared-task");
		expect(await findViolations(page)).toEqual([]);
		await page.getByRole("link", { name: "Abrir los comprobantes por aprobar" }).click();
		await page.getByLabel("Seleccionar todo").click();
		await page.getByRole("button", { name: "Aprobar", exact: true }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByRole("row", { name: "Factura de crédito fiscal 2 RD$10,620.00" }).waitFor();
		await dialog.getByRole("button", { name: "Aprobar y emitir" }).click();
		await dialog.getByText("Se hicieron todos: 2.").waitFor();
		expect(await dialog.getByRole("row", { name: /^E31\d+ ?F[A-Z ]+ SRL Emitido$/ }).count()).toBe(2);
		await shoot(page, "prepared-approved");
		expect(await countDocuments()).toBe(before + 2);
		await dialog.getByRole("button", { name: "Entendido" }).click();
		await page.getByText("Nada por aprobar").waitFor();
		await until(() => page.evaluate<boolean>("document.querySelector('main').contains(document.activeElement)"));
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	test("a refused one says why, and one without an answer is repeated as one document", async () => {
		const before = await countDocuments();
		const [refused, lost] = [await prepare("RECHAZADO SRL"), await prepare("PERDIDO SRL"), await prepare("BUENO SRL")];
		const { service, tenant } = opened;
		const page = await opened.openPage("/prepared");
		for (const name of ["RECHAZADO SRL", "PERDIDO SRL", "BUENO SRL"])
			await page.getByLabel(`Seleccionar ${name}`).check();
		await page.getByRole("button", { name: "Aprobar", exact: true }).click();
		const dialog = page.getByRole("dialog");
		expect((await post(service, `/v1/prepared-invoices/${refused}:reject`, tenant.headers, {})).status).toBe(200);
		const { sha256 } = await read(lost);
		await page.route(
			`**/v1/prepared-invoices/${lost}:approve`,
			async (route) => {
				await post(service, `/v1/prepared-invoices/${lost}:approve`, tenant.headers, { sha256 });
				return route.abort();
			},
			{ times: 1 },
		);
		await dialog.getByRole("button", { name: "Aprobar y emitir" }).click();
		await dialog.getByText("Sin hacer: 2 de 3. Los demás se hicieron.").waitFor();
		await dialog.getByRole("row", { name: "RECHAZADO SRL Sin hacer Se rechazó." }).waitFor();
		await dialog.getByRole("row", { name: "PERDIDO SRL Sin hacer El servicio no respondió." }).waitFor();
		expect(await dialog.locator("tbody tr").last().textContent()).toContain("BUENO SRL");
		await shoot(page, "prepared-outcomes");
		expect(await findViolations(page)).toEqual([]);
		await dialog.getByRole("button", { name: "Intentar de nuevo" }).click();
		await dialog.getByText("Sin hacer: 1 de 3. Los demás se hicieron.").waitFor();
		expect(await dialog.getByRole("button", { name: "Intentar de nuevo" }).count()).toBe(0);
		expect(await countDocuments()).toBe(before + 2);
		await page.close();
		// The browser itself reports the refused and the lost request.
		opened.takeFaults();
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

	for (const language of LANGUAGES)
		test(`they have no fault in ${language}`, async () => {
			const page = await opened.openPage("/prepared?status=issued", { language });
			await page.getByRole("table").waitFor();
			expect(await inspect(page, "prepared", language)).toEqual([]);
			await page.getByRole("combobox").selectOption("waiting");
			await page.getByRole("checkbox").first().check();
			expect(await inspect(page, "prepared-chosen", language)).toEqual([]);
			await page.locator(".selection .button-primary").click();
			await page.getByRole("dialog").waitFor();
			expect(await inspect(page, "prepared-approval", language)).toEqual([]);
			const id = await prepare("DISTRIBUIDORA DEL ESTE SRL");
			await page.goto(page.url().replace(/\/prepared.*/, `/prepared/${id}`));
			await page.locator(".outlook-good").waitFor();
			expect(await inspect(page, "prepared-decision", language)).toEqual([]);
			await page.close();
			expect(opened.takeFaults()).toEqual([]);
		});

	test("a member who may only read sees it without the buttons", async () => {
		const { service, tenant } = opened;
		const id = await prepare("CLIENTE SRL");
		const page = await opened.openPage("/prepared");
		await service.sql`
			update user_memberships set role = 'viewer'
			where owner_id = (select owner_id from companies where tenant_id = ${tenant.tenantId})`;
		const readRights = () => page.evaluate<string>("fetch('/v1/me').then((answer) => answer.text())");
		await until(async () => (await readRights()).includes("viewer"), 10_000, 100);
		await page.reload();
		await page.getByRole("link", { name: "CLIENTE SRL" }).first().waitFor();
		expect(await page.getByRole("checkbox").count()).toBe(0);
		await page.goto(page.url().replace("/prepared", ""));
		await page.locator("svg.strip").waitFor();
		expect(await page.getByText("Comprobantes preparados por aprobar").count()).toBe(0);
		await page.goto(`${page.url()}/prepared/${id}`);
		await page.getByText("Su rol puede leerlo, pero no emitirlo.").waitFor();
		expect(await page.getByRole("button", { name: /Aprobar|Descartar/ }).count()).toBe(0);
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});
});
