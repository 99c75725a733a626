import { expect, test } from "bun:test";
import { readTrackIds } from "../../../src/authority/client/track-ids";
import { html, replyOf } from "./support/reply";

const asked = { rnc: "990000001", encf: "E310000000001" };
const first = {
	trackId: "d2b6e27c-3908-46f3-afaa-2207b9501b4b",
	estado: "Aceptado",
	fechaRecepcion: "8/15/2023 6:06:57 AM",
};
const second = { trackId: "e2b6e27c-3908-46f3-afaa-2207b9501b4b", estado: "En proceso" };

test("a list gives every reception in its order", () => {
	expect(readTrackIds(replyOf(200, [first, second]), asked)).toEqual({
		kind: "found",
		entries: [
			{ trackId: first.trackId, standing: "accepted", receivedAt: new Date("2023-08-15T10:06:57Z") },
			{ trackId: second.trackId, standing: "in-process" },
		],
	});
});

test("a single reception may come without a list, and in XML with one", () => {
	const found = { kind: "found", entries: [{ trackId: second.trackId, standing: "in-process" }] } as const;
	expect(readTrackIds(replyOf(200, second), asked)).toEqual(found);
	const element = `<TrackingDetalle><trackId>${second.trackId}</trackId><estado>En Proceso</estado></TrackingDetalle>`;
	expect(readTrackIds(replyOf(200, element), asked)).toEqual(found);
	const list = readTrackIds(
		replyOf(200, `<ArrayOfTrackingDetalle>${element}${element}</ArrayOfTrackingDetalle>`),
		asked,
	);
	expect(list).toMatchObject({ kind: "found", entries: [found.entries[0], found.entries[0]] });
});

test("an unknown word is left out, since the result query decides", () => {
	const { estado: _, ...bare } = first;
	for (const entry of [{ ...bare, estado: "Recibido" }, bare]) {
		const read = readTrackIds(replyOf(200, [entry]), asked);
		expect(read).toEqual({
			kind: "found",
			entries: [{ trackId: first.trackId, receivedAt: new Date("2023-08-15T10:06:57Z") }],
		});
	}
});

const nothing = { trackId: "", estado: "TrackId no encontrado.", fechaRecepcion: "" };
for (const [name, status, body] of [
	["the documented sentence with HTTP 404", 404, nothing],
	["the sentence with HTTP 400", 400, nothing],
	["the sentence with HTTP 200", 200, nothing],
	["the sentence in a list", 200, [nothing]],
	["the sentence alone", 404, '"TrackId no encontrado."'],
	["the sentence as a remark", 400, { mensaje: "trackId no encontrado" }],
	["an empty list", 200, []],
	["one entry without a reception", 200, [{ trackId: null, estado: "No encontrado", fechaRecepcion: null }]],
	["that entry by itself", 200, { trackId: "", estado: "No encontrado" }],
	[
		"a problem document with HTTP 404",
		404,
		{
			type: "https://tools.ietf.org/html/rfc7231#section-6.5.4",
			title: "Not Found",
			status: 404,
			traceId: "00-1-2-00",
		},
	],
] as const) {
	test(`${name} means that the authority has nothing under the number`, () => {
		expect(readTrackIds(replyOf(status, body), asked)).toEqual({ kind: "not-found" });
	});
}

for (const [name, status, body, reason] of [
	["a page that is not there", 404, html, "authority-http-error"],
	["a 404 in Spanish", 404, "No encontrado", "authority-http-error"],
	["a 404 of an edge", 404, { statusCode: 404, message: "Resource not found" }, "authority-http-error"],
	["a problem document with HTTP 400", 400, { type: "a", title: "Bad Request", status: 400 }, "authority-http-error"],
	[
		"an entry of none beside a reception",
		200,
		[first, { trackId: null, estado: "No encontrado" }],
		"authority-answer-unreadable",
	],
	["a word without a trackId's name", 200, [{ estado: "No encontrado" }], "authority-answer-unreadable"],
	["a list with HTTP 400", 400, [first], "authority-http-error"],
	["an empty list with HTTP 404", 404, [], "authority-http-error"],
	["a list with HTTP 500", 500, [first], "authority-http-5xx"],
	["HTML with HTTP 200", 200, html, "authority-answer-unreadable"],
	["an empty object", 200, {}, "authority-answer-unreadable"],
	["an entry without a trackId", 200, [first, { estado: "Aceptado" }], "authority-answer-unreadable"],
	["an entry that is a word", 200, [first, "Aceptado"], "authority-answer-unreadable"],
	["an entry about another e-NCF", 200, [first, { ...second, encf: "E310000000002" }], "authority-answer-mismatch"],
	[
		"the caller not authorised",
		400,
		{ errors: { encf: ["no está autorizado para consultar este e-NCF."] } },
		"authority-http-error",
	],
] as const) {
	test(`${name} says nothing about the number`, () => {
		expect(readTrackIds(replyOf(status, body), asked)).toMatchObject({ kind: "unavailable", reason });
	});
}
