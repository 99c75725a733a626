import { expect, test } from "bun:test";
import { type EmailFacts, toLetter, toSubject } from "../../../src/invoicing/email/letter";

const told: EmailFacts = {
	type: "31",
	encf: "E310000000001",
	request: JSON.stringify({ customer: { name: "CLIENTE SRL" }, totals: { grand_total: "5310.00" } }),
	securityCode: "a1B2c3",
	qrUrl: "https://authority.example/ConsultaTimbre?x=1",
	standing: "accepted",
	isTest: false,
};
const sender = { name: "FERRETERIA EL PROGRESO SRL", rnc: "131880681", email: "ventas@progreso.do", phone: null };

test("a letter in Spanish tells message, document, amount, code and address, and who sends it", () => {
	expect(toLetter("es", "Adjuntamos su factura.\r\nGracias.", told, sender)).toBe(
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

test("in English, without a message or a buyer, for a document that waits and for one that is worth nothing", () => {
	const pending = toLetter("en", "  ", { ...told, request: "{}", standing: "pending" }, sender);
	expect(pending).toStartWith("Document: Electronic tax credit invoice E310000000001\nIssuer: ");
	expect(pending).not.toContain("Customer");
	expect(pending).toContain("\n\nIts validity can be looked up after 72 hours.\n\n-- \n");
	const rejected = toLetter("en", "", { ...told, standing: "rejected", isTest: true }, sender);
	expect(rejected).toContain(
		"Rejected by the tax authority: without fiscal value.\nTest document: without fiscal value.",
	);
	expect(toLetter("es", "", { ...told, standing: "contingency" }, sender)).toContain(
		"Emitido en modalidad de contingencia.",
	);
});

test("a name cannot begin a line of its own, hide or turn around, and a subject is one line that fits", () => {
	const name = "ACME\r\nBcc: eva@evil.example\u202e\u0000 SRL";
	expect(toSubject("es", told, name)).toBe(
		"Factura de Crédito Fiscal Electrónica E310000000001 de ACME Bcc: eva@evil.example SRL",
	);
	expect(toLetter("es", "", told, { ...sender, name })).not.toMatch(/^Bcc/m);
	const long = toSubject("en", told, "Ñandú 🦤 ".repeat(100));
	expect(long.length).toBeLessThanOrEqual(250);
	expect(long).toEndWith("…");
	expect(long).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
});
