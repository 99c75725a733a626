/** The simulator as a client sees it that knows the authority's description and nothing else; answers as they are on the wire. */
import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { findJudge } from "../support/judges";
import { type Authority, startAuthority } from "./support/authority";
import { authenticate, call, multipart, openSigner, type Reply, type Signer } from "./support/independent-client";

const hasSigner = findJudge("xmlsec1") !== undefined;

const ISSUER = "990000001";
const BUYER = "990000026";

const DELAY_MS = 150;

let authority: Authority;
let base: string;
let signer: Signer;
let token: string;

async function open(): Promise<void> {
	authority = await startAuthority({ delayMs: DELAY_MS });
	base = authority.url;
	signer = await openSigner();
	token = JSON.parse((await authenticate(base, "testecf", signer)).body).token;
}
async function close(): Promise<void> {
	signer.close();
	await authority.stop();
}
beforeAll(() => (hasSigner ? open() : undefined));
afterEach(() => void setSystemTime());
afterAll(() => (hasSigner ? close() : undefined));

/** The authority's wall clock: UTC-4, all year. */
function wallClock() {
	const [date = "", time = ""] = new Date(Date.now() - 4 * 3_600_000).toISOString().split(/[T.]/);
	const day = date.split("-").reverse().join("-");
	return { day, time: `${day} ${time}` };
}

function invoice(encf: string, total = "1180.00"): string {
	const { day, time } = wallClock();
	return `<?xml version="1.0" encoding="utf-8"?><ECF><Encabezado><Version>1.0</Version><IdDoc><TipoeCF>31</TipoeCF><eNCF>${encf}</eNCF><FechaVencimientoSecuencia>31-12-2028</FechaVencimientoSecuencia><IndicadorMontoGravado>0</IndicadorMontoGravado><TipoIngresos>01</TipoIngresos><TipoPago>1</TipoPago></IdDoc><Emisor><RNCEmisor>${ISSUER}</RNCEmisor><RazonSocialEmisor>Ñandú &amp; Hijos SRL</RazonSocialEmisor><DireccionEmisor>CALLE 1</DireccionEmisor><FechaEmision>${day}</FechaEmision></Emisor><Comprador><RNCComprador>${BUYER}</RNCComprador><RazonSocialComprador>COMPRADORA SRL</RazonSocialComprador></Comprador><Totales><MontoGravadoTotal>1000.00</MontoGravadoTotal><MontoGravadoI1>1000.00</MontoGravadoI1><ITBIS1>18</ITBIS1><TotalITBIS>180.00</TotalITBIS><TotalITBIS1>180.00</TotalITBIS1><MontoTotal>${total}</MontoTotal></Totales></Encabezado><DetallesItems><Item><NumeroLinea>1</NumeroLinea><IndicadorFacturacion>1</IndicadorFacturacion><NombreItem>Artículo</NombreItem><IndicadorBienoServicio>1</IndicadorBienoServicio><CantidadItem>4</CantidadItem><PrecioUnitarioItem>250.00</PrecioUnitarioItem><MontoItem>1000.00</MontoItem></Item></DetallesItems><FechaHoraFirma>${time}</FechaHoraFirma></ECF>`;
}

function summary(encf: string, securityCode: string): string {
	const { day } = wallClock();
	return `<?xml version="1.0" encoding="utf-8"?><RFCE><Encabezado><Version>1.0</Version><IdDoc><TipoeCF>32</TipoeCF><eNCF>${encf}</eNCF><TipoIngresos>01</TipoIngresos><TipoPago>1</TipoPago></IdDoc><Emisor><RNCEmisor>${ISSUER}</RNCEmisor><RazonSocialEmisor>EMISORA SRL</RazonSocialEmisor><FechaEmision>${day}</FechaEmision></Emisor><Comprador><RazonSocialComprador>CONSUMIDOR FINAL</RazonSocialComprador></Comprador><Totales><MontoExento>50.00</MontoExento><MontoTotal>50.00</MontoTotal></Totales><CodigoSeguridadeCF>${securityCode}</CodigoSeguridadeCF></Encabezado></RFCE>`;
}

const bearer = () => ({ Authorization: `Bearer ${token}` });
const get = (path: string, headers: Record<string, string> = {}) =>
	call(base, path, { headers: { ...bearer(), ...headers } });

function post(path: string, fileName: string, xml: string, part?: string, headers: Record<string, string> = {}) {
	const file = multipart(fileName, xml, part);
	return call(base, path, { method: "POST", body: file.body, headers: { ...bearer(), ...file.headers, ...headers } });
}

const json = ({ body }: Reply) => JSON.parse(body);
const RECEPTION = "/testecf/recepcion/api/facturaselectronicas";

describe.skipIf(!hasSigner)("an issuer's software", () => {
	test.each(["testecf", "certecf", "ecf"])("gets a token in %s, with both times in UTC to the second", async (env) => {
		const reply = await authenticate(base, env, signer);
		expect([reply.status, reply.mediaType]).toEqual([200, "application/json; charset=utf-8"]);
		const reported = json(reply);
		expect(Object.keys(reported)).toEqual(["token", "expira", "expedido"]);
		for (const time of [reported.expira, reported.expedido]) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
		expect(Date.parse(reported.expira) - Date.parse(reported.expedido)).toBe(3_600_000);
		const claims = JSON.parse(Buffer.from(reported.token.split(".")[1], "base64url").toString());
		expect(claims["http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name"]).toBe("40200000004");
	});

	test("may stream its signed seed, but not a document", async () => {
		expect((await authenticate(base, "testecf", signer, true)).status).toBe(200);
		const file = multipart(`${ISSUER}E310000000090.xml`, signer.sign(invoice("E310000000090")));
		const headers = { ...bearer(), ...file.headers };
		const reply = await call(base, RECEPTION, { method: "POST", body: file.body, headers, streams: true });
		expect([reply.status, reply.body]).toEqual([400, "Multipart cannot be empty"]);
	});

	test("sends an e-CF, polls it from in process to accepted, and finds it by every query", async () => {
		const encf = "E310000000001";
		const signed = signer.sign(invoice(encf));
		// The verdict comes by the clock, so it stands until the first question is answered.
		const sentAt = Date.now();
		setSystemTime(sentAt);
		const received = await post(RECEPTION, `${ISSUER}${encf}.xml`, signed);
		const { trackId, ...rest } = json(received);
		expect([received.status, rest]).toEqual([200, { error: null, mensaje: null }]);
		expect(trackId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

		const result = `/testecf/consultaresultado/api/consultas/estado?trackid=${trackId}`;
		const common = {
			trackId,
			rnc: ISSUER,
			encf,
			fechaRecepcion: expect.stringMatching(/^\d+\/\d+\/\d{4} \d+:\d\d:\d\d [AP]M$/),
		};
		const none = [{ valor: "", codigo: 0 }];
		expect(json(await get(result))).toEqual({
			...common,
			codigo: "3",
			estado: "En Proceso",
			secuenciaUtilizada: false,
			mensajes: none,
		});
		setSystemTime(sentAt + DELAY_MS);
		expect(json(await get(result))).toEqual({
			...common,
			codigo: "1",
			estado: "Aceptado",
			secuenciaUtilizada: true,
			mensajes: none,
		});

		const code = /<SignatureValue>\s*(\S{6})/.exec(signed)?.[1] ?? "";
		const query = `rncemisor=${ISSUER}&ncfelectronico=${encf}&rnccomprador=${BUYER}&codigoseguridad=${encodeURIComponent(code)}`;
		const { day } = wallClock();
		expect(json(await get(`/TesteCF//ConsultaEstado/api/Consultas/Estado?${query}`))).toEqual({
			...{ codigo: 1, estado: "Aceptado", rncEmisor: ISSUER, ncfElectronico: encf, montoTotal: 1180, totalITBIS: 180 },
			...{ fechaEmision: day, fechaFirma: expect.stringContaining(day), rncComprador: BUYER, codigoSeguridad: code },
			idExtranjero: null,
		});
		const list = json(await get(`/testecf/consultatrackids/api/trackids/consulta?rncemisor=${ISSUER}&encf=${encf}`));
		expect(list).toEqual([{ trackId, estado: "Aceptado", fechaRecepcion: expect.any(String) }]);
		const page = await call(base, `/testecf/ConsultaTimbre?RncEmisor=${ISSUER}&ENCF=${encf}`);
		expect(page.body).toContain("Ñandú &amp; Hijos SRL");
	});

	test("reads XML where it asks for XML", async () => {
		const reply = await get("/testecf/consultaresultado/api/consultas/estado?trackid=x", { Accept: "text/xml" });
		expect([reply.mediaType, reply.body]).toEqual([
			"application/xml; charset=utf-8",
			'<?xml version="1.0" encoding="utf-8"?><RespuestaConsultaTrackId><trackId>x</trackId><codigo>0</codigo><estado>No encontrado</estado><rnc></rnc><encf></encf><secuenciaUtilizada>false</secuenciaUtilizada><fechaRecepcion></fechaRecepcion><mensajes><valor></valor><codigo>0</codigo></mensajes></RespuestaConsultaTrackId>',
		]);
	});

	test("sends a summary and has the verdict at once, and again by its query", async () => {
		const encf = "E320000000001";
		const path = "/testecf/recepcionfc/api/recepcion/ecf";
		const reply = await post(path, `${ISSUER}${encf}.xml`, signer.sign(summary(encf, "a+/=bc")));
		expect([reply.status, json(reply)]).toEqual([
			200,
			{ codigo: 1, estado: "Aceptado", mensajes: [{ codigo: "0", valor: "" }], encf, secuenciaUtilizada: true },
		]);
		const query = `RNC_Emisor=${ISSUER}&ENCF=${encf}&Cod_Seguridad_eCF=${encodeURIComponent("a+/=bc")}`;
		expect(json(await get(`/testecf/consultarfce/api/Consultas/Consulta?${query}`))).toEqual({
			...{ rnc: ISSUER, encf, secuenciaUtilizada: true, codigo: "1", estado: "Aceptado" },
			mensajes: [{ valor: "", codigo: 0 }],
		});
		const rejected = await post(path, `${ISSUER}${encf}.xml`, signer.sign(summary(encf, "zzzzzz")));
		expect([rejected.status, json(rejected)]).toEqual([
			400,
			{
				...{ codigo: 2, estado: "Rechazado", encf, secuenciaUtilizada: true },
				mensajes: [{ codigo: "1209", valor: "El e-NCF ya ha sido utilizado." }],
			},
		]);
	});

	test("voids numbers", async () => {
		const { time } = wallClock();
		const xml = `<ANECF><Encabezado><Version>1.0</Version><RncEmisor>${ISSUER}</RncEmisor><CantidadeNCFAnulados>2</CantidadeNCFAnulados><FechaHoraAnulacioneNCF>${time}</FechaHoraAnulacioneNCF></Encabezado><DetalleAnulacion><Anulacion><NoLinea>1</NoLinea><TipoeCF>31</TipoeCF><TablaRangoSecuenciasAnuladaseNCF><Secuencias><SecuenciaeNCFDesde>E310000000800</SecuenciaeNCFDesde><SecuenciaeNCFHasta>E310000000801</SecuenciaeNCFHasta></Secuencias></TablaRangoSecuenciasAnuladaseNCF><CantidadeNCFAnulados>2</CantidadeNCFAnulados></Anulacion></DetalleAnulacion></ANECF>`;
		const reply = await post("/testecf/anulacionrangos/api/operaciones/anularrango", "anulacion.xml", signer.sign(xml));
		expect([reply.status, json(reply)]).toEqual([
			200,
			{ rnc: ISSUER, codigo: "1", nombre: "", mensajes: ["Las secuencias fueron anuladas correctamente."] },
		]);
	});

	test("approves as a buyer what the authority has accepted", async () => {
		const encf = "E310000000002";
		const { trackId } = json(await post(RECEPTION, `${ISSUER}${encf}.xml`, signer.sign(invoice(encf))));
		const result = `/testecf/consultaresultado/api/consultas/estado?trackid=${trackId}`;
		while (json(await get(result)).codigo === "3");
		const { day, time } = wallClock();
		const xml = `<ACECF><DetalleAprobacionComercial><Version>1.0</Version><RNCEmisor>${ISSUER}</RNCEmisor><eNCF>${encf}</eNCF><FechaEmision>${day}</FechaEmision><MontoTotal>1180.00</MontoTotal><RNCComprador>${BUYER}</RNCComprador><Estado>1</Estado><FechaHoraAprobacionComercial>${time}</FechaHoraAprobacionComercial></DetalleAprobacionComercial></ACECF>`;
		const path = "/testecf/aprobacionComercial/api/AprobacionComercial";
		const reply = await post(path, `${BUYER}${encf}.xml`, signer.sign(xml));
		expect([reply.status, json(reply)]).toEqual([
			200,
			{ mensaje: [], estado: "Aprobación Comercial Aprobada.", codigo: "01" },
		]);
	});

	test.each([
		'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="e-CF 31 v.1.0.xsd"',
		'xsi:schemaLocation="urn:x x.xsd" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"',
	])("may say on the root where the schema lies, as its library writes it: %s", async (attributes) => {
		const encf = attributes.startsWith("xmlns") ? "E310000000080" : "E310000000081";
		const signed = signer.sign(invoice(encf).replace("<ECF>", `<ECF ${attributes}>`));
		const { trackId } = json(await post(RECEPTION, `${ISSUER}${encf}.xml`, signed));
		expect(trackId).toBeString();
		const result = `/testecf/consultaresultado/api/consultas/estado?trackid=${trackId}`;
		while (json(await get(result)).codigo === "3");
		expect(json(await get(result))).toMatchObject({ codigo: "1", estado: "Aceptado" });
	});

	test("is refused for what it does wrong, in the authority's many shapes", async () => {
		const encf = "E310000000070";
		const signed = signer.sign(invoice(encf));
		const name = `${ISSUER}${encf}.xml`;
		expect(await call(base, RECEPTION, { method: "POST" })).toMatchObject({ status: 401, body: "" });
		expect((await call(base, RECEPTION, { headers: { Authorization: `bearer ${token}` } })).status).toBe(405);
		expect(await post(RECEPTION, name, signed, "file")).toMatchObject({
			...{ status: 400, mediaType: "text/plain; charset=utf-8" },
			body: "Debe enviar el archivo en la parte xml.",
		});
		expect(json(await post(RECEPTION, "factura.xml", signed))).toEqual({
			mensajes: [{ valor: "La longitud del nombre del archivo no es válida.", codigo: 3243 }],
		});
		const broken = await post(RECEPTION, name, "<ECF>");
		expect([broken.status, Object.keys(json(broken))]).toEqual([400, ["trackId", "error", "mensaje"]]);
		expect(json(await get("/testecf/consultaresultado/api/consultas/estado"))).toMatchObject({
			title: "One or more validation errors occurred.",
			errors: { trackid: ["El campo trackid es requerido."] },
		});
		const nothing = await get(`/testecf/consultatrackids/api/trackids/consulta?rncemisor=${ISSUER}&encf=${encf}`);
		expect([nothing.status, json(nothing).estado]).toEqual([404, "TrackId no encontrado."]);
	});

	test("is rejected with the field that is wrong", async () => {
		const encf = "E310000000071";
		const wrong = signer.sign(invoice(encf).replace("<ITBIS1>18</ITBIS1>", ""));
		const { trackId } = json(await post(RECEPTION, `${ISSUER}${encf}.xml`, wrong));
		const result = `/testecf/consultaresultado/api/consultas/estado?trackid=${trackId}`;
		while (json(await get(result)).codigo === "3");
		expect(json(await get(result))).toMatchObject({
			...{ codigo: "2", estado: "Rechazado", secuenciaUtilizada: true },
			mensajes: [{ valor: "El campo ITBIS1 del área Totales de la sección Encabezado no es válido.", codigo: 0 }],
		});
	});
});
