import { expect, test } from "bun:test";
import { createOpenApi } from "../../../../src/api/openapi";
import { createGuides } from "../../../../src/api/pages/docs/guides";
import { createSearchIndex, markWords } from "../../../../src/api/pages/docs/search";
import { createDocsSearch } from "../../../../src/api/pages/docs/search-page";
import { explainAll } from "../../../../src/authority/codes";
import { declaredOperations } from "../../support/declared-operations";

const BASE_URL = "https://api.example";
const search = createDocsSearch({
	...{ baseUrl: BASE_URL, docsLanguage: "es", isRegistryAlone: false },
	guides: createGuides({ baseUrl: BASE_URL, environment: "sandbox", isRegistryAlone: false }),
	codes: { en: explainAll("en"), es: explainAll("es") },
	environment: "sandbox",
	documentIn: async () => createOpenApi(declaredOperations(), { baseUrl: BASE_URL }),
	operations: () => declaredOperations(),
});

const FIRST = 3;

/** What readers type, and the page that answers. */
test.each([
	["es", "anular factura", "/docs/es/notes"],
	["es", "nota de credito", "/docs/es/notes"],
	["es", "esperar el veredicto", "/docs/es/status"],
	["es", "repetir una solicitud", "/docs/es/idempotency"],
	["es", "verificar firma webhook php", "/docs/es/webhooks"],
	["es", "reintentos webhook", "/docs/es/webhooks"],
	["es", "imprimir pdf", "/docs/es/printing"],
	["es", "código qr", "/docs/es/printing"],
	["es", "secuencia", "/docs/es/sequences"],
	["es", "certificado", "/docs/es/certificates"],
	["es", "reloj de prueba", "/docs/es/sandbox"],
	["es", "429", "/errors/rate-limit-exceeded"],
	["es", "código 614", "/docs/es/codes"],
	["es", "consultar contribuyente", "/docs/es/look-up"],
	["es", "606", "/docs/es/purchases-606"],
	["es", "aprobación comercial", "/docs/es/approvals"],
	["es", "evidencia", "/docs/es/evidence"],
	["es", "copia de seguridad", "/docs/es/backup"],
	["es", "actualizar versión", "/docs/es/upgrade"],
	["es", "PORT", "/docs/es/settings"],
	["es", "caja sin conexión", "/docs/es/tills"],
	["es", "moneda dólares", "/docs/es/totals"],
	["es", "backup", "/docs/es/backup"],
	["en", "credit note", "/docs/en/notes"],
	["en", "nota de crédito", "/docs/en/notes"],
	["en", "rate limit", "/errors/rate-limit-exceeded"],
	["en", "going live", "/docs/en/go-live"],
	["en", "getInvoicePdf", "/docs/en/api/getInvoicePdf"],
] as const)("in %s, “%s” finds %s among the first three", (language, query, page) => {
	const pages = search(language, query)
		.slice(0, FIRST)
		.map(({ url }) => url.replace(/#.*/, ""));
	expect(pages).toContain(page);
});

test("rubbish finds nothing, and no page has more than two sections among the hits", () => {
	expect(search("es", "xyzzy qwerty")).toEqual([]);
	expect(search("es", "¿? — ...")).toEqual([]);
	expect(search("es", "de la en el")).toEqual([]);
	const pages = search("es", "factura").map(({ url }) => url.replace(/#.*/, ""));
	expect(pages.length).toBeGreaterThan(5);
	expect(pages.length).toBeLessThanOrEqual(20);
	for (const [page, hits] of Map.groupBy(pages, (one) => one)) {
		if (!page.includes("/api/")) expect([page, hits.length <= 2]).toEqual([page, true]);
	}
});

test("the last word may be unfinished; excerpts begin near what was found", () => {
	const entries = [
		{ url: "/a", title: "Numbers", heading: "Numbers", text: `${"filler ".repeat(60)}sequence of ranges` },
		{ url: "/b", title: "Other", heading: "Other", text: "nothing" },
	];
	const index = createSearchIndex(entries, []);
	expect(index.search("sequ").map(({ url }) => url)).toEqual(["/a"]);
	expect(index.search("ranges")[0]?.excerpt).toContain("sequence of ranges");
	expect(index.search("ranges")[0]?.excerpt.length).toBeLessThan(200);
});

test("words are marked, and a text of the query cannot become markup", () => {
	expect(markWords("Las claves <b> y más", "clave más")).toBe("Las <mark>claves</mark> &lt;b&gt; y <mark>más</mark>");
});
