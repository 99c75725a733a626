/** Which approvals are understood: known deviations are accepted, and nothing that matters is guessed. */
import { describe, expect, test } from "bun:test";
import { readAcecf } from "../../../src/exchange/approvals/examine";
import { Message } from "../../../src/platform/problem";
import { isXmlElement, readXmlText } from "../../../src/platform/xml";

const LEAVES = {
	Version: "1.0",
	RNCEmisor: "101010101",
	eNCF: "E310000004321",
	FechaEmision: "19-11-2026",
	MontoTotal: "1180.00",
	RNCComprador: "131880681",
	Estado: "1",
	FechaHoraAprobacionComercial: "20-11-2026 10:50:00",
};

const leaf = (name: string, text: string) => `<${name}>${text}</${name}>`;
const write = (over: Record<string, string | null> = {}, further = "", root = "<ACECF>") => {
	const leaves = Object.entries({ ...LEAVES, ...over }).flatMap(([name, text]) =>
		text === null ? [] : [leaf(name, text)],
	);
	return `${root}<DetalleAprobacionComercial>${leaves.join("")}${further}</DetalleAprobacionComercial></ACECF>`;
};

function read(xml: string) {
	const root = readXmlText(xml);
	if (!isXmlElement(root)) throw new Error(root.detail);
	return readAcecf(root);
}

const GOOD = {
	...{
		issuerRnc: "101010101",
		buyerRnc: "131880681",
		encf: "E310000004321",
		issueDate: "2026-11-19",
		total: "1180.00",
	},
	...{ decision: "approved" as const, reason: null, decidedAt: new Date("2026-11-20T14:50:00.000Z") },
};

describe("is understood with", () => {
	test.each<[string, string]>([
		["nothing unusual", write()],
		["a total without decimals", write({ MontoTotal: "1180" })],
		["a total with one decimal", write({ MontoTotal: "1180.0" })],
		["a version without decimals", write({ Version: "1" })],
		[
			"namespaces declared and no encoding",
			`<?xml version="1.0"?>${write({}, "", '<ACECF xmlns:xsi="a:b" xmlns:xsd="a:c">')}`,
		],
		["white space around everything", write({ Estado: " 1\n" }).replaceAll("><", ">\r\n  <")],
		[
			"a day and a time without zeros",
			write({ FechaEmision: "19-11-2026", FechaHoraAprobacionComercial: "20-11-2026 10:50:0" }),
		],
		["an approval's empty reason", write({ DetalleMotivoRechazo: "" })],
	])("%s", (_, xml) => {
		expect(read(xml)).toEqual(GOOD);
	});

	test("a rejection and its reason", () => {
		const rejected = write({ Estado: "2", DetalleMotivoRechazo: "Precio &lt; orden" });
		expect(read(rejected)).toEqual({ ...GOOD, decision: "rejected", reason: "Precio < orden" });
	});
});

describe("is refused with", () => {
	test.each<[string, string]>([
		["another root", write().replaceAll("ACECF>", "ARECF>")],
		["a root in a namespace", write({}, "", '<ACECF xmlns="a:b">')],
		["a second detail", write().replace("</ACECF>", "<DetalleAprobacionComercial/></ACECF>")],
		["two states", write({}, leaf("Estado", "2"))],
		["an unknown element", write({}, leaf("Nota", "x"))],
		["a member of a prototype", write({}, leaf("constructor", "x"))],
		["an element in a text", write({ Estado: "<b>1</b>" })],
		["no buyer", write({ RNCComprador: null })],
		["another state", write({ Estado: "3" })],
		["a negative total", write({ MontoTotal: "-1180.00" })],
		["three decimals", write({ MontoTotal: "1180.000" })],
		["an amount in words", write({ MontoTotal: "1e3" })],
		["a number that is none", write({ RNCEmisor: "10101010" })],
		["a day that no calendar has", write({ FechaEmision: "31-02-2026" })],
		["an hour that no clock has", write({ FechaHoraAprobacionComercial: "20-11-2026 24:00:00" })],
		["a moment that is past the year 9999 in UTC", write({ FechaHoraAprobacionComercial: "31-12-9999 20:00:00" })],
		["a rejection without a reason", write({ Estado: "2" })],
		["a rejection with a blank reason", write({ Estado: "2", DetalleMotivoRechazo: " " })],
		["a reason that is too long", write({ Estado: "2", DetalleMotivoRechazo: "x".repeat(251) })],
	])("%s", (_, xml) => {
		expect(read(xml)).toBeInstanceOf(Message);
	});
});
