/** The portal in a frame of another site's page: what it shows, what it may do, and what it refuses. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Frame, Page } from "playwright-core";
import { findBrowser } from "../support/browser";
import { buildInvoice, createTenant, postInvoice, type Tenant, untilDecided } from "../support/service";
import { until } from "../support/until";
import { findViolations, LOOKS, type OpenConsole, openConsole, overflowOf, shoot } from "./support/open-console";

const browserPath = findBrowser();
type Terms = { readonly pages?: readonly string[]; readonly redeliver?: boolean; readonly expiresIn?: number };

describe.skipIf(browserPath === undefined)("the portal", () => {
	let opened: OpenConsole;
	let tenant: Tenant;
	let host: Bun.Server<undefined>;
	let encf = "";
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
		tenant = await createTenant(opened.service, { webhook: true });
		const answer = await postInvoice(opened.service, tenant, buildInvoice(tenant));
		const issued = (await answer.json()) as { docId: string; encf: string };
		encf = issued.encf;
		await untilDecided(opened.service, tenant, issued.docId);
		// Another site: the service's own page is at localhost.
		host = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch: ({ url }) => {
				const src = decodeURIComponent(new URL(url).search.slice(1)).replaceAll("&", "&amp;").replaceAll('"', "&quot;");
				const listen = 'addEventListener("message", ({ data, origin }) => (window.heard = [data.type, origin]))';
				return new Response(
					`<!doctype html><html lang="es"><title>ERP</title><style>body{margin:0}iframe{border:0;width:100%;height:860px;display:block}</style>
					<script>${listen}</script><iframe title="Sello" src="${src}"></iframe></html>`,
					{ headers: { "content-type": "text/html; charset=utf-8" } },
				);
			},
		});
		await setOrigins([host.url.origin]);
	}, 60_000);
	afterAll(async () => {
		await host.stop(true);
		await opened.close();
	});

	const send = (method: string, path: string, body: unknown) =>
		fetch(`${opened.service.url}${path}`, {
			...{ method, headers: { ...tenant.headers, "content-type": "application/json" }, body: JSON.stringify(body) },
		});
	const setOrigins = async (origins: readonly string[]) => {
		expect((await send("PUT", "/v1/portal-settings", { origins })).status).toBe(200);
	};
	const makeLink = async (terms: Terms = {}): Promise<string> => {
		const answer = await send("POST", "/v1/portal-links", { pages: ["invoices", "deliveries"], ...terms });
		expect(answer.status).toBe(201);
		return ((await answer.json()) as { url: string }).url;
	};
	/** The portal in the other site's page. Its own requests go to its own origin alone. */
	const embed = async (link: string, width = 1280): Promise<{ page: Page; frame: Frame }> => {
		const page = await opened.context.newPage();
		await page.setViewportSize({ width, height: 900 });
		await page.goto(`${host.url.origin}/?${encodeURIComponent(link.replace("#", "?lang=es#"))}`);
		const frame = page.frames()[1];
		if (!frame) throw new Error("the page has no frame");
		return { page, frame };
	};
	const faultsBesides = (origin: string) => opened.takeFaults().filter((fault) => !fault.includes(origin));

	test("a frame of an allowed site shows the invoices, without a cookie", async () => {
		await opened.context.clearCookies();
		const { page, frame } = await embed(await makeLink());
		await frame.getByRole("link", { name: encf }).waitFor();
		expect(frame.url()).not.toContain("#");
		expect(await opened.context.cookies()).toEqual([]);
		expect(await frame.getByRole("link", { name: "Emitir" }).count()).toBe(0);
		expect(await frame.getByRole("checkbox").count()).toBe(0);
		await frame.getByRole("link", { name: encf }).click();
		await frame.getByRole("tab", { name: "Documento" }).click();
		await frame.getByRole("button", { name: "Descargar" }).waitFor();
		await shoot(page, "portal-invoice");
		await frame.getByRole("link", { name: "Comprobantes" }).first().click();
		await frame.getByRole("link", { name: encf }).waitFor();
		expect(faultsBesides(host.url.origin)).toEqual([]);
		await page.close();
	});

	test("what is issued meanwhile appears by itself", async () => {
		const { page, frame } = await embed(await makeLink({ pages: ["invoices"] }));
		await frame.getByRole("link", { name: encf }).waitFor();
		const issued = (await (await postInvoice(opened.service, tenant, buildInvoice(tenant))).json()) as { encf: string };
		await frame.getByRole("link", { name: issued.encf }).waitFor();
		expect(faultsBesides(host.url.origin)).toEqual([]);
		await page.close();
	});

	for (const look of LOOKS)
		test(`the pages have no fault with ${Object.values(look).join(", ")}`, async () => {
			const { language, theme, width } = look;
			const link = (await makeLink({ redeliver: true })).replace("#", `?lang=${language}&theme=${theme}#`);
			opened.takeFaults();
			const page = await opened.context.newPage();
			await page.setViewportSize({ width, height: 900 });
			await page.goto(link);
			await page.getByRole("link", { name: encf }).waitFor();
			for (const name of ["invoices", "deliveries"] as const) {
				const word = {
					invoices: ["Comprobantes", "Invoices"],
					deliveries: ["Entregas de webhooks", "Webhook deliveries"],
				};
				const [es = "", en = ""] = word[name];
				await page
					.getByRole("navigation")
					.getByRole("link", { name: language === "es" ? es : en })
					.click();
				await page.getByRole("heading", { level: 1, name: language === "es" ? es : en }).waitFor();
				await page.getByRole("row").nth(1).waitFor();
				await shoot(page, `portal-${name}-${Object.values(look).join("-")}`);
				expect(await findViolations(page)).toEqual([]);
				expect(await overflowOf(page)).toBe(0);
			}
			expect(opened.takeFaults()).toEqual([]);
			await page.close();
		});

	test("a delivery is sent again with one click where the link allows it", async () => {
		const read = await embed(await makeLink({ pages: ["deliveries"] }));
		await read.frame.getByRole("row").nth(1).waitFor();
		expect(await read.frame.getByRole("button", { name: /Reenviar|Enviar otra vez/ }).count()).toBe(0);
		expect(await read.frame.getByRole("navigation", { name: "Páginas" }).count()).toBe(0);
		await read.page.close();
		const attempts = async () =>
			(
				(await (await fetch(`${opened.service.url}/v1/webhooks/deliveries`, { headers: tenant.headers })).json()) as {
					items: { attemptCount: number }[];
				}
			).items[0]?.attemptCount ?? 0;
		const before = await attempts();
		const { page, frame } = await embed(await makeLink({ pages: ["deliveries"], redeliver: true }));
		await frame.getByRole("row").nth(1).getByRole("button").last().click();
		await until(async () => (await attempts()) > before);
		expect(faultsBesides(host.url.origin)).toEqual([]);
		await page.close();
	});

	test("a link opens once; after a reload the page says what to do", async () => {
		const link = await makeLink();
		const { page, frame } = await embed(link);
		await frame.getByRole("link", { name: encf }).waitFor();
		await page.reload();
		const again = page.frames()[1];
		await again?.getByText("El enlace ya no vale").waitFor();
		await until(async () => (await page.evaluate("window.heard?.[0]")) === "sello:portal-ended");
		await shoot(page, "portal-used");
		expect(await findViolations(page)).toEqual([]);
		await page.close();
		const bare = await embed(link.replace(/#.*/, "#"));
		await bare.frame.getByText("Abra esta página desde su sistema").waitFor();
		await bare.page.close();
		opened.takeFaults();
	});

	test("a session that ends shows so at the next request", async () => {
		const { page, frame } = await embed(await makeLink());
		await frame.getByRole("link", { name: encf }).waitFor();
		await opened.context.route("**/v1/webhooks?*", (route) =>
			route.fulfill({
				status: 401,
				contentType: "application/problem+json",
				body: '{"type":"x/unauthorised","status":401,"title":"x"}',
			}),
		);
		await frame.getByRole("link", { name: "Entregas de webhooks" }).click();
		await frame.getByText("La sesión terminó").waitFor();
		await opened.context.unroute("**/v1/webhooks?*");
		await page.close();
		opened.takeFaults();
	});

	test("a site that is not in the settings, and one that was removed, get an empty frame", async () => {
		await setOrigins(["https://erp.example.do"]);
		const { page, frame } = await embed(await makeLink());
		await until(
			() => opened.takeFaults().some((fault) => /frame-ancestors/.test(fault)) || /chrome-error/.test(frame.url()),
		);
		expect(await page.frames()[1]?.getByRole("link", { name: encf }).count()).toBe(0);
		await page.close();
		await setOrigins([host.url.origin]);
		opened.takeFaults();
	});
});
