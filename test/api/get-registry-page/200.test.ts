/** The public search page: over HTTP, and in a browser with the keyboard alone, in 320 pixels, and without its script. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import axe from "axe-core";
import type { BrowserContext, Page } from "playwright-core";
import { registryPageOperations } from "../../../src/api/pages/registry";
import { SAMPLE_REGISTRY } from "../../../src/app/config/config";
import type { Call } from "../../../src/platform/operation";
import { Problem } from "../../../src/platform/problem";
import { type Registry, type RegistryEntry, type RegistryStatus, toIsoDay } from "../../../src/registry";
import { findBrowser, openBrowser } from "../../support/browser";
import { type RegistryService, startRegistryService } from "../../support/registry-service";

const LIMIT_MS = 120_000;
const browserPath = findBrowser();
let service: RegistryService;
beforeAll(async () => {
	service = await startRegistryService(SAMPLE_REGISTRY, { TRUSTED_PROXIES: "127.0.0.1" });
}, LIMIT_MS);
afterAll(() => service.stop());

const person = { rnc: "99994427192", name: "POGA CEFE MARTINEZ TORRES" };

/** Each test comes from an address of its own, because pages are limited by address. */
const get = (path: string, address: string) =>
	fetch(`${service.url}${path}`, { redirect: "manual", headers: { "x-forwarded-for": address } });

const suggested = async (q: string) => {
	const answer = await get(`/consulta/sugerencias?q=${encodeURIComponent(q)}`, "192.0.2.1");
	return ((await answer.json()) as { suggestions: RegistryEntry[] }).suggestions;
};

test("the page is not indexed, sends its form to itself alone, and is Spanish", async () => {
	const answer = await get("/consulta", "192.0.2.2");
	expect(answer.status).toBe(200);
	expect(Object.fromEntries(answer.headers)).toMatchObject({
		"content-type": "text/html; charset=utf-8",
		"cache-control": "private, no-store",
		"x-robots-tag": "noindex, nofollow",
		"referrer-policy": "no-referrer",
	});
	expect(answer.headers.get("content-security-policy")).toContain("form-action 'self'");
	const text = await answer.text();
	expect(text).toContain('<html lang="es">');
	expect(text).toContain('<meta name="robots" content="noindex, nofollow">');
	expect(await (await get("/consulta?lang=en", "192.0.2.2")).text()).toContain("<h1>Taxpayer search</h1>");
});

test("natural persons are found by their full number only", async () => {
	const named = await (await get(`/consulta?q=${encodeURIComponent(person.name)}`, "192.0.2.3")).text();
	expect(named).not.toContain(person.rnc);
	expect((await suggested(person.name)).map(({ rnc }) => rnc)).not.toContain(person.rnc);
	expect(await suggested(person.rnc.slice(0, 10))).toEqual([]);
	const moved = await get(`/consulta?q=${person.rnc}&lang=en`, "192.0.2.3");
	expect([moved.status, moved.headers.get("location")]).toEqual([303, `/consulta/${person.rnc}?lang=en`]);
	expect(await (await get(`/consulta/${person.rnc}`, "192.0.2.3")).text()).toContain(person.name);
	expect((await suggested("espiga")).map(({ rnc }) => rnc)).toEqual(["990000001"]);
});

const notAsked = () => {
	throw new Error("not asked");
};
/** The page on another registry than the service's. */
const pageOn = (registry: Partial<Registry>, mode: "companies" | "all" = "companies") =>
	registryPageOperations({
		mode,
		registry: {
			...{ suggest: notAsked, lookUpOrProblem: notAsked, historyOf: notAsked },
			...{ readConsultation: notAsked, status: notAsked, ...registry },
		},
	});

test("the operator may let persons be found by name", async () => {
	const asked: unknown[] = [];
	const suggestOn = async (_: unknown, text: string, options: object) => void asked.push([text, options]);
	for (const mode of ["companies", "all"] as const) {
		const suggest = pageOn({ suggest: suggestOn }, mode).find(({ id }) => id === "suggestForRegistryPage");
		await suggest?.handle({ url: new URL("http://x/consulta/sugerencias?q=ana") } as Call);
	}
	expect(asked).toMatchObject([
		["ana", { withPersons: false }],
		["ana", { withPersons: true }],
	]);
});

/** A page of an entry that was suspended, removed and added again, with a change of name between. */
async function changedPage(query = ""): Promise<string> {
	const rnc = "990000009";
	const entry = { rnc, name: "MOLINOS DEL CIBAO SRL", trade_name: "", economic_activity: "", payment_regime: "NORMAL" };
	const periods = [
		{ from: 20_840, to: undefined, status: "ACTIVO" },
		{ from: 20_830, to: 20_835, status: "SUSPENDIDO" },
		{ from: 20_825, to: 20_829, status: "ACTIVO" },
		{ from: 20_820, to: 20_824, status: "ACTIVO" },
	].map(({ status, ...days }) => ({ ...days, entry: { ...entry, status }, runId: "", changed: [] }));
	const operation = pageOn({
		lookUpOrProblem: () => ({ ...entry, status: "ACTIVO" }),
		historyOf: () =>
			({ begins: toIsoDay(20_820), periods, isPartial: false }) as unknown as ReturnType<Registry["historyOf"]>,
		status: () => ({ last_ingest: "2027-01-23T08:00:00.000Z", stale: false }) as RegistryStatus,
	}).find(({ id }) => id === "getRegistryEntryPage");
	const url = new URL(`http://x/consulta/${rnc}${query}`);
	return (await operation?.handle({ url, params: { document: rnc } as Record<string, string> } as Call))?.text() ?? "";
}

test("the page of an entry shows the statuses that our copy held, with their days", async () => {
	const linesOf = (text: string) =>
		[...text.matchAll(/<li class="(\w+)">(.*?)<\/li>/gs)].map(([, mark, line]) => [
			mark,
			line?.replace(/<[^>]+>/g, ""),
		]);
	expect(linesOf(await changedPage("?lang=en"))).toEqual([
		["active", "ACTIVO since January 22, 2027"],
		["absent", "Not in the registry January 18, 2027 to January 21, 2027"],
		["inactive", "SUSPENDIDO January 12, 2027 to January 17, 2027"],
		["active", "ACTIVO January 2, 2027 or earlier to January 11, 2027"],
	]);
	expect(await changedPage()).toContain("Según nuestra copia del registro");
	const real = await (await get("/consulta/990000001", "192.0.2.11")).text();
	expect(linesOf(real)).toEqual([["active", expect.stringMatching(/^ACTIVO desde el .* o antes$/)]]);
});

test("an unknown number, an invalid one and an erased one get the same page", async () => {
	const pageOf = async (number: string) => {
		const answer = await get(`/consulta/${number}`, "192.0.2.4");
		return [answer.status, (await answer.text()).replaceAll(number, "N")];
	};
	const unknown = await pageOf("123456789");
	expect(unknown[0]).toBe(404);
	expect(await pageOf("12345")).toEqual(unknown);
	expect((await get("/consulta/990000003", "192.0.2.4")).status).toBe(200);
	const reason = { legal_basis: "data-error", request_reference: "1", requested_by: "a", reason: "b" };
	const officer = await service.createOfficer();
	const headers = { ...officer, "idempotency-key": crypto.randomUUID(), "content-type": "application/json" };
	const path = `${service.url}/v1/authority/document/990000003:purge`;
	expect((await fetch(path, { method: "POST", headers, body: JSON.stringify(reason) })).status).toBe(200);
	expect(await pageOf("990000003")).toEqual(unknown);
	expect((await suggested("990000003")).length).toBe(0);
});

test("a consultation number is verified for its own parties alone", async () => {
	const key = await service.createKey(["registry:read"]);
	const answer = await fetch(`${service.url}/v1/authority/document/990000001:attest`, {
		method: "POST",
		headers: { "x-api-key": key, "content-type": "application/json" },
		body: "{}",
	});
	const { consultation_number: number } = (await answer.json()) as { consultation_number: string };
	const say = async (document: string, requester = "") => {
		const query = new URLSearchParams({ number, document, requester, lang: "en" });
		return (await get(`/consulta/verificar?${query}`, "192.0.2.10")).text();
	};
	const valid = await say("990-00000-1");
	expect(valid).toContain("The consultation number is valid.");
	expect(valid).toContain("990-00000-1 was in the registry with status ACTIVO.");
	for (const other of [await say("990000002"), await say("990000001", "131880681"), await say("12"), await say("")]) {
		expect(other).toContain("does not belong to these details");
	}
	expect(await (await get("/consulta/verificar", "192.0.2.10")).text()).toContain("<h1>Verificar un número");
});

test("what was typed cannot become markup", async () => {
	const hostile = '"><img src=x onerror=alert(1)>';
	const q = encodeURIComponent(hostile);
	for (const path of [`/consulta?q=${q}`, `/consulta/${q}`, `/consulta/verificar?number=${q}`]) {
		const text = await (await get(path, "192.0.2.5")).text();
		expect(text).not.toContain("<img");
		expect(text).toContain("&quot;&gt;&lt;img");
	}
	expect(await (await get("/consulta?q=a", "192.0.2.5")).text()).toContain("al menos dos letras");
});

test("readers get a page while the registry is unavailable, programs a problem", async () => {
	const status = () => ({ last_ingest: null, stale: false }) as RegistryStatus;
	const [operation] = pageOn({ status });
	const problem = new Problem("registry-unavailable", { headers: { "retry-after": "30" } });
	const render = (accept: string) =>
		operation?.renderProblem?.(problem, new Request("http://x/consulta", { headers: { accept } }), "1");
	expect([render("*/*"), render("application/json"), render("")]).toEqual([undefined, undefined, undefined]);
	const page = render("text/html");
	expect([page?.status, page?.headers.get("retry-after")]).toEqual([503, "30"]);
	expect(await page?.text()).toContain("<h1>La consulta no está disponible</h1>");
});

test("an address opens 30 pages a minute, and its suggestions do not count as pages", async () => {
	const address = "192.0.2.6";
	const answers = await Promise.all(Array.from({ length: 31 }, () => get("/consulta", address)));
	const [refused, ...others] = answers.filter(({ status }) => status === 429);
	expect([refused?.headers.get("content-type"), others]).toEqual(["application/problem+json; charset=utf-8", []]);
	const accept = "text/html,application/xhtml+xml,*/*;q=0.8";
	for (const [path, said] of [
		["/consulta?lang=en", "<h1>Too many requests</h1>"],
		["/consulta/990000001", "<h1>Demasiadas consultas</h1>"],
	]) {
		const page = await fetch(service.url + path, { headers: { "x-forwarded-for": address, accept } });
		expect([page.status, page.headers.get("content-type")]).toEqual([429, "text/html; charset=utf-8"]);
		expect(Number(page.headers.get("retry-after"))).toBeGreaterThan(0);
		expect(await page.text()).toContain(said ?? "");
	}
	expect((await get("/consulta/sugerencias?q=espiga", address)).status).toBe(200);
});

describe.skipIf(browserPath === undefined)("in a browser", () => {
	let context: BrowserContext;
	let close: () => Promise<void>;
	const complaints: string[] = [];
	beforeAll(async () => {
		({ context, close } = await openBrowser(browserPath ?? ""));
	}, LIMIT_MS);
	afterAll(() => close());

	async function open(path: string, address: string, width = 1_000): Promise<Page> {
		const page = await context.newPage();
		await page.setExtraHTTPHeaders({ "x-forwarded-for": address });
		page.on("pageerror", (error) => complaints.push(error.message));
		await page.setViewportSize({ width, height: 640 });
		await page.goto(service.url + path);
		return page;
	}
	/** The policy allows no script of others, so axe is run from outside the page. */
	async function violationsOf(page: Page): Promise<string[]> {
		await page.evaluate(axe.source);
		return page.evaluate(async () => {
			const { axe } = globalThis as unknown as { axe: typeof import("axe-core") };
			return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
		});
	}
	const isWithin = (page: Page) => page.evaluate<boolean>("document.documentElement.scrollWidth <= innerWidth");

	test(
		"the keyboard alone leads from the box to an entry, with no violations",
		async () => {
			const page = await open("/consulta", "192.0.2.7");
			expect(await violationsOf(page)).toEqual([]);
			const box = page.getByRole("combobox");
			await page.locator("#q:focus").waitFor();
			await page.keyboard.type("la espi");
			await page.getByRole("option").first().waitFor();
			expect(await box.getAttribute("aria-expanded")).toBe("true");
			await page.keyboard.press("Escape");
			expect([await box.inputValue(), await page.getByRole("option").count()]).toEqual(["la espi", 0]);
			await page.keyboard.type("g");
			await page.getByRole("option").first().waitFor();
			await page.keyboard.press("ArrowUp");
			await page.keyboard.press("ArrowDown");
			expect(await box.getAttribute("aria-activedescendant")).toBeNull();
			await page.keyboard.press("ArrowDown");
			expect(await page.getByRole("option", { selected: true }).textContent()).toContain("PANADERIA LA ESPIGA SRL");
			expect(await page.getByRole("status").textContent()).toContain("1 sugerencias");
			expect(await violationsOf(page)).toEqual([]);
			await page.keyboard.press("Enter");
			await page.waitForURL("**/consulta/990000001");
			expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("PANADERIA LA ESPIGA SRL");
			expect(await violationsOf(page)).toEqual([]);
			expect(complaints).toEqual([]);
		},
		LIMIT_MS,
	);

	test(
		"everything fits into 320 pixels, with no violations",
		async () => {
			const [body, headers] = [await changedPage(), { "content-type": "text/html; charset=utf-8" }];
			await context.route("**/consulta/990000009", (route) => route.fulfill({ body, headers }));
			for (const path of [
				"/consulta?q=comercial&lang=en",
				"/consulta/990000009",
				"/consulta/123456789?lang=en",
				"/consulta/verificar?number=1",
			]) {
				const page = await open(path, "192.0.2.8", 320);
				expect({ path, fits: await isWithin(page), violations: await violationsOf(page) }).toEqual({
					...{ path, fits: true, violations: [] },
				});
			}
		},
		LIMIT_MS,
	);

	test(
		"without its script the form finds and shows an entry",
		async () => {
			await context.route("**/consulta.js", (route) => route.abort());
			const page = await open("/consulta?lang=en", "192.0.2.9");
			await page.locator("#q:focus").waitFor();
			await page.keyboard.type("espiga");
			await page.keyboard.press("Enter");
			await page.waitForURL("**/consulta?**q=espiga**");
			await page.getByRole("link", { name: "PANADERIA LA ESPIGA SRL" }).press("Enter");
			await page.waitForURL("**/consulta/990000001?lang=en");
			expect(await page.getByText("Payment regime").count()).toBe(1);
		},
		LIMIT_MS,
	);
});
