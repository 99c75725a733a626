/**
 * Every type on every paper, drawn by another program: it looks as it did when it was last reviewed, and its QR reads.
 * UPDATE=1 keeps new pictures; look at them before they are committed.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ECF_TYPES } from "../../../src/ecf/mapping";
import { readPng } from "../../../src/ecf/printing/logo";
import { PAPERS, type PrintJob } from "../../../src/ecf/printing/print-job";
import { findDifference } from "./support/compare-pictures";
import { LOGO } from "./support/logo";
import { jobOf, longDocument, print, qrUrlOf } from "./support/papers";
import { drawDocument, lowerPart, toFile } from "./support/pictures";
import { hasPoppler } from "./support/poppler";
import { readQr } from "./support/read-qr";

const GOLDEN = join(import.meta.dir, "golden");
const isUpdate = process.env.UPDATE === "1";

describe.skipIf(!hasPoppler())("a printed document", () => {
	const cases = ECF_TYPES.flatMap((type) => PAPERS.map((format) => [type, format] as const));

	test.each(cases)(
		"of type %s on %s looks as it was kept, and its QR holds the exact address",
		async (type, format) => {
			const standing = type === "44" ? "contingency" : "accepted";
			const logo = type === "34" ? undefined : LOGO;
			const pages = await draw(jobOf(`${type}-everything`, { format, standing, isTest: type === "41", logo }));
			expect([1, 2, 3]).toContain(pages.length);
			for (const [i, { page, small }] of pages.entries()) {
				const file = join(GOLDEN, `${type}-${format}${i === 0 ? "" : `-${i + 1}`}.png`);
				if (isUpdate) writeFileSync(file, toFile(small));
				if (!existsSync(file)) throw new Error(`no picture ${file}; run with UPDATE=1 and look at it`);
				expect(findDifference(small, readPng(readFileSync(file)))).toBe("");
				expect(readQr(lowerPart(page))).toBe(qrUrlOf(type));
			}
		},
	);

	test("that differs in one word is detected", async () => {
		const job = jobOf("31-everything", { logo: LOGO });
		const text = Buffer.from(job.signedXml).toString("utf8");
		const signedXml = Buffer.from(text.replace(">EL PROGRESO<", ">EL REGRESO<"));
		const [drawn] = await draw({ ...job, signedXml });
		if (!drawn) throw new Error("no page was drawn");
		const kept = readPng(readFileSync(join(GOLDEN, "31-a4.png")));
		expect(findDifference(drawn.small, kept)).toContain("different");
	});

	test("of many pages has the QR on each", async () => {
		const signedXml = longDocument(Array.from({ length: 60 }, (_, i) => `Producto número ${i + 1}`));
		const pages = await draw(jobOf("33-everything", { signedXml }));
		expect(pages.map(({ page }) => readQr(lowerPart(page)))).toEqual([qrUrlOf("33"), qrUrlOf("33")]);
	});
});

const draw = async (job: PrintJob) => drawDocument(await print(job));
