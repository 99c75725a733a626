/** The printed document over HTTP: there from the acknowledgement on, as the company wants it. */
import { beforeAll, describe, expect, test } from "bun:test";
import { LOGO } from "../../ecf/printing/support/logo";
import { DPI, drawDocument, lowerPart } from "../../ecf/printing/support/pictures";
import { hasPoppler, readPages } from "../../ecf/printing/support/poppler";
import { readQr } from "../../ecf/printing/support/read-qr";
import {
	buildInvoice,
	createTenant,
	get,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
} from "../../support/service";
import { documentOf } from "../support/documents";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const read = (docId: string, query = "", who = tenant) =>
	get(service, `/v1/invoices/${docId}/pdf${query}`, who.headers);
const bytesOf = async (answer: Response) => new Uint8Array(await answer.arrayBuffer());

test("a PDF with a name for its file, and the same bytes the next time", async () => {
	const { docId, request } = await documentOf("accepted");
	const answer = await read(docId);
	expect(answer.status).toBe(200);
	expect(Object.fromEntries(answer.headers)).toMatchObject({
		"content-type": "application/pdf",
		"content-disposition": `attachment; filename="${request.encf}.pdf"`,
		"cache-control": "private, no-cache",
		"x-content-type-options": "nosniff",
		etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
	});
	const bytes = await bytesOf(answer);
	expect(Buffer.from(bytes.subarray(0, 5)).toString()).toBe("%PDF-");
	expect(Buffer.compare(bytes, await bytesOf(await read(docId, "?format=a4")))).toBe(0);
});

test("what a receipt printer is sent, as bytes", async () => {
	const { docId, request } = await documentOf("accepted");
	const answer = await read(docId, "?format=escpos");
	expect(Object.fromEntries(answer.headers)).toMatchObject({
		"content-type": "application/octet-stream",
		"content-disposition": `attachment; filename="${request.encf}.bin"`,
	});
	expect([...(await bytesOf(answer)).subarray(0, 2)]).toEqual([0x1b, 0x40]);
});

test("every format has a tag of its own, and the record leads there", async () => {
	const { docId } = await documentOf("accepted");
	const formats = ["a4", "thermal_80", "thermal_58", "escpos"];
	const tags = await Promise.all(
		formats.map(async (format) => (await read(docId, `?format=${format}`)).headers.get("etag")),
	);
	expect(new Set(tags).size).toBe(formats.length);
	const record = (await (await get(service, `/v1/invoices/${docId}`, tenant.headers)).json()) as { _links: object };
	expect(record._links).toMatchObject({ pdf: `/v1/invoices/${docId}/pdf` });
});

describe.skipIf(!hasPoppler())("what it shows", () => {
	const textOf = async (answer: Response) => (await readPages(await bytesOf(answer))).join().replace(/\s+/g, " ");

	test("number, security code and QR of the acknowledgement, and the test notice", async () => {
		const { docId, acknowledgement } = await documentOf("accepted", { type: "32" });
		const { print, encf } = acknowledgement as { encf: string; print: { securityCode: string; qrUrl: string } };
		const pdf = await bytesOf(await read(docId));
		const [page] = await drawDocument(pdf);
		expect(page && readQr(lowerPart(page.page))).toBe(print.qrUrl);
		const text = (await readPages(pdf)).join().replace(/\s+/g, " ");
		for (const part of [`e-NCF: ${encf}`, `Código de Seguridad: ${print.securityCode}`, "DOCUMENTO DE PRUEBA"]) {
			expect(text).toContain(part);
		}
		expect(text).not.toContain("VALIDEZ");
	});

	test("of a rejected document that it has no fiscal value", async () => {
		const { docId } = await documentOf("rejected");
		expect(await textOf(await read(docId))).toContain("RECHAZADO POR LA ADMINISTRACIÓN TRIBUTARIA");
	});

	test("a company's paper and logo, at once when they change", async () => {
		const pdfLogo = Buffer.from(LOGO).toString("base64");
		const own = await createTenant(service, { company: { settings: { printFormat: "thermal_58" } } });
		const issued = await postInvoice(service, own, buildInvoice(own));
		expect(issued.status).toBe(202);
		const { docId } = (await issued.json()) as { docId: string };
		const plain = await read(docId, "", own);
		const [plainPage] = await drawDocument(await bytesOf(plain));
		const change = await fetch(`${service.url}/v1/company/${own.tenantId}`, {
			method: "PATCH",
			headers: { ...own.headers, "content-type": "application/json" },
			body: JSON.stringify({ pdfLogo }),
		});
		expect(change.status).toBe(200);
		const [withLogo] = await drawDocument(await bytesOf(await read(docId, "?format=thermal_58", own)));
		if (!plainPage || !withLogo) throw new Error("no page was drawn");
		expect(plainPage.page.width).toBe(Math.ceil((58 / 25.4) * DPI));
		expect(withLogo.page.height).toBeGreaterThan(plainPage.page.height);
	});
});
