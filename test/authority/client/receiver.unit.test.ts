/** Possible answers of the directory: a receiver, none, or an unusable answer. */
import { describe, expect, test } from "bun:test";
import { readListing } from "../../../src/authority/client/receiver";
import { html, replyOf } from "./support/reply";

const RNC = "101010101";
const base = "https://fe.cliente.example/ecf";
const entry = {
	nombre: "CLIENTE SRL",
	rnc: RNC,
	urlRecepcion: base,
	urlAceptacion: `${base}/ac`,
	urlOpcional: `${base}/au`,
};
const xml = (inner: string) =>
	`<?xml version="1.0"?><ArrayOfDirectorioElectronico>${inner}</ArrayOfDirectorioElectronico>`;
const element = `<DirectorioElectronico><nombre>CLIENTE SRL</nombre><rnc>${RNC}</rnc><urlRecepcion>${base}</urlRecepcion></DirectorioElectronico>`;
const read = (status: number, body: unknown) => readListing(replyOf(status, body), RNC);

describe("a receiver is read", () => {
	const { urlOpcional, ...plain } = entry;
	test.each<[string, unknown]>([
		["from an object", entry],
		["from a list of one", [entry]],
		["from a list of more", [{ ...entry, rnc: "101010102" }, entry]],
		[
			"from members in other letters",
			{ NOMBRE: entry.nombre, RNC, URLRecepcion: base, UrlAceptacion: `${base}/ac`, UrlOpcional: urlOpcional },
		],
		["from a number with dashes", { ...entry, rnc: "1-01-01010-1" }],
		["from a number that is no text", { ...entry, rnc: Number(RNC) }],
	])("%s", (_, body) => {
		expect(read(200, body)).toEqual({
			kind: "listed",
			receiver: {
				rnc: RNC,
				name: "CLIENTE SRL",
				receptionUrl: base,
				approvalUrl: `${base}/ac`,
				authenticationUrl: `${base}/au`,
			},
		});
	});
	test("a receiver without authentication, from XML, or with one address is read", () => {
		const receiver = { rnc: RNC, name: "CLIENTE SRL", receptionUrl: base, approvalUrl: `${base}/ac` };
		for (const body of [plain, { ...plain, urlOpcional: null }, { ...plain, urlOpcional: " " }]) {
			expect(read(200, body)).toEqual({ kind: "listed", receiver });
		}
		expect(read(200, xml(element))).toEqual({ kind: "listed", receiver: { ...receiver, approvalUrl: base } });
	});
});

test.each<[string, number, unknown]>([
	["an empty list", 200, []],
	["an empty object", 200, {}],
	["null", 200, null],
	["nothing", 200, ""],
	["an empty XML list", 200, xml("")],
	["an entry of blanks", 200, { nombre: null, rnc: null, urlRecepcion: "" }],
	["404 with nothing", 404, ""],
	["404 with a problem", 404, { title: "Not Found", status: 404 }],
	["a sentence", 400, "No se encontró el contribuyente en el directorio."],
	["a sentence in a member", 200, { mensaje: "El RNC no está registrado como receptor electrónico." }],
])("%s means that the taxpayer is not listed", (_, status, body) => {
	expect(read(status, body)).toEqual({ kind: "not-listed" });
});

test.each<[string, number, unknown, string]>([
	["an edge's page", 200, html, "authority-answer-unreadable"],
	["an edge's page for 404", 404, html, "authority-http-error"],
	["an error of the server", 500, entry, "authority-http-5xx"],
	["another refusal", 400, "Error interno", "authority-http-error"],
	["another taxpayer's entry", 200, { ...entry, rnc: "101010102" }, "authority-answer-mismatch"],
	["an entry without an address", 200, { nombre: "CLIENTE SRL", rnc: RNC }, "authority-answer-unreadable"],
	["a list of numbers", 200, [1, 2], "authority-answer-unreadable"],
	["a bare word", 200, "hola", "authority-answer-unreadable"],
])("%s says nothing of anybody", (_, status, body, reason) => {
	expect(read(status, body)).toMatchObject({ kind: "unavailable", reason });
});
