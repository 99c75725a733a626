import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Authority, bodyOf, sharedIdentity, startAuthority } from "../support/authority";
import { BUYER, ecf, ISSUER, summary } from "../support/documents";
import { makeIdentity, securityCodeOf, sign } from "../support/signer";

const STATE = "/testecf/consultaestado/api/consultas/estado";
const TRACK_IDS = "/testecf/consultatrackids/api/trackids/consulta";
const SUMMARY = "/testecf/consultarfce/api/Consultas/Consulta";

let authority: Authority;
beforeAll(async () => {
	authority = await startAuthority();
});
afterAll(() => authority.stop());

const signed = async (xml: string) => sign(xml, await sharedIdentity());

describe("the result by trackId", () => {
	test("has the time of reception as en-US local time", async () => {
		const { fechaRecepcion } = await authority.result(await authority.submit(ecf({ encf: "E310000000001" })));
		expect(fechaRecepcion).toMatch(/^\d{1,2}\/\d{1,2}\/\d{4} \d{1,2}:\d\d:\d\d (AM|PM)$/);
	});

	test("of an unknown trackId is code 0", async () => {
		const unknown = await authority.result("00000000-0000-0000-0000-000000000000");
		expect(unknown).toMatchObject({ codigo: "0", estado: "No encontrado" });
	});

	test("finds its parameter in any letter case", async () => {
		const trackId = await authority.submit(ecf({ encf: "E310000000002" }));
		const response = await authority.get(`/testecf/ConsultaResultado/api/Consultas/Estado?TrackId=${trackId}`);
		expect(await response.json()).toMatchObject({ codigo: "1" });
	});

	test("is XML when XML is accepted", async () => {
		const path = "/testecf/consultaresultado/api/consultas/estado?trackid=x";
		const text = await (await authority.get(path, { accept: "application/xml" })).text();
		expect(text).toContain("<RespuestaConsultaTrackId><trackId>x</trackId><codigo>0</codigo>");
	});

	test("without a trackId is a validation problem of the framework", async () => {
		const response = await authority.get("/testecf/consultaresultado/api/consultas/estado");
		expect(response.status).toBe(400);
		expect(await response.json()).toMatchObject({ status: 400, errors: { trackid: [expect.any(String)] } });
	});

	test("belongs to its environment", async () => {
		const trackId = await authority.submit(ecf({ encf: "E310000000003" }));
		const response = await authority.get(`/ecf/consultaresultado/api/consultas/estado?trackid=${trackId}`);
		expect(await response.json()).toMatchObject({ codigo: "0" });
	});
});

describe("the state by number", () => {
	test("gives the figures of an accepted document, amounts as numbers", async () => {
		const document = await signed(ecf({ encf: "E310000000010" }));
		await authority.send(document);
		const response = await authority.get(`${STATE}?RncEmisor=${ISSUER}&NcfElectronico=E310000000010`);
		expect(await response.json()).toMatchObject({
			codigo: 1,
			estado: "Aceptado",
			rncEmisor: ISSUER,
			ncfElectronico: "E310000000010",
			montoTotal: 118,
			totalITBIS: 18,
			rncComprador: BUYER,
			codigoSeguridad: securityCodeOf(document),
		});
	});

	test("shows a condition of a consumer summary, and hides it elsewhere", async () => {
		await authority.submit(ecf({ encf: "E310000000011", total: "200.00" }));
		const hidden = await authority.get(`${STATE}?rncemisor=${ISSUER}&ncfelectronico=E310000000011`);
		expect(await hidden.json()).toMatchObject({ codigo: 1 });
		await authority.send(await signed(summary({ encf: "E320000000011", buyer: "000000003" })), "fc");
		const shown = await authority.get(`${STATE}?rncemisor=${ISSUER}&ncfelectronico=E320000000011`);
		expect(await shown.json()).toMatchObject({ codigo: 4 });
	});

	test("is not found for another buyer, another security code, or an unknown number", async () => {
		await authority.submit(ecf({ encf: "E310000000012" }));
		const queries = ["E310000000012&rnccomprador=990000052", "E310000000012&codigoseguridad=xxxxxx", "E319999999999"];
		for (const query of queries) {
			const response = await authority.get(`${STATE}?rncemisor=${ISSUER}&ncfelectronico=${query}`);
			expect(await response.json()).toMatchObject({ codigo: 0 });
		}
	});

	test("does not exist in the certification environment", async () => {
		const response = await authority.get(`${STATE.replace("testecf", "certecf")}?rncemisor=${ISSUER}`);
		expect(response.status).toBe(404);
	});
});

describe("the trackIds of a number", () => {
	test("are listed oldest first, one for each submission", async () => {
		const document = await signed(ecf({ encf: "E310000000020" }));
		const first = await authority.trackIdOf(document);
		const second = await authority.trackIdOf(document);
		const response = await authority.get(`${TRACK_IDS}?rncemisor=${ISSUER}&encf=E310000000020`);
		expect(await response.json()).toEqual([
			{ trackId: first, estado: "Aceptado", fechaRecepcion: expect.any(String) },
			{ trackId: second, estado: "Aceptado", fechaRecepcion: expect.any(String) },
		]);
	});

	test("are an error when there are none", async () => {
		const response = await authority.get(`${TRACK_IDS}?rncemisor=${ISSUER}&encf=E319999999999`);
		expect(response.ok).toBe(false);
		expect(await response.json()).toMatchObject({ estado: "TrackId no encontrado." });
	});

	test("are refused for a missing or malformed number", async () => {
		const queries = [
			"encf=E310000000020",
			`rncemisor=${ISSUER}`,
			"rncemisor=99&encf=E310000000020",
			`rncemisor=${ISSUER}&encf=E31`,
			`rncemisor=${ISSUER}&encf=B310000000020`,
		];
		for (const query of queries) expect((await authority.get(`${TRACK_IDS}?${query}`)).status).toBe(400);
	});

	test("are for the delegates of the issuer", async () => {
		const outsider = await makeIdentity();
		const { token } = await bodyOf<{ token: string }>(authority.login(outsider));
		await authority.delegate({ thumbprint: outsider.thumbprint, rnc: ISSUER, delegated: false });
		const path = `${TRACK_IDS}?rncemisor=${ISSUER}&encf=E310000000020`;
		expect((await authority.get(path, { authorization: `Bearer ${token}` })).status).toBe(400);
	});
});

describe("the query of a summary", () => {
	test("gives the verdict with its code as text", async () => {
		await authority.send(await signed(summary({ encf: "E320000000030", securityCode: "a+/=bc" })), "fc");
		const query = `RNC_Emisor=${ISSUER}&ENCF=E320000000030&Cod_Seguridad_eCF=a%2B%2F%3Dbc`;
		const response = await authority.get(`${SUMMARY}?${query}`);
		expect(await response.json()).toEqual({
			rnc: ISSUER,
			encf: "E320000000030",
			secuenciaUtilizada: true,
			codigo: "1",
			estado: "Aceptado",
			mensajes: [{ valor: "", codigo: 0 }],
		});
	});

	test("does not find another security code, or a document of the other channel", async () => {
		await authority.submit(ecf({ encf: "E310000000031" }));
		for (const query of ["E320000000030&cod_seguridad_ecf=zzzzzz", "E310000000031"]) {
			const response = await authority.get(`${SUMMARY}?rnc_emisor=${ISSUER}&encf=${query}`);
			expect(await response.json()).toMatchObject({ codigo: "0", secuenciaUtilizada: false });
		}
	});
});
