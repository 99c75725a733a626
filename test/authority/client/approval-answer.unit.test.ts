/** How answers to a commercial approval are read: an ambiguous one is `unknown`, never a refusal. */
import { describe, expect, test } from "bun:test";
import { readApprovalAnswer } from "../../../src/authority/client/approval-answer";
import { html, replyOf } from "./support/reply";

const read = (status: number, body: unknown) => readApprovalAnswer(replyOf(status, body));
const good = { mensaje: [], estado: "Aprobación Comercial Aprobada.", codigo: "01" };
const bad = (...mensaje: string[]) => ({ mensaje, estado: "Aprobacion Comercial Rechazada.", codigo: "02" });

describe("an approval is", () => {
	test.each<[string, number, unknown]>([
		["taken", 200, good],
		["taken", 200, { ...good, codigo: 1 }],
		[
			"taken",
			200,
			"<RespuestaAprobacionComercial><mensaje/><estado>Aprobación Comercial Aprobada.</estado><codigo>1</codigo></RespuestaAprobacionComercial>",
		],
		["refused", 400, bad("No se encontró la factura para esta aprobación comercial.")],
		["refused", 200, bad("La firma no es válida.")],
		["refused", 400, { ...bad("Aprobación comercial no requerida para este tipo de e-CF"), codigo: 2 }],
		["refused", 400, "El RNC 00100000009 del certificado no está delegado para realizar transaciones."],
		["refused", 400, "La firma del XML no es válida"],
		["refused", 400, '"Tipo de archivo no válido, favor proveer un XML"'],
		["unknown", 400, bad("No se pudo procesar la aprobación comercial, intente de nuevo.")],
		["unknown", 400, bad("No fue posible procesar la Aprobación comercial. Favor intentar nuevamente")],
		["unknown", 200, { ...good, codigo: "02" }],
		["unknown", 400, good],
		["unknown", 200, { mensaje: ["Recibido"] }],
		["unknown", 400, { title: "Bad Request", status: 400, errors: { xml: ["required"] } }],
		["unknown", 400, html],
		["unknown", 200, html],
		["unknown", 200, ""],
		["unknown", 503, good],
		["not-sent", 401, ""],
	])("%s after HTTP %i %j", (kind, status, body) => {
		expect(read(status, body)).toMatchObject({ kind });
	});

	test("not-sent when nothing was written, unknown when something may have been", () => {
		const failure = { fault: "authority-unreachable", detail: "x" } as const;
		expect(readApprovalAnswer({ reached: "nothing", ...failure })).toMatchObject({ kind: "not-sent" });
		expect(readApprovalAnswer({ reached: "unknown", ...failure })).toMatchObject({ kind: "unknown" });
	});
});

test("only a refusal for an earlier decision may be the echo of an earlier attempt", () => {
	expect(read(400, bad("La aprobación comercial ya fue enviada."))).toMatchObject({ mayBeOurs: true });
	expect(read(400, bad("El e-CF ya tiene una aprobación comercial registrada"))).toMatchObject({ mayBeOurs: true });
	expect(read(400, bad("Aprobación comercial duplicada"))).toMatchObject({ mayBeOurs: true });
	expect(read(400, bad("La firma no es válida."))).toMatchObject({ mayBeOurs: false });
	expect(read(400, bad("No existe un e-CF válido para esta aprobación comercial."))).toMatchObject({
		mayBeOurs: false,
	});
});
