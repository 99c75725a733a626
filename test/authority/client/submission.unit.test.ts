import { expect, test } from "bun:test";
import fc from "fast-check";
import { readReception, readSummaryReception, type Submission } from "../../../src/authority/client/verdict";
import { deep, html, replyOf } from "./support/reply";

const TRACK_ID = "d2b6e27c-3908-46f3-afaa-2207b9501b4b";
const ecf = { rnc: "990000001", encf: "E310000000001" };
const summary = { rnc: "990000001", encf: "E320000000001" };

function brief(submission: Submission): string {
	switch (submission.kind) {
		case "received":
			return `received ${submission.trackId}`;
		case "decided": {
			const { verdict } = submission;
			const twice = verdict.kind === "rejected" && verdict.duplicate && "twice";
			return ["decided", verdict.kind, verdict.code, twice].filter(Boolean).join(" ");
		}
		case "refused":
			return ["refused", submission.code, submission.duplicate && "twice"].filter(Boolean).join(" ");
		default:
			return `${submission.kind} ${submission.reason.replace("authority-", "")}`;
	}
}

type Row = readonly [name: string, status: number, body: unknown, reading: string];
const received = { trackId: TRACK_ID, error: null, mensaje: null };

const receptions: readonly Row[] = [
	["the documented receipt", 200, received, `received ${TRACK_ID}`],
	["a receipt with HTTP 201", 201, received, `received ${TRACK_ID}`],
	["a receipt in other letter case", 200, { TrackId: TRACK_ID }, `received ${TRACK_ID}`],
	[
		"the XML receipt",
		200,
		`<RespuestaRecepcion><trackId>${TRACK_ID}</trackId></RespuestaRecepcion>`,
		`received ${TRACK_ID}`,
	],
	["a receipt with a remark", 200, { ...received, mensaje: "Recibido" }, `received ${TRACK_ID}`],
	["a receipt with HTTP 400", 400, received, "unknown http-error"],
	["a receipt for another e-NCF", 200, { ...received, encf: "E310000000002" }, "unknown answer-mismatch"],
	["a trackId that is no identifier", 200, { trackId: "<script>" }, "unknown answer-unreadable"],
	[
		"a trackId of zeros and an error",
		200,
		{ trackId: "00000000-0000-0000-0000-000000000000", error: "Firma inválida" },
		"refused",
	],
	["no trackId and an error", 200, { trackId: null, error: "La firma no es válida.", mensaje: null }, "refused"],
	["no trackId and a remark", 200, { trackId: "", error: null, mensaje: "El archivo no es XML." }, "refused"],
	["an error alone with HTTP 200", 200, { error: "El archivo no es válido." }, "refused"],
	["a remark alone with HTTP 200", 200, { mensaje: "Servicio en línea" }, "unknown answer-unreadable"],
	["no trackId and nothing else", 200, { trackId: null, error: null, mensaje: null }, "unknown answer-unreadable"],
	[
		"remarks with codes and HTTP 400",
		400,
		{ mensajes: [{ valor: "Longitud del nombre", codigo: 3243 }] },
		"refused 3243",
	],
	["remarks without codes and HTTP 400", 400, { mensajes: ["La estructura no es válida."] }, "refused"],
	[
		"a list of remarks and HTTP 400",
		400,
		[
			{ valor: "x", codigo: "135" },
			{ valor: "y", codigo: "75" },
		],
		"refused 135",
	],
	["a remark and HTTP 400", 400, { mensaje: "El RNC no está delegado." }, "refused"],
	[
		"the platform's own check",
		400,
		{ title: "One or more validation errors occurred.", status: 400, errors: { xml: ["The xml field is required."] } },
		"refused",
	],
	["a duplicate with HTTP 400", 400, { mensajes: [{ valor: "", codigo: 1209 }] }, "refused 1209 twice"],
	["a duplicate in words", 400, { mensaje: "El e-NCF E310000000001 ya fue utilizado." }, "refused twice"],
	[
		"a number that is not available here",
		400,
		{ mensajes: [{ valor: "El e-NCF no está disponible en este ambiente.", codigo: 1209 }] },
		"refused 1209 twice",
	],
	[
		"a known sentence with HTTP 400",
		400,
		"El RNC 00100000009 del certificado no está delegado para realizar transaciones.",
		"refused",
	],
	["a known sentence as a JSON string", 400, '"La firma del archivo no es válida"', "refused"],
	["a sentence of the authority's description", 400, "La firma del XML no es válida", "refused"],
	[
		"another, with what its checker said",
		400,
		"La estructura del archivo XML no es válido, favor proveer un XML con una estructura válida, verificar el XSD correspondiente. The element 'ECF' has incomplete content.",
		"refused",
	],
	["a file that is none", 400, "Archivo no válido", "refused"],
	["a file of another kind", 400, "Tipo de archivo no válido, favor proveer un XML", "refused"],
	["a known sentence as XML", 400, "<string>El archivo no es un XML.</string>", "refused"],
	["an unknown sentence with HTTP 400", 400, "Bad Request", "unknown http-error"],
	["an unknown sentence as a JSON string", 400, '"Algo ha salido mal"', "unknown http-error"],
	["a plea to try again", 400, { mensaje: "No se pudo procesar, intente de nuevo." }, "unknown http-error"],
	[
		"a plea to try again, as the authority's description has it",
		200,
		{ trackId: null, error: "No fue posible procesar el e-CF. Favor intentar nuevamente", mensaje: null },
		"unknown answer-unreadable",
	],
	["004 with HTTP 400", 400, { mensajes: [{ valor: "", codigo: "004" }] }, "unknown http-error"],
	["an internal error in the receipt", 200, { trackId: null, error: "Error interno" }, "unknown answer-unreadable"],
	["empty remarks and HTTP 400", 400, { mensajes: [{ valor: "", codigo: 0 }] }, "unknown http-error"],
	["an empty object and HTTP 400", 400, {}, "unknown http-error"],
	[
		"an acceptance where a receipt belongs",
		400,
		{ codigo: 1, estado: "Aceptado", mensajes: ["x"] },
		"unknown http-error",
	],
	["HTML with HTTP 400", 400, html, "unknown http-error"],
	["HTML with HTTP 200", 200, html, "unknown answer-unreadable"],
	["an empty body with HTTP 200", 200, "", "unknown answer-unreadable"],
	["rubbish with HTTP 200", 200, "}{", "unknown answer-unreadable"],
	["nesting without end", 400, deep, "unknown http-error"],
	["half a receipt", 200, JSON.stringify(received).slice(0, 30), "unknown answer-unreadable"],
	["a refusal with HTTP 500", 500, { mensajes: ["La firma no es válida."] }, "unknown http-5xx"],
	["HTTP 503", 503, "Service Unavailable", "unknown http-5xx"],
	["a refusal with HTTP 404", 404, { mensajes: ["La firma no es válida."] }, "unknown http-error"],
	["the edge's refusal", 403, html, "unknown http-error"],
	["too many requests", 429, "", "unknown http-error"],
	["a redirect", 307, "", "unknown http-error"],
	["401 to a fresh token", 401, "", "not-sent auth-failed"],
];

const accepted = {
	codigo: 1,
	estado: "Aceptado",
	mensajes: [{ codigo: "0", valor: "" }],
	encf: "E320000000001",
	secuenciaUtilizada: true,
};
const rejected = {
	...accepted,
	codigo: 2,
	estado: "Rechazado",
	mensajes: [{ codigo: "75", valor: "x" }],
	secuenciaUtilizada: false,
};

const usedPair = "La combinación e-NCF y código de seguridad E320000000001 aB3xYz ya han sido utilizados previamente.";

const summaries: readonly Row[] = [
	["an acceptance", 200, accepted, "decided accepted 1"],
	["a conditional acceptance", 200, { ...accepted, codigo: 4, estado: "Aceptado Condicional" }, "decided accepted 4"],
	["a rejection with HTTP 400", 400, rejected, "decided rejected 75"],
	["a rejection with HTTP 200", 200, rejected, "decided rejected 75"],
	["a rejection without an e-NCF", 400, { ...rejected, encf: null }, "refused 75"],
	[
		"a number and a security code that were used",
		200,
		{ ...rejected, mensajes: [{ codigo: "0", valor: usedPair }] },
		"decided rejected 2 twice",
	],
	[
		"the same with HTTP 400 and no e-NCF",
		400,
		{ ...rejected, encf: null, mensajes: [{ codigo: "0", valor: usedPair }] },
		"refused twice",
	],
	["an acceptance without an e-NCF", 200, { ...accepted, encf: "" }, "unknown answer-unreadable"],
	["an acceptance of another e-NCF", 200, { ...accepted, encf: "E320000000002" }, "unknown answer-mismatch"],
	["a rejection of another e-NCF", 400, { ...rejected, encf: "E320000000002" }, "unknown answer-mismatch"],
	["an acceptance with HTTP 400", 400, accepted, "unknown http-error"],
	["still in process", 200, { ...accepted, codigo: 3, estado: "En Proceso" }, "unknown answer-unreadable"],
	["a refusal without a verdict", 400, { mensajes: ["El archivo no es válido."] }, "refused"],
	["remarks without a verdict and HTTP 200", 200, { mensajes: ["Recibido"] }, "unknown answer-unreadable"],
	["the word missing", 200, { ...accepted, estado: null }, "unknown answer-unreadable"],
	["HTML with HTTP 400", 400, html, "unknown http-error"],
	["a rejection with HTTP 500", 500, rejected, "unknown http-5xx"],
	["401 to a fresh token", 401, "", "not-sent auth-failed"],
];

for (const [name, status, body, reading] of receptions) {
	test(`a reception answered with ${name} is read as ${reading}`, () => {
		expect(brief(readReception(replyOf(status, body), ecf))).toBe(reading);
	});
}

for (const [name, status, body, reading] of summaries) {
	test(`a summary answered with ${name} is read as ${reading}`, () => {
		expect(brief(readSummaryReception(replyOf(status, body), summary))).toBe(reading);
	});
}

test("without an answer only certain outcomes are reported", () => {
	const failure = { fault: "authority-timeout", detail: "10 s" } as const;
	for (const read of [readReception, readSummaryReception]) {
		expect(read({ reached: "nothing", ...failure }, ecf)).toEqual({
			kind: "not-sent",
			reason: failure.fault,
			detail: "10 s",
		});
		expect(read({ reached: "unknown", ...failure }, ecf)).toEqual({
			kind: "unknown",
			reason: failure.fault,
			detail: "10 s",
		});
	}
});

test("no JSON value with a status other than 200 and 400 decides a submission", () => {
	const status = fc.integer({ min: 100, max: 599 }).filter((n) => n !== 400 && n !== 401 && (n < 200 || n > 299));
	fc.assert(
		fc.property(fc.oneof(fc.jsonValue(), fc.constantFrom<unknown>(received, accepted)), status, (value, code) => {
			expect(readReception(replyOf(code, JSON.stringify(value)), ecf).kind).toBe("unknown");
			expect(readSummaryReception(replyOf(code, JSON.stringify(value)), summary).kind).toBe("unknown");
		}),
		{ numRuns: 300 },
	);
});

test("a refusal reports what it says about the number, and nothing otherwise", () => {
	const rejection = { codigo: 2, estado: "Rechazado", mensajes: [{ valor: "x", codigo: 9999 }] };
	const flagOf = (body: object) => {
		const submission = readSummaryReception(replyOf(400, body), summary);
		return submission.kind === "refused" ? submission.sequenceConsumed : submission.kind;
	};
	expect(flagOf({ ...rejection, secuenciaUtilizada: true })).toBe(true);
	expect(flagOf({ ...rejection, SecuenciaUtilizada: "False" })).toBe(false);
	expect(flagOf(rejection)).toBeUndefined();
});
