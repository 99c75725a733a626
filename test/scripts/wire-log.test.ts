/** The fault harness's reading of the wire, judged: what is a sending, what a question, and what was sent unasked. */
import { expect, test } from "bun:test";
import { checkVoids } from "../../scripts/harness/voids";
import { createWireLog, findBlindSends, readEvent, type WireEvent } from "../../scripts/harness/wire-log";

const document = { rnc: "990000001", encf: "E310000000001" };
const send: WireEvent = { kind: "send", ...document };
const ask: WireEvent = { kind: "ask", ...document };
const head = (path: string) => `${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
const part = 'Content-Disposition: form-data; name="xml"; filename="990000001E310000000001.xml"\r\n';

test.each<[request: string, event: WireEvent | undefined]>([
	[`${head("POST /testecf/recepcion/api/facturaselectronicas")}${part}`, send],
	[`${head("POST /testecf/recepcionfc/api/recepcion/ecf")}${part}`, send],
	[head("POST /testecf/recepcion/api/facturaselectronicas"), undefined],
	[`${head("POST /testecf/autenticacion/api/autenticacion/validarsemilla")}${part}`, undefined],
	[head("GET /testecf/consultatrackids/api/trackids/consulta?rncemisor=990000001&encf=E310000000001"), ask],
	[
		head(
			"GET /testecf/consultarfce/api/Consultas/Consulta?RNC_Emisor=990000001&ENCF=E310000000001&Cod_Seguridad_eCF=a",
		),
		ask,
	],
	[head("GET /testecf/consultaresultado/api/consultas/estado?trackid=1"), undefined],
	["GET /testecf/consultatrackids/api/trackids/consulta?rncemisor=9900", undefined],
])("%j", (request, event) => {
	expect(readEvent(request)).toEqual(event);
});

test("a request that comes in pieces is one event", () => {
	const log = createWireLog();
	const link = { id: 1, add: () => () => undefined, reset: () => undefined, isOpen: () => true };
	for (const piece of [head("POST /testecf/recepcion/api/facturaselectronicas"), part, "<ECF/>"])
		log.see(link, "upstream", Buffer.from(piece));
	log.see(link, "downstream", Buffer.from(part));
	expect(log.events()).toEqual([send]);
});

test("sent twice is blind without a question between, of this document", () => {
	const other: WireEvent = { ...ask, encf: "E310000000002" };
	expect(findBlindSends([send, ask, send])).toEqual([]);
	expect(findBlindSends([send, other, send])).toEqual(["990000001 E310000000001"]);
	expect(findBlindSends([send, ask, send, send])).toHaveLength(1);
});

test("a void that is lost, refused, carried out twice, or with other bytes is seen", () => {
	const acknowledged = { id: "1", rnc: "990000001", from: "E319000000000", to: "E319000000004" };
	const stored = { id: "1", status: "voided", sha256: "a" };
	const received = { rnc: "990000001", sha256: "a", ranges: [["E319000000000", "E319000000004"]] as const };
	expect(checkVoids([acknowledged], [stored], [received])).toEqual([]);
	expect(checkVoids([acknowledged], [], [received])).toHaveLength(1);
	expect(checkVoids([acknowledged], [{ ...stored, status: "rejected" }], [received])).toHaveLength(1);
	expect(checkVoids([acknowledged], [stored], [received, received])).toHaveLength(1);
	expect(checkVoids([acknowledged], [stored], [])).toHaveLength(1);
	expect(checkVoids([acknowledged], [stored], [{ ...received, sha256: "b" }])).toHaveLength(1);
});
