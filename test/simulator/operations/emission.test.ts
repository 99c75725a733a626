/** The authority's issuer–receiver simulator, in both of its parts, against a receiver of the test's own. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toAuthorityDateTime } from "../../../src/platform/values";
import { findJudge } from "../../support/judges";
import { type Authority, bodyOf, sharedIdentity, startAuthority } from "../support/authority";
import { approval, BUYER, ecf, ISSUER } from "../support/documents";
import { makeIdentity, sign } from "../support/signer";

const xmlsec1 = findJudge("xmlsec1");
const validate = findJudge("validate-ecf");

const BASE = "/testecf/emisorreceptor";
const OWN = "990000174";

type Received = { readonly path: string; readonly authorization: string | null; readonly body: string };

let authority: Authority;
let received: Received[] = [];
let answersReceipt = true;
let writesReceipt = (xml: string) => xml;
const receiver = Bun.serve({ port: 0, fetch: (request) => answer(request) });
const receiverUrl = `http://127.0.0.1:${receiver.port}/base`;
beforeAll(async () => {
	authority = await startAuthority();
});
afterAll(async () => {
	await authority.stop();
	await receiver.stop(true);
});

/** An electronic receiver as small as it can be: it believes everything. */
async function answer(request: Request): Promise<Response> {
	const { pathname } = new URL(request.url);
	const body = await request.text();
	received.push({ path: pathname, authorization: request.headers.get("authorization"), body });
	if (pathname.endsWith("/semilla")) {
		return new Response(
			"<?xml version='1.0'?>\n<SemillaModel>\n <valor>a&amp;b</valor>\n <fecha>2026-01-01T00:00:00-04:00</fecha>\n</SemillaModel>",
		);
	}
	if (pathname.endsWith("/validacioncertificado")) return Response.json({ token: "T", expira: "", expedido: "" });
	if (pathname.endsWith("/aprobacioncomercial/api/ecf"))
		return new Response(null, { status: answersReceipt ? 200 : 400 });
	if (!answersReceipt) return new Response("no");
	const read = (name: string) => new RegExp(`<${name}>([^<]*)<`).exec(body)?.[1] ?? "";
	const xml = [
		"<ARECF><DetalleAcusedeRecibo><Version>1.0</Version>",
		`<RNCEmisor>${read("RNCEmisor")}</RNCEmisor><RNCComprador>${BUYER}</RNCComprador>`,
		`<eNCF>${read("eNCF")}</eNCF><Estado>0</Estado>`,
		`<FechaHoraAcuseRecibo>${toAuthorityDateTime(new Date())}</FechaHoraAcuseRecibo></DetalleAcusedeRecibo></ARECF>`,
	].join("");
	return new Response(await sign(writesReceipt(xml), await sharedIdentity()));
}

const motive = (code: string) => `<CodigoMotivoNoRecibido>${code}</CodigoMotivoNoRecibido>`;
const notReceived = (code: string) => `<Estado>1</Estado>${motive(code)}`;

const order = async (action: string, body: object) =>
	authority.call(`${BASE}/api/emision/${action}`, {
		method: "POST",
		body: JSON.stringify(body),
		headers: await authority.bearer(),
	});
const lastBody = () => received.at(-1)?.body ?? "";

describe("the authority's own issuer", () => {
	test.each(["31", "33", "34", "44"])("sends an e-CF of type %s, and knows its acknowledgement", async (tipoEncf) => {
		received = [];
		const wanted = { rnc: BUYER, tipoEncf, urlRecepcion: receiverUrl, urlAutenticacion: `${receiverUrl}/` };
		const response = await order("emisioncomprobantes", wanted);
		expect(response.status).toBe(200);
		const xml = await response.text();
		expect(received.map(({ path, authorization }) => [path, authorization])).toEqual([
			["/base/fe/autenticacion/api/semilla", null],
			["/base/fe/autenticacion/api/validacioncertificado", null],
			["/base/fe/recepcion/api/ecf", "Bearer T"],
		]);
		expect(lastBody()).toContain(xml);
		expect(lastBody()).toMatch(
			/Content-Type: multipart\/form-data;\r\n.*name=xml; filename=\d{9}E\d{12}\.xml; filename\*=utf-8''/,
		);
		expect(xml).toStartWith("<ECF><Encabezado><Version>1</Version>");
		const encf = /<eNCF>(.*?)</.exec(xml)?.[1] ?? "";
		const reported = await authority.get(`${BASE}/api/Emision/ConsultaAcuseRecibo?Rnc=${BUYER}&Encf=${encf}`);
		expect(await reported.json()).toEqual({ rnc: BUYER, encf, estado: "Recibido", mensajes: [] });
		const path = "/testecf/consultaestado/api/consultas/estado";
		const state = await authority.get(`${path}?rncemisor=${OWN}&ncfelectronico=${encf}`);
		expect(await state.json()).toMatchObject({ codigo: 1, estado: "Aceptado" });
	});

	test.skipIf(!xmlsec1 || !validate)(
		"its e-CFs verify elsewhere and are valid by the authority's schemas",
		async () => {
			const folder = mkdtempSync(join(tmpdir(), "simulator-emission-"));
			const types = ["31", "32", "33", "34", "41", "43", "44", "45", "46", "47"];
			for (const tipoEncf of types) {
				const xml = await (
					await order("emisioncomprobantes", { rnc: BUYER, tipoEncf, urlRecepcion: receiverUrl })
				).text();
				const file = join(folder, `${tipoEncf}.xml`);
				writeFileSync(file, xml);
				await expectSigned(folder, file, xml);
				expect(await validate?.(file)).toMatchObject({ exitCode: 0 });
			}
			rmSync(folder, { recursive: true });
		},
	);

	test("that gets no acknowledgement says why", async () => {
		answersReceipt = false;
		const wanted = { rnc: BUYER, tipoEncf: 31, urlRecepcion: receiverUrl };
		expect((await order("emisioncomprobantes", wanted)).status).toBe(400);
		answersReceipt = true;
		const anonymous = await order("emisioncomprobantes", { ...wanted, urlRecepcion: "http://127.0.0.1:1" });
		expect(await anonymous.json()).toMatchObject({ mensaje: expect.stringContaining("no acusó recibo") });
	});

	test.each([
		["no buyer", /<RNCComprador>.*<\/RNCComprador>/, "", "Falta el elemento RNCComprador"],
		["a state that there is none of", "<Estado>0", "<Estado>7", "El campo Estado"],
		["a motive that there is none of", "<Estado>0</Estado>", notReceived("9"), "El campo CodigoMotivoNoRecibido"],
		["a motive for what was received", "</Estado>", `</Estado>${motive("1")}`, "CodigoMotivoNoRecibido"],
		["an empty element", "</Estado>", `</Estado>${motive("")}`, "CodigoMotivoNoRecibido"],
		["another issuer", `<RNCEmisor>${OWN}`, `<RNCEmisor>${ISSUER}`, "no es el acuse de recibo"],
		["another buyer", `<RNCComprador>${BUYER}`, `<RNCComprador>${ISSUER}`, "no es el acuse de recibo"],
	])("takes no acknowledgement with %s", async (_, from, to, reported) => {
		writesReceipt = (xml) => xml.replace(from, to);
		const response = await order("emisioncomprobantes", { rnc: BUYER, tipoEncf: 31, urlRecepcion: receiverUrl });
		writesReceipt = (xml) => xml;
		expect([response.status, await response.json()]).toEqual([400, { mensaje: expect.stringContaining(reported) }]);
	});

	test("knows what was not received, and why", async () => {
		writesReceipt = (xml) => xml.replace("<Estado>0</Estado>", notReceived("3"));
		const response = await order("emisioncomprobantes", { rnc: BUYER, tipoEncf: 31, urlRecepcion: receiverUrl });
		writesReceipt = (xml) => xml;
		const encf = /<eNCF>(.*?)</.exec(await response.text())?.[1] ?? "";
		const reported = await authority.get(`${BASE}/api/emision/consultaacuserecibo?rnc=${BUYER}&encf=${encf}`);
		expect(await reported.json()).toMatchObject({ encf, estado: "No Recibido" });
	});

	test("sends approvals with namespaces on the root, no encoding, no decimals", async () => {
		await authority.submit(ecf({ encf: "E310000000900" }));
		const wanted = { rnc: ISSUER, encf: "E310000000900", estadoAprobacion: "1", urlAprobacionComercial: receiverUrl };
		expect((await order("envioaprobacioncomercial", wanted)).status).toBe(200);
		expect(lastBody()).toContain('<?xml version="1.0"?><ACECF xmlns:xsd=');
		expect(lastBody()).toContain("<MontoTotal>118</MontoTotal>");
		expect(lastBody()).not.toContain("Content-Type: ");
		expect((await order("envioaprobacioncomercial", { ...wanted, estadoAprobacion: 2 })).status).toBe(200);
		expect(lastBody()).toContain("<Estado>2</Estado><DetalleMotivoRechazo>");
		expect((await order("envioaprobacioncomercial", { ...wanted, encf: "E310000000901" })).status).toBe(400);
	});

	test.skipIf(!xmlsec1)("its commercial approvals hold for another implementation", async () => {
		await authority.submit(ecf({ encf: "E310000000902" }));
		const wanted = { rnc: ISSUER, encf: "E310000000902", estadoAprobacion: "1", urlAprobacionComercial: receiverUrl };
		expect((await order("envioaprobacioncomercial", wanted)).status).toBe(200);
		const xml = /<ACECF.*<\/ACECF>/s.exec(lastBody())?.[0] ?? "";
		const folder = mkdtempSync(join(tmpdir(), "simulator-emission-"));
		writeFileSync(join(folder, "acecf.xml"), xml);
		await expectSigned(folder, join(folder, "acecf.xml"), xml);
		rmSync(folder, { recursive: true });
	});

	test("refuses orders that are not whole, and callers without a token", async () => {
		expect((await order("emisioncomprobantes", { rnc: "1" })).status).toBe(400);
		expect((await order("envioaprobacioncomercial", {})).status).toBe(400);
		expect((await authority.call(`${BASE}/api/emision/emisioncomprobantes`, { method: "POST" })).status).toBe(401);
		expect((await authority.get(`/ecf/emisorreceptor/api/emision/consultaacuserecibo`)).status).toBe(404);
	});
});

/** Fails unless xmlsec1 finds the signature good for the certificate that comes with it. */
async function expectSigned(folder: string, file: string, xml: string): Promise<void> {
	const certificate = /<X509Certificate>([^<]*)</.exec(xml)?.[1] ?? "";
	const pem = join(folder, "certificate.pem");
	const lines = certificate.match(/.{1,64}/g) ?? [];
	writeFileSync(pem, ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"));
	const flags = ["--enabled-reference-uris", "empty,same-doc", "--pubkey-cert-pem", pem, file];
	expect(await xmlsec1?.("--verify", ...flags)).toMatchObject({ exitCode: 0 });
}

describe("the authority's own receiver", () => {
	const signed = async (xml: string) => sign(xml, await sharedIdentity());
	const send = async (xml: string, path = "recepcion/api/ecf") => {
		const seed = await (await authority.call(`${BASE}/fe/autenticacion/api/semilla`)).text();
		const answered = await authority.post(
			`${BASE}/fe/autenticacion/api/validacioncertificado`,
			"semilla.xml",
			await signed(seed.replace(/>\s+</g, "><")),
		);
		const { token } = await bodyOf<{ token: string }>(answered);
		return authority.post(`${BASE}/fe/${path}`, "x.xml", xml, { headers: { authorization: `Bearer ${token}` } });
	};
	const receiptOf = async (xml: string) => {
		const text = await (await send(xml)).text();
		const read = (name: string) => new RegExp(`<${name}>([^<]*)<`).exec(text)?.[1];
		return [read("Estado"), read("CodigoMotivoNoRecibido")];
	};

	test("acknowledges an e-CF that is for it, and a second time calls it a duplicate", async () => {
		const xml = await signed(ecf({ encf: "E310000000700", buyer: OWN }));
		expect(await receiptOf(xml)).toEqual(["0", undefined]);
		expect(await receiptOf(xml)).toEqual(["1", "3"]);
	});

	test("says why it does not accept one: specification, signature, another buyer", async () => {
		const good = { encf: "E310000000701", buyer: OWN };
		expect(await receiptOf(await signed(ecf(good).replace("<TipoPago>1", "<TipoPago>7")))).toEqual(["1", "1"]);
		expect(await receiptOf(await signed(ecf({ type: "41", encf: "E410000000701", buyer: OWN })))).toEqual(["1", "1"]);
		expect(await receiptOf((await signed(ecf(good))).replace("Cemento", "Arena"))).toEqual(["1", "2"]);
		expect(await receiptOf(await signed(ecf({ ...good, buyer: BUYER })))).toEqual(["1", "4"]);
		expect((await send("no XML")).status).toBe(400);
	});

	test.skipIf(!xmlsec1)("its acknowledgements hold for another implementation", async () => {
		const text = await (await send(await signed(ecf({ encf: "E310000000702", buyer: OWN })))).text();
		const folder = mkdtempSync(join(tmpdir(), "simulator-emission-"));
		writeFileSync(join(folder, "arecf.xml"), text);
		await expectSigned(folder, join(folder, "arecf.xml"), text);
		rmSync(folder, { recursive: true });
	});

	test("takes approvals of its own documents with 200, and others' with 400", async () => {
		const path = "aprobacioncomercial/api/ecf";
		const own = { encf: "E310000000001", issuer: OWN };
		expect((await send(await signed(approval(own)), path)).status).toBe(200);
		expect((await send(await signed(approval({ ...own, issuer: ISSUER })), path)).status).toBe(400);
		expect((await send(await sign(approval(own), await makeIdentity({ keyBits: 1024 })), path)).status).toBe(400);
	});

	test("asks for a token", async () => {
		expect((await authority.post(`${BASE}/fe/recepcion/api/ecf`, "x.xml", "x")).status).toBe(401);
	});
});
