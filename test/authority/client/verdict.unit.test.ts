import { expect, test } from "bun:test";
import fc from "fast-check";
import { readVerdict, type Verdict } from "../../../src/authority/client/verdict";
import { deep, html, replyOf } from "./support/reply";

const TRACK_ID = "d2b6e27c-3908-46f3-afaa-2207b9501b4b";
const asked = { rnc: "990000001", encf: "E310000000001", trackId: TRACK_ID };
const result = {
	trackId: TRACK_ID,
	codigo: "1",
	estado: "Aceptado",
	rnc: "990000001",
	encf: "E310000000001",
	secuenciaUtilizada: true,
	fechaRecepcion: "8/15/2023 6:06:57 AM",
	mensajes: [{ valor: "", codigo: 0 }],
};
const { estado: _estado, ...withoutEstado } = result;
const { codigo: _codigo, ...withoutCodigo } = result;
const { encf: _encf, ...withoutEncf } = result;
const rejected = { ...result, codigo: "2", estado: "Rechazado" };
const xml = (inner: string) =>
	`<?xml version="1.0" encoding="utf-8"?><RespuestaConsultaTrackId xmlns:i="http://www.w3.org/2001/XMLSchema-instance">${inner}</RespuestaConsultaTrackId>`;
const xmlMembers = `<trackId>${TRACK_ID}</trackId><codigo>1</codigo><estado>Aceptado</estado><rnc>990000001</rnc><encf>E310000000001</encf><secuenciaUtilizada>true</secuenciaUtilizada>`;

/** The reading of an answer in one word: kind, code, and the reason for `unavailable`. */
function brief(verdict: Verdict): string {
	switch (verdict.kind) {
		case "accepted":
			return `accepted ${verdict.code}`;
		case "rejected": {
			const marks = [
				verdict.sequenceConsumed ? "used" : "free",
				verdict.retryable && "retry",
				verdict.duplicate && "twice",
			];
			return ["rejected", verdict.code, ...marks.filter(Boolean)].join(" ");
		}
		case "unavailable":
			return verdict.reason.replace("authority-", "");
		default:
			return verdict.kind;
	}
}

type Row = readonly [name: string, status: number, body: unknown, reading: string];

const good: readonly Row[] = [
	["the documented answer", 200, result, "accepted 1"],
	["a code that is a number", 200, { ...result, codigo: 1 }, "accepted 1"],
	["a code with a zero before it", 200, { ...result, codigo: "01" }, "accepted 1"],
	[
		"members in other letter case",
		200,
		{ TrackID: TRACK_ID, Codigo: 1, ESTADO: "ACEPTADO", RNC: "990000001", eNCF: "E310000000001" },
		"accepted 1",
	],
	["a word with a full stop and spaces", 200, { ...result, estado: "  Aceptado. " }, "accepted 1"],
	["hyphens in the RNC", 200, { ...result, rnc: "9-90-00000-1" }, "accepted 1"],
	["an RNC that is a number", 200, { ...result, rnc: 990000001 }, "accepted 1"],
	["empty and null members", 200, { ...result, rnc: null, trackId: "" }, "accepted 1"],
	["the answer alone in a list", 200, [result], "accepted 1"],
	["JSON inside a JSON string", 200, JSON.stringify(JSON.stringify(result)), "accepted 1"],
	["a byte order mark", 200, `\uFEFF${JSON.stringify(result)}`, "accepted 1"],
	["the XML variant", 200, xml(xmlMembers), "accepted 1"],
	[
		"the XML variant with nil and a remark",
		200,
		xml(`${xmlMembers}<mensajes><codigo>75</codigo><valor i:nil="true"/></mensajes>`),
		"accepted 1",
	],
	[
		"accepted conditionally",
		200,
		{ ...result, codigo: 4, estado: "Aceptado Condicional", mensajes: [{ valor: "RNCComprador", codigo: "1385" }] },
		"accepted 4",
	],
	["conditional in the word alone", 200, { ...result, codigo: 1, estado: "Aceptado condicional" }, "accepted 4"],
	["a rejection", 200, { ...rejected, mensajes: [{ valor: "no ha sido emitido", codigo: 614 }] }, "rejected 614 used"],
	["a rejection with HTTP 400", 400, rejected, "rejected 2 used"],
	[
		"a rejection whose first remark has no code",
		200,
		{
			...rejected,
			mensajes: [
				{ valor: "detalle", codigo: 0 },
				{ valor: "x", codigo: "176" },
			],
		},
		"rejected 176 used",
	],
	["a rejection with bare sentences", 200, { ...rejected, mensajes: ["La firma no es válida."] }, "rejected 2 used"],
	[
		"a rejection with one remark outside a list",
		200,
		{ ...rejected, mensajes: { valor: "x", codigo: 634 } },
		"rejected 634 used",
	],
	[
		"a rejection that frees the number",
		200,
		{ ...rejected, secuenciaUtilizada: false, mensajes: [{ valor: "", codigo: 64 }] },
		"rejected 64 free",
	],
	["the flag in words", 200, { ...rejected, secuenciaUtilizada: "False" }, "rejected 2 free"],
	["a rejection without the flag", 200, { ...rejected, secuenciaUtilizada: null }, "rejected 2 used"],
	[
		"004, the number not used",
		200,
		{ ...rejected, secuenciaUtilizada: false, mensajes: [{ valor: "intente de nuevo", codigo: "004" }] },
		"rejected 004 free retry",
	],
	[
		"004 as the number 4",
		200,
		{ ...rejected, secuenciaUtilizada: false, mensajes: [{ valor: "intente de nuevo", codigo: 4 }] },
		"rejected 004 free retry",
	],
	[
		"004, but the number used",
		200,
		{ ...rejected, mensajes: [{ valor: "intente de nuevo", codigo: "004" }] },
		"rejected 004 used",
	],
	["a duplicate by code", 200, { ...rejected, mensajes: [{ valor: "", codigo: 1209 }] }, "rejected 1209 used twice"],
	[
		"a duplicate by its words",
		200,
		{ ...rejected, mensajes: [{ valor: "El e-NCF ya ha sido utilizado.", codigo: 3 }] },
		"rejected 3 used twice",
	],
	[
		"a duplicate by its words, and a flag that has the number free",
		200,
		{
			...rejected,
			secuenciaUtilizada: false,
			mensajes: [{ valor: "Este número de secuencia ya ha sido utilizado.", codigo: 0 }],
		},
		"rejected 2 used twice",
	],
	[
		"a line number that appears twice",
		200,
		{ ...rejected, mensajes: [{ valor: "NumeroLinea duplicado", codigo: 77 }] },
		"rejected 77 used",
	],
	["in process", 200, { trackId: TRACK_ID, codigo: 3, estado: "En proceso", encf: null }, "in-process"],
	["not found", 200, { trackId: TRACK_ID, codigo: 0, estado: "No encontrado" }, "not-found"],
	["not found with HTTP 404", 404, { trackId: TRACK_ID, codigo: "0", estado: "No Encontrado." }, "not-found"],
	[
		"not found by number alone",
		200,
		{ codigo: 0, estado: "", rncEmisor: "990000001", ncfElectronico: "E310000000001" },
		"not-found",
	],
];

const hostile: readonly Row[] = [
	["an empty body", 200, "", "answer-unreadable"],
	["HTML with status 200", 200, html, "answer-unreadable"],
	["HTML inside a JSON string", 200, JSON.stringify(html), "answer-unreadable"],
	["a bare word", 200, "Aceptado", "answer-unreadable"],
	["a word as a JSON string", 200, '"Aceptado"', "answer-unreadable"],
	["a bare number", 200, "1", "answer-unreadable"],
	["null", 200, "null", "answer-unreadable"],
	["an empty object", 200, {}, "answer-unreadable"],
	["an empty list", 200, [], "answer-unreadable"],
	["a list of two", 200, [result, rejected], "answer-unreadable"],
	["half a JSON document", 200, JSON.stringify(result).slice(0, 90), "answer-unreadable"],
	["two JSON documents", 200, JSON.stringify(result) + JSON.stringify(rejected), "answer-unreadable"],
	["a member twice", 200, '{"codigo":1,"codigo":2,"estado":"Aceptado","encf":"E310000000001"}', "answer-unreadable"],
	[
		"a member twice in different case",
		200,
		'{"codigo":1,"Codigo":2,"estado":"Aceptado","encf":"E310000000001"}',
		"answer-unreadable",
	],
	["nesting without end", 200, deep, "answer-unreadable"],
	["the word missing", 200, withoutEstado, "answer-unreadable"],
	["the code missing", 200, withoutCodigo, "answer-unreadable"],
	["an unknown code", 200, { ...result, codigo: 7 }, "answer-unreadable"],
	["an unknown word", 200, { ...result, estado: "Aceptable" }, "answer-unreadable"],
	["code and word that contradict each other", 200, { ...result, codigo: 2 }, "answer-unreadable"],
	["not found with another word", 200, { ...result, codigo: 0, estado: "Error interno" }, "answer-unreadable"],
	["a code that is an object", 200, { ...result, codigo: { value: 1 } }, "answer-unreadable"],
	["a code in a list", 200, { ...result, codigo: [1], estado: ["Aceptado"] }, "answer-unreadable"],
	["a code that is true", 200, { ...result, codigo: true }, "answer-unreadable"],
	["a code with decimals", 200, { ...result, codigo: "1.0" }, "answer-unreadable"],
	["another RNC", 200, { ...result, rnc: "990000026" }, "answer-mismatch"],
	["another RNC under the other name", 200, { ...result, rncEmisor: "990000026" }, "answer-mismatch"],
	["another e-NCF", 200, { ...result, encf: "E310000000002" }, "answer-mismatch"],
	["another trackId", 200, { ...result, trackId: "00000000-3908-46f3-afaa-2207b9501b4b" }, "answer-mismatch"],
	["another e-NCF in a rejection", 400, { ...rejected, encf: "E310000000002" }, "answer-mismatch"],
	[
		"another e-NCF while in process",
		200,
		{ ...result, codigo: 3, estado: "En Proceso", encf: "E310000000002" },
		"answer-mismatch",
	],
	["no e-NCF at all", 200, withoutEncf, "answer-mismatch"],
	["an e-NCF that is a list", 200, { ...result, encf: ["E310000000001"] }, "answer-mismatch"],
	["acceptance with HTTP 400", 400, result, "http-error"],
	["acceptance with HTTP 500", 500, result, "http-5xx"],
	["rejection with HTTP 503", 503, rejected, "http-5xx"],
	["HTML with HTTP 400", 400, html, "http-error"],
	["a bare sentence with HTTP 400", 400, '"El trackId no es válido."', "http-error"],
	["a page that is not there", 404, html, "http-error"],
	["a redirect", 302, "", "http-error"],
	["the edge's refusal", 403, html, "http-error"],
	["401 to a fresh token", 401, "", "auth-failed"],
	[
		"XML with a document type",
		200,
		`<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xml(`${xmlMembers}<x>&e;</x>`)}`,
		"answer-unreadable",
	],
	[
		"XML with an entity bomb",
		200,
		`<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><r><estado>&b;</estado></r>`,
		"answer-unreadable",
	],
	["broken XML", 200, xml(xmlMembers).slice(0, 200), "answer-unreadable"],
	["XML with two verdicts", 200, xml(`${xmlMembers}<codigo>2</codigo><estado>Rechazado</estado>`), "answer-unreadable"],
	["XML that is HTML in disguise", 200, "<?xml version='1.0'?><html><body>Aceptado</body></html>", "answer-unreadable"],
];

for (const [name, status, body, reading] of [...good, ...hostile]) {
	test(`a result with ${name} is read as ${reading}`, () => {
		expect(brief(readVerdict(replyOf(status, body), asked))).toBe(reading);
	});
}

test("a call without an answer is unavailable, with its reason", () => {
	for (const reached of ["nothing", "unknown"] as const) {
		const verdict = readVerdict({ reached, fault: "authority-timeout", detail: "10 s" }, asked);
		expect(verdict).toEqual({ kind: "unavailable", reason: "authority-timeout", detail: "10 s" });
	}
});

test("a verdict carries its trackId and its remarks, without the empty one of code 0", () => {
	expect(readVerdict(replyOf(200, result), asked)).toEqual({
		kind: "accepted",
		conditional: false,
		code: "1",
		messages: [],
		sequenceConsumed: true,
		trackId: TRACK_ID,
	});
	const messages = [
		{ valor: "", codigo: 0 },
		{ valor: "detalle", codigo: "0" },
		{ valor: "", codigo: "64" },
	];
	expect(readVerdict(replyOf(200, { ...rejected, mensajes: messages }), asked)).toMatchObject({
		code: "64",
		messages: [
			{ code: "0", text: "detalle" },
			{ code: "64", text: "" },
		],
	});
});

test("another document under our number is not mistaken for ours", () => {
	const state = {
		codigo: 1,
		estado: "Aceptado",
		rncEmisor: "990000001",
		ncfElectronico: "E310000000001",
		codigoSeguridad: "a1B2c3",
	};
	const { rnc, encf } = asked;
	expect(readVerdict(replyOf(200, state), { rnc, encf, securityCode: "a1B2c3" }).kind).toBe("accepted");
	expect(brief(readVerdict(replyOf(200, state), { rnc, encf, securityCode: "A1B2C3" }))).toBe("answer-mismatch");
});

test("remarks can be stored whatever they hold", () => {
	const valor = `\u0000\ud800${"ñ".repeat(5_000)}`;
	const body = {
		...rejected,
		mensajes: Array.from({ length: 500 }, () => ({ valor, codigo: "12345678901234567890123" })),
	};
	const verdict = readVerdict(replyOf(200, body), asked);
	if (verdict.kind !== "rejected") throw new Error(verdict.kind);
	expect(verdict.messages.length).toBe(100);
	for (const { code, text } of verdict.messages) {
		expect(code.length).toBeLessThanOrEqual(20);
		expect(text).toStartWith("\uFFFD\uFFFDñ");
		expect(text.length).toBe(2_000);
	}
});

test("no JSON value except a matching one becomes a verdict, and none throws", () => {
	fc.assert(
		fc.property(fc.jsonValue(), fc.integer({ min: 100, max: 599 }), (value, status) => {
			const verdict = readVerdict(replyOf(status, JSON.stringify(value)), asked);
			expect(verdict.kind).toBe("unavailable");
		}),
		{ numRuns: 500 },
	);
});

test("an answer with one member changed is never read as the opposite verdict", () => {
	const names = ["codigo", "estado", "encf", "rnc", "trackId", "secuenciaUtilizada"] as const;
	const values = fc.oneof(
		fc.constantFrom<unknown>(0, 1, 2, 3, 4, "1", "2", "Rechazado", "Aceptado", null, ""),
		fc.jsonValue(),
	);
	fc.assert(
		fc.property(fc.constantFrom(...names), values, fc.boolean(), (name, value, fromGood) => {
			const start = fromGood ? result : rejected;
			const { kind } = readVerdict(replyOf(200, { ...start, [name]: value }), asked);
			expect(kind).not.toBe(fromGood ? "rejected" : "accepted");
		}),
		{ numRuns: 500 },
	);
});
