import { expect, test } from "bun:test";
import { type EmailFacts, toLetter, toSubject } from "../../../src/invoicing/email/letter";

const facts: EmailFacts = {
	type: "31",
	encf: "E310000000001",
	request: JSON.stringify({ customer: { name: "CLIENTE SRL" }, totals: { grand_total: "5310.00" } }),
	securityCode: "a1B2c3",
	qrUrl: "https://authority.example/ConsultaTimbre?x=1",
	standing: "accepted",
	isTest: false,
};
const sender = { name: "FERRETERIA EL PROGRESO SRL", rnc: "131880681", email: "ventas@progreso.do", phone: null };

test("a message in Spanish states document, amount, code, address and sender", () => {
	expect(toLetter("es", "Adjuntamos su factura.\r\nGracias.", facts, sender)).toBe(
		[
			"Adjuntamos su factura.",
			"Gracias.",
			"",
			"Comprobante: Factura de Crédito Fiscal Electrónica E310000000001",
			"Emisor: FERRETERIA EL PROGRESO SRL, RNC 131880681",
			"Cliente: CLIENTE SRL",
			"Total: RD$ 5,310.00",
			"Código de seguridad: a1B2c3",
			"Verificación: https://authority.example/ConsultaTimbre?x=1",
			"",
			"-- ",
			"FERRETERIA EL PROGRESO SRL",
			"ventas@progreso.do",
		].join("\n"),
	);
});

test("a message in English covers pending and rejected documents", () => {
	const pending = toLetter("en", "  ", { ...facts, request: "{}", standing: "pending" }, sender);
	expect(pending).toStartWith("Document: Electronic tax credit invoice E310000000001\nIssuer: ");
	expect(pending).not.toContain("Customer");
	expect(pending).toContain("\n\nIts validity can be looked up after 72 hours.\n\n-- \n");
	const rejected = toLetter("en", "", { ...facts, standing: "rejected", isTest: true }, sender);
	expect(rejected).toContain(
		"Rejected by the tax authority: without fiscal value.\nTest document: without fiscal value.",
	);
	expect(toLetter("es", "", { ...facts, standing: "contingency" }, sender)).toContain(
		"e-CF emitido en modalidad de contingencia.\nSu validez fiscal podrá consultarse a partir de las 72 horas.",
	);
});

test("a name cannot break a header line, and a subject is one short line", () => {
	const name = "ACME\r\nBcc: eva@evil.example\u202e\u0000 SRL";
	expect(toSubject("es", facts, name)).toBe(
		"Factura de Crédito Fiscal Electrónica E310000000001 de ACME Bcc: eva@evil.example SRL",
	);
	expect(toLetter("es", "", facts, { ...sender, name })).not.toMatch(/^Bcc/m);
	const long = toSubject("en", facts, "Ñandú 🦤 ".repeat(100));
	expect(long.length).toBeLessThanOrEqual(250);
	expect(long).toEndWith("…");
	expect(long).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
});
