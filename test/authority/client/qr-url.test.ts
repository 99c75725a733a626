import { expect, test } from "bun:test";
import { consumerQrUrl, ecfQrUrl, segmentOfQrUrl, toSegment } from "../../../src/authority/client";

const urls = { main: "https://authority.example", fc: "https://fc.authority.example/" };
const document = {
	rnc: "990000001",
	buyerRnc: "990000026",
	encf: "E310000000001",
	issueDate: "20-11-2026",
	total: "5310.00",
	signedAt: "20-11-2026 10:20:00",
	securityCode: "a+/=B2",
};

test("the address of an e-CF has its parameters in order and the official encoding", () => {
	expect(ecfQrUrl(urls, "ecf", document)).toBe(
		"https://authority.example/ecf/ConsultaTimbre?RncEmisor=990000001&RncComprador=990000026&ENCF=E310000000001&FechaEmision=20-11-2026&MontoTotal=5310.00&FechaFirma=20-11-2026%2010:20:00&CodigoSeguridad=a%2B%2F%3DB2",
	);
});

test("a buyer without an RNC is left out", () => {
	const { buyerRnc: _, ...without } = document;
	const url = ecfQrUrl(urls, "testecf", without);
	expect(url).toContain("/testecf/ConsultaTimbre?RncEmisor=990000001&ENCF=");
	expect(url).not.toContain("RncComprador");
});

test("a consumer invoice under the limit has the short address on its own host", () => {
	expect(consumerQrUrl(urls, "certecf", document)).toBe(
		"https://fc.authority.example/certecf/ConsultaTimbreFC?RncEmisor=990000001&ENCF=E310000000001&MontoTotal=5310.00&CodigoSeguridad=a%2B%2F%3DB2",
	);
});

test("a reader of the address gets back exactly what was put in", () => {
	const query = new URL(ecfQrUrl(urls, "ecf", document)).searchParams;
	expect([query.get("CodigoSeguridad"), query.get("FechaFirma")]).toEqual(["a+/=B2", "20-11-2026 10:20:00"]);
});

test("a company's environment of the authority has its segment", () => {
	expect([toSegment("test"), toSegment("certification"), toSegment("production")]).toEqual([
		"testecf",
		"certecf",
		"ecf",
	]);
});

test("both addresses reveal the document's environment, and no other address does", () => {
	for (const segment of ["testecf", "certecf", "ecf"] as const) {
		expect(segmentOfQrUrl(ecfQrUrl(urls, segment, document))).toBe(segment);
		expect(segmentOfQrUrl(consumerQrUrl(urls, segment, document))).toBe(segment);
	}
	expect(segmentOfQrUrl("https://authority.example/prueba/ConsultaTimbre?RncEmisor=990000001")).toBeUndefined();
});
