/** From the signed bytes to the bytes of the printed document. */
import { type Page, toQrMatrix } from "./drawing";
import { fitLetters } from "./fonts";
import { layoutSheet } from "./layout-sheet";
import { type Logo, prepareLogo } from "./logo";
import { titleOf } from "./names";
import { legendsFor, type Paper, type PrintJob } from "./print-job";
import type { Printable } from "./printable";
import { readPrintable } from "./read-printable";
import { layoutRoll, ROLLS } from "./receipt/layout-roll";
import { toReceipt } from "./receipt/receipt";
import { hasLetter, PRINTERS, writeEscpos } from "./receipt/write-escpos";
import { type OpenedFonts, writePdf } from "./write-pdf";

/** A logo is at most 53 mm wide on sheets and on rolls: 600 pixels are 288 to the inch. */
const LOGO_PX = { width: 600, height: 300 };
const LOGO_DOTS = { width: 320, height: 160 };

/** Throws an Error if the bytes are not a signed e-CF. */
export async function printDocument(job: PrintJob, opened: OpenedFonts): Promise<Uint8Array> {
	return job.format === "escpos" ? printEscpos(job) : printPdf(job, job.format, opened);
}

async function printPdf(job: PrintJob, format: Paper, opened: OpenedFonts): Promise<Uint8Array> {
	const { fonts } = opened;
	const has = (codePoint: number) => fonts.regular.has(codePoint) && fonts.bold.has(codePoint);
	const printable = readPrintable(job.signedXml, (text) => fitLetters(text, has));
	const legends = legendsFor(job.standing, job.isTest);
	const logo = job.logo && (await prepareLogo(job.logo, LOGO_PX.width, LOGO_PX.height));
	const content = {
		title: `${titleOf(printable.type)} ${printable.encf}`,
		author: printable.issuer.name,
		createdAt: toInstant(printable.signedAt),
		pages: layPages(printable, format, legends, logo),
		qr: toQrMatrix(job.qrUrl),
		logo,
	};
	return writePdf(content, opened);

	function layPages(p: Printable, paper: Paper, legends: readonly string[], picture: Logo | undefined): Page[] {
		if (paper === "a4" || paper === "letter") return layoutSheet(p, { sheet: paper, legends, logo: picture }, fonts);
		const receipt = toReceipt(p, { legends, hasLogo: picture !== undefined });
		return layoutRoll(receipt, { roll: ROLLS[paper], fonts, logo: picture });
	}
}

async function printEscpos(job: PrintJob): Promise<Uint8Array> {
	const printable = readPrintable(job.signedXml, (text) => fitLetters(text, hasLetter));
	const logo = job.logo && (await prepareLogo(job.logo, LOGO_DOTS.width, LOGO_DOTS.height));
	const receipt = toReceipt(printable, { legends: legendsFor(job.standing, job.isTest), hasLogo: logo !== undefined });
	const printer = PRINTERS[job.paper === "thermal_58" ? "thermal_58" : "thermal_80"];
	const qr = { address: job.qrUrl, modules: toQrMatrix(job.qrUrl).length };
	return writeEscpos(receipt, { qr, logo, printer });
}

/** The authority's wall clock, `dd-MM-yyyy HH:mm:ss`, is four hours behind UTC all year. */
function toInstant(wallTime: string): Date {
	const [, day, month, year, time] = /^(\d\d)-(\d\d)-(\d{4}) (\d\d:\d\d:\d\d)$/.exec(wallTime) ?? [];
	const instant = new Date(`${year}-${month}-${day}T${time}-04:00`);
	return Number.isNaN(instant.getTime()) ? new Date(0) : instant;
}
