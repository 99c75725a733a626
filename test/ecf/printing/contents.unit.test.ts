/** What the norm wants on the paper is there, as the document has it. The words are read from the PDF by another program. */
import { describe, expect, test } from "bun:test";
import type { PrintJob } from "../../../src/ecf/printing/print-job";
import { jobOf, longDocument, print } from "./support/papers";
import { describePdf, hasPoppler, readPages } from "./support/poppler";

/** The text of one page, its lines' white space taken together. */
const read = async (job: PrintJob) => (await readPages(await print(job))).map((page) => page.replace(/[ \t]+/g, " "));

describe.skipIf(!hasPoppler())("a printed document", () => {
	test.each([
		["31", "Factura de Crédito Fiscal", "Fecha de vencimiento: 31-12-2028"],
		["32", "Factura de Consumo", undefined],
		["33", "Nota de Débito", "Fecha de vencimiento: 31-12-2028"],
		["34", "Nota de Crédito", undefined],
		["41", "Compras Electrónico", "Fecha de vencimiento: 31-12-2028"],
		["44", "Regímenes Especiales", "Fecha de vencimiento: 31-12-2028"],
	])("of type %s has its head, its lines, its totals and its seal, on A4 and on 58 mm", async (type, title, expiry) => {
		const prices = type === "44" ? ["100.00", "970.00", "200.1234"] : ["118.00", "1,144.60", "232.1431"];
		for (const format of ["a4", "thermal_58"] as const) {
			const page = (await read(jobOf(`${type}-everything`, { format }))).join(" ");
			const wanted = [
				...[title, `e-NCF: E${type}0000000099`, ...(expiry ? [expiry] : [])],
				...["EL PROGRESO", "FERRETERIA EL PROGRESO SRL", "RNC: 990000001", "Av. Duarte 100", "Santo Domingo de Guzmán"],
				...["Distrito Nacional", "Ensanche Naco", "Fecha de emisión: 19-11-2026"],
				...["Cable eléctrico n.º 12 «THHN»", "10.00", ...prices, "E Manual impreso", "250.00"],
				...["Descuento por volumen", "Subtotal exento (DOP)", "Total (DOP)", "Total (USD)", "tipo de cambio"],
				...["Código de Seguridad: ", "Fecha de Firma Digital: 20-11-2026"],
			].filter((text) => type !== "44" || text !== "Descuento por volumen");
			expect({ format, missing: wanted.filter((text) => !flat(page).includes(flat(text))) }).toEqual({
				format,
				missing: [],
			});
			if (!expiry) expect(page).not.toContain("vencimiento");
		}
	});

	test("of a note says which document it modifies, and how", async () => {
		const [page = ""] = await read(jobOf("34-everything", { format: "thermal_80" }));
		expect(flat(page)).toMatch(/NCF modificado: \S+ Fecha del NCF modificado: \d\d-\d\d-\d{4}/);
		expect(flat(page)).toMatch(/Código de modificación: \d - (Anula|Corrige)/);
	});

	test.each([
		["pending", ["Consulte su validez después de 72 horas"]],
		[
			"contingency",
			["e-CF emitido en modalidad de contingencia", "Su validez fiscal podrá consultarse a partir de las 72 horas"],
		],
		["rejected", ["Rechazado por la Administración Tributaria: sin valor fiscal"]],
		["failed", ["No recibido por la Administración Tributaria: sin valor fiscal"]],
		["accepted", []],
	] as const)("that is %s says so and no more", async (standing, legends) => {
		const all = ["validez", "contingencia", "sin valor fiscal", "prueba"];
		for (const format of ["a4", "thermal_80"] as const) {
			const [page = ""] = await read(jobOf("31-minimal", { format, standing }));
			const text = flat(page).toLocaleLowerCase("es");
			for (const legend of legends) expect(text).toContain(legend.toLocaleLowerCase("es"));
			const reported = legends.join(" ").toLocaleLowerCase("es");
			expect(all.filter((word) => text.includes(word))).toEqual(all.filter((word) => reported.includes(word)));
		}
	});

	test("of a test says that it is one", async () => {
		const [page = ""] = await read(jobOf("31-minimal", { isTest: true }));
		expect(page).toContain("DOCUMENTO DE PRUEBA: SIN VALOR FISCAL");
	});

	test("of many lines repeats head and QR, numbers and sums its pages, and omits no line", async () => {
		const names = Array.from({ length: 120 }, (_, i) => `Artículo ${String(i + 1).padStart(3, "0")}`);
		const pages = await read(jobOf("33-minimal", { signedXml: longDocument(names) }));
		expect(pages.length).toBeGreaterThan(2);
		for (const [i, page] of pages.entries()) {
			const repeated = [
				"e-NCF: E330000000099",
				"EL PROGRESO",
				"Descripción",
				"Código de Seguridad: aB3/+9",
				`Página ${i + 1} de ${pages.length}`,
			];
			expect(repeated.filter((text) => !page.includes(text))).toEqual([]);
			const count = page.match(/Artículo \d{3}/g)?.length ?? 0;
			const sum = (count * 118).toLocaleString("en-US", { minimumFractionDigits: 2 });
			if (i < pages.length - 1) expect(page).toContain(`Subtotal de la página ${sum}`);
			else expect(page).not.toContain("Subtotal de la página");
		}
		expect([...(pages.join().match(/Artículo \d{3}/g) ?? [])]).toEqual(names);
		expect(pages.at(-1)).toContain("Total 14,160.00");
	});

	test("prints non-Latin letters, and a box for what no font has", async () => {
		const signedXml = longDocument([
			"Ñandú, Łódź, Ελλάδα, Привет",
			"12\u202E34 漢字 ﬁn Ａ\u200B",
			"\u05E9\u05DC\u05D5\u05DD 99.00",
		]);
		const [page = ""] = await read(jobOf("33-minimal", { signedXml }));
		expect(page).toContain("Ñandú, Łódź, Ελλάδα, Привет");
		expect(page).toContain("1234 □□ ﬁn A");
		expect(page).toContain("□□□□ 99.00");
	});

	test("carries title and language for those who listen to it, and embedded fonts alone", async () => {
		const pdf = await print(jobOf("31-everything"));
		const reported = await describePdf(pdf);
		expect(reported).toMatch(/Title: +Factura de Crédito Fiscal Electrónica E310000000099/);
		expect(reported).toMatch(/JavaScript: +no/);
		expect(Buffer.from(pdf).toString("latin1")).toContain("/Lang (es-DO)");
		expect(Buffer.from(pdf).toString("latin1")).not.toContain("/Type1");
	});
});

test("the same document and standing give the same bytes, another standing others", async () => {
	for (const format of ["a4", "thermal_80", "thermal_58", "escpos"] as const) {
		const [one, other, third] = await Promise.all([
			print(jobOf("31-everything", { format })),
			print(jobOf("31-everything", { format })),
			print(jobOf("31-everything", { format, standing: "rejected" })),
		]);
		expect(Buffer.compare(one, other)).toBe(0);
		expect(Buffer.compare(one, third)).not.toBe(0);
	}
});

test("a document of 10,000 lines with long words is printed on every paper", async () => {
	const signedXml = longDocument(
		Array.from({ length: 10_000 }, (_, i) => (i < 50 ? "W".repeat(1_000) : `Artículo ${i}`)),
	);
	for (const format of ["a4", "escpos"] as const) {
		const printed = await print(jobOf("33-minimal", { format, signedXml }));
		expect(printed.length).toBeLessThan(10_000_000);
	}
}, 120_000);

const flat = (text: string) => text.replace(/\s+/g, " ");
