import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Authority, startAuthority } from "../support/authority";

const ALL = "consultadirectorio/api/consultas/listado";
const ONE = "ConsultaDirectorio/api/Consultas/ObtenerDirectorioPorRnc";
const receiver = {
	rnc: "990000052",
	name: "RECEPTORA SRL",
	receptionUrl: "https://receptora.example/ecf",
	approvalUrl: "https://receptora.example/acecf",
	authenticationUrl: null,
};
const entry = {
	nombre: receiver.name,
	rnc: receiver.rnc,
	urlRecepcion: receiver.receptionUrl,
	urlAceptacion: receiver.approvalUrl,
};

let authority: Authority;
beforeAll(async () => {
	authority = await startAuthority();
	for (const environment of ["testecf", "ecf"]) await authority.steer("directory", { ...receiver, environment });
});
afterAll(() => authority.stop());

const json = async (path: string) => (await authority.get(path)).json();

test("the test environment lists the authority's own receiver first", async () => {
	const url = `${authority.url}/testecf/emisorreceptor`;
	const own = { nombre: expect.any(String), rnc: "990000174", urlRecepcion: url, urlAceptacion: url, urlOpcional: url };
	expect(await json(`/testecf/${ALL}`)).toEqual([own, entry]);
	expect((await authority.call("/testecf/emisorreceptor/fe/autenticacion/api/semilla")).status).toBe(200);
});

test("production lists the added receivers; without authentication two addresses", async () => {
	expect(await json(`/ecf/${ALL}`)).toEqual([entry]);
});

test("one taxpayer is a list of one or a bare object, and an empty list if unknown", async () => {
	expect(await json(`/testecf/${ONE}?RNC=${receiver.rnc}`)).toEqual([entry]);
	expect(await json(`/ecf/${ONE}?rnc=${receiver.rnc}`)).toEqual(entry);
	expect(await json(`/ecf/${ONE}?rnc=990000001`)).toEqual([]);
});

test("the question must name an RNC of 9 or 11 digits", async () => {
	for (const query of ["", "?rnc=", "?rnc=123", "?rnc=x9900000x"]) {
		const response = await authority.get(`/ecf/${ONE}${query}`);
		expect(response.status).toBe(400);
		expect(await response.json()).toMatchObject({ errors: { RNC: [expect.any(String)] } });
	}
});

test("the certification environment has no directory, and a token is required", async () => {
	expect((await authority.get(`/certecf/${ALL}`)).status).toBe(404);
	expect((await authority.call(`/ecf/${ALL}`)).status).toBe(401);
});

test("as XML it is a list of elements", async () => {
	const text = await (await authority.get(`/ecf/${ALL}`, { accept: "text/xml" })).text();
	expect(text).toContain("<ArrayOfDirectorioElectronico><DirectorioElectronico><nombre>RECEPTORA SRL</nombre>");
});
