import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Authority, sharedIdentity, startAuthority } from "../support/authority";
import { BUYER, ecf, ISSUER, summary } from "../support/documents";
import { securityCodeOf, sign } from "../support/signer";

let authority: Authority;
beforeAll(async () => {
	authority = await startAuthority();
});
afterAll(() => authority.stop());

const page = async (path: string) => {
	const response = await authority.call(path);
	expect(response.status).toBe(200);
	expect(response.headers.get("content-type")).toContain("text/html");
	return response.text();
};

test("the page of an e-CF shows both parties, the totals and the state", async () => {
	const document = await sign(ecf(), await sharedIdentity());
	await authority.send(document);
	const code = encodeURIComponent(securityCodeOf(document));
	const query = `RncEmisor=${ISSUER}&RncComprador=${BUYER}&ENCF=E310000000001&MontoTotal=118.00&CodigoSeguridad=${code}`;
	const text = await page(`/testecf/ConsultaTimbre?${query}`);
	for (const part of ["EMISORA SRL", "COMPRADORA SRL", "E310000000001", "118.00", "18.00", "Aceptado"]) {
		expect(text).toContain(part);
	}
	expect(await page(`/testecf/consultatimbre?${query.replace("118.00", "119.00")}`)).toContain("No encontrado");
});

test("the page of a consumer summary shows the issuer, the number and the state", async () => {
	await authority.send(await sign(summary({ securityCode: "a+/=bc" }), await sharedIdentity()), "fc");
	const query = `RncEmisor=${ISSUER}&ENCF=E320000000001&MontoTotal=118.00&CodigoSeguridad=a%2B%2F%3Dbc`;
	expect(await page(`/testecf/ConsultaTimbreFC?${query}`)).toContain("Aceptado");
	expect(await page(`/testecf/ConsultaTimbre?${query}`)).toContain("No encontrado");
});

test("a page shows what it is asked for as text", async () => {
	const text = await page("/testecf/consultatimbre?rncemisor=1&encf=%3Cscript%3E");
	expect(text).toContain("&lt;SCRIPT&gt;");
});

test("a rejected document is shown as rejected", async () => {
	await authority.submit(ecf({ encf: "E310000000002", buyer: "000000002" }));
	expect(await page(`/testecf/consultatimbre?rncemisor=${ISSUER}&encf=E310000000002`)).toContain("Rechazado");
});

test("a path or a method that the authority does not have is refused", async () => {
	expect((await authority.call("/testecf/nothing")).status).toBe(404);
	expect((await authority.call("/otherenv/autenticacion/api/autenticacion/semilla")).status).toBe(404);
	const wrong: [method: string, path: string, allow: string][] = [
		["POST", "/testecf/autenticacion/api/autenticacion/semilla", "GET"],
		["GET", "/TesteCF/Recepcion/api/FacturasElectronicas", "POST"],
		["PUT", "/_simulator/faults", "GET, DELETE, POST"],
	];
	for (const [method, path, allow] of wrong) {
		const response = await authority.call(path, { method });
		expect([response.status, response.headers.get("allow")]).toEqual([405, allow]);
	}
});

test("each service has a page that lists its operations, with what a caller needs", async () => {
	const services = [
		...["autenticacion", "recepcion", "recepcionfc", "consultarfce", "consultaresultado", "consultaestado"],
		...["consultatrackids", "aprobacioncomercial", "anulacionrangos", "consultadirectorio", "emisorreceptor"],
	];
	for (const service of services) {
		const text = await page(`/TesteCF/${service}/Help/index.html`);
		expect(text).toContain(`/testecf/${service}/`);
		expect(text).toContain(service === "autenticacion" ? "sin autenticación" : "Bearer {token}");
	}
	expect(await page("/certecf/recepcion/help/index.html")).toContain("/certecf/recepcion/api/facturaselectronicas");
	for (const path of ["certecf/consultaestado", "ecf/emisorreceptor", "certecf/anulacionrangos", "ecf/nothing"]) {
		expect((await authority.call(`/${path}/help/index.html`)).status).toBe(404);
	}
});
