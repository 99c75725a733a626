/** What a receipt printer makes of the bytes: an interpreter of its commands shows the paper. */
import { expect, test } from "bun:test";
import { LOGO } from "./support/logo";
import { jobOf, longDocument, print, qrUrlOf } from "./support/papers";
import { show } from "./support/read-escpos";

test.each([
	["a4", 48],
	["thermal_80", 48],
	["thermal_58", 32],
] as const)("on %s every line has at most %d columns, and amounts end at the right edge", async (paper, columns) => {
	const { lines, codePage, isCut, qr } = show(await print(jobOf("31-everything", { format: "escpos", paper })));
	expect(lines.filter(({ text, width }) => text.length * width > columns)).toEqual([]);
	expect({ codePage, isCut }).toEqual({ codePage: 2, isCut: true });
	const texts = lines.map(({ text }) => text);
	for (const label of ["Subtotal gravado (DOP)", "Total (DOP)"]) {
		expect(texts.filter((text) => text.startsWith(label)).map((text) => text.length)).toEqual([columns]);
	}
	expect(texts).toContain(`Total (DOP)${"2,181.26".padStart(columns - 11)}`);
	expect(qr).toMatchObject({ data: qrUrlOf("31"), level: 49 });
	const modules = 61;
	expect((qr?.moduleDots ?? 0) * modules).toBeGreaterThanOrEqual(176);
	expect((qr?.moduleDots ?? 0) * modules + 48).toBeLessThanOrEqual(columns === 32 ? 384 : 576);
	const foot = texts.slice(-4).join(" ");
	expect(foot).toMatch(/Código de Seguridad: \S{6} Fecha de Firma Digital: 20-11-2026 10:20:00$/);
});

test("the head has the issuer in large letters, the title in bold, and Spanish letters", async () => {
	const { lines } = show(await print(jobOf("31-everything", { format: "escpos", standing: "contingency" })));
	const find = (text: string) => lines.find((line) => line.text === text);
	expect(find("EL PROGRESO")).toMatchObject({ isBold: true, isCentered: true, width: 2 });
	expect(find("Factura de Crédito Fiscal Electrónica")).toMatchObject({ isBold: true, isCentered: true });
	expect(find("e-CF emitido en modalidad de contingencia")).toMatchObject({ isBold: true });
	expect(lines.map(({ text }) => text)).toContain("Cable eléctrico n.º 12 «THHN» & accesorios");
});

test("a text cannot contain a command, and a missing letter is a question mark", async () => {
	const signedXml = longDocument(["uno\u0009dos\u000Atres", "漢字 Łódź ✓ ﬁn"]);
	const { lines } = show(await print(jobOf("33-minimal", { format: "escpos", signedXml })));
	const texts = lines.map(({ text }) => text);
	expect(texts.some((text) => text.includes("uno dos"))).toBe(true);
	expect(texts).toContain("?? ?ódz ? fin");
});

test("a logo is printed in black and white, no wider than the paper", async () => {
	const { pictures } = show(await print(jobOf("31-minimal", { format: "escpos", paper: "thermal_58", logo: LOGO })));
	expect(pictures).toEqual([{ widthDots: 200, rows: 80, blackDots: expect.any(Number) }]);
	// The disc is darker than its surroundings; what is transparent prints nothing.
	expect(pictures[0]?.blackDots).toBeGreaterThan(2_000);
	expect(pictures[0]?.blackDots).toBeLessThan(8_000);
	expect(
		show(await print(jobOf("31-minimal", { format: "escpos", logo: Buffer.from("no picture") }))).pictures,
	).toEqual([]);
});
