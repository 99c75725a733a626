/** How answers to a void are read: an ambiguous one is `unknown`, never a verdict. */
import { describe, expect, test } from "bun:test";
import { readAnswer } from "../../../src/authority/client/read-answer";
import { readVoidAnswer } from "../../../src/authority/client/void-answer";

const asked = { rnc: "131880681", encf: "E310000000001" };
const read = (status: number, body: unknown) =>
	readVoidAnswer(
		{ reached: "answer", status, reading: readAnswer(typeof body === "string" ? body : JSON.stringify(body)) },
		asked,
	);
const say = (...mensajes: unknown[]) => ({ rnc: "131880681", codigo: "1", nombre: "X", mensajes });

describe("a void is", () => {
	test.each<[string, number, unknown]>([
		["voided", 200, say("Secuencias anuladas correctamente.")],
		["voided", 200, say("Las secuencias fueron anuladas exitosamente")],
		[
			"voided",
			200,
			"<RespuestaAnulacionRango><rnc>131880681</rnc><codigo>1</codigo><mensajes>Secuencias anuladas correctamente</mensajes></RespuestaAnulacionRango>",
		],
		["voided", 200, { ...say("Las secuencias fueron anuladas correctamente."), codigo: "15", nombre: "Satisfactorio" }],
		[
			"partly-voided",
			200,
			say("Las secuencias fueron anuladas correctamente. Con excepción de las secuencias del detalle", "E310000000003"),
		],
		["partly-voided", 200, say("Secuencias anuladas correctamente, excepto las siguientes:", "E310000000003")],
		["partly-voided", 200, say("Secuencias anuladas correctamente exceptuando las siguientes: E310000000003")],
		["partly-voided", 200, say("Secuencias anuladas correctamente, a excepción de las siguientes:", "E310000000003")],
		["partly-voided", 200, say("Secuencias anuladas correctamente, con la excepción de E310000000003.")],
		["partly-voided", 200, say("Las secuencias fueron anuladas correctamente, menos las siguientes:", "E310000000003")],
		["voided", 200, say("Todas las secuencias fueron anuladas correctamente, sin excepción.")],
		["refused", 400, say("No se pudieron anular las siguientes secuencias:", "E310000000003")],
		["refused", 200, say("No se pudo anular las siguientes secuencias")],
		["refused", 400, say("No fue posible anular las siguientes secuencias", "E310000000003")],
		["refused", 400, say("El tipo de comprobante no es válido")],
		["refused", 400, say("El valor del campoSecuenciaeNCFDesde es mayor al del campo SecuenciaeNCFHasta")],
		["refused", 400, say("Las secuencias que está intentando anular han sido utilizadas")],
		["refused", 400, say("El campo NoLinea no es válido, no cumple orden secuencial.")],
		["refused", 400, say("Tipo de archivo no valido, favor proveer un XML")],
		["refused", 400, "La firma del XML no es válida"],
		["refused", 400, "La estructura del archivo XML no es válido, favor proveer un XML con una estructura válida"],
		["refused", 400, say({ valor: "Las secuencias ya fueron utilizadas", codigo: 0 })],
		["refused", 400, say("La firma no es válida")],
		["refused", 400, say("Tipo de documento no válido")],
		["refused", 400, say("La secuencia desde es mayor que la secuencia hasta")],
		["refused", 400, say("El campo NoLinea no es secuencial")],
		["refused", 400, "El RNC 00100000009 del certificado no está delegado para realizar transaciones."],
		["refused", 400, say("La estructura del archivo no es válida. Falta un elemento.")],
		["unknown", 400, say("Solicitud recibida con el número 5")],
		["unknown", 400, { title: "Bad Request", status: 400, errors: { xml: ["required"] } }],
		["unknown", 200, say()],
		["unknown", 200, say("Su solicitud fue recibida")],
		["unknown", 200, say("Secuencias anuladas correctamente", "Las secuencias ya fueron utilizadas")],
		["unknown", 400, say("Secuencias anuladas correctamente")],
		["unknown", 400, say("No se pudo procesar, intente de nuevo")],
		["unknown", 200, { ...say("Secuencias anuladas correctamente"), rnc: "101010101" }],
		["unknown", 200, "<html><body>Mantenimiento</body></html>"],
		["unknown", 400, "<html><body>Bad Request</body></html>"],
		["unknown", 200, ""],
		["unknown", 503, say("Secuencias anuladas correctamente")],
		["not-sent", 401, ""],
	])("%s after HTTP %i %j", (kind, status, body) => {
		expect(read(status, body)).toMatchObject({ kind });
	});

	test("not-sent when nothing was written, unknown when something may have been", () => {
		const failure = { fault: "authority-unreachable", detail: "x" } as const;
		expect(readVoidAnswer({ reached: "nothing", ...failure }, asked)).toMatchObject({ kind: "not-sent" });
		expect(readVoidAnswer({ reached: "unknown", ...failure }, asked)).toMatchObject({ kind: "unknown" });
	});
});
