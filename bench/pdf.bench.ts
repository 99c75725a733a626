/**
 * What does a printed document cost on each paper?
 *
 * One thread, from the signed bytes of an invoice with ten lines to the PDF's bytes: reading, layout, QR, fonts and writing. The peer is
 * the
 * library alone: one A4 page with one word in the same embedded font, the minimum for our PDFs. Measured documents are compared with the
 * first
 * one byte for byte, so that nothing can be left out.
 */
import PDFDocument from "pdfkit";
import { planEcf, writeEcf } from "../src/ecf/mapping";
import { printDocument } from "../src/ecf/printing/print-document";
import { PRINT_FORMATS, type PrintJob } from "../src/ecf/printing/print-job";
import { openFonts } from "../src/ecf/printing/write-pdf";
import { type BenchOptions, type Figure, toCostFigure, toFigure } from "./bench";
import { buildInvoice } from "./invoice";
import { type Measured, measureInTurn, type Side } from "./measure";

export const question =
	"How many invoices of ten lines are printed per second in one thread, and how long does one take?";
export const peer = "the bare library's smallest page with an embedded font";

const ISSUER = { rnc: "990000001", name: "FERRETERIA EL PROGRESO SRL" };
const QR_URL =
	"https://ecf.authority.example/ecf/ConsultaTimbre?RncEmisor=990000001&RncComprador=990000002&ENCF=E310000000001" +
	"&FechaEmision=20-11-2026&MontoTotal=5310.00&FechaFirma=20-11-2026%2010:20:00&CodigoSeguridad=aB3%2F%2B9";
const BARE = "bare library";

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	const opened = openFonts();
	const signedXml = writeSigned();
	const tookMs: Record<string, number[]> = {};
	const sides: Record<string, Side> = { [BARE]: timed(tookMs, BARE, () => writeBare(opened.files.regular)) };
	for (const format of PRINT_FORMATS) {
		const job: PrintJob = {
			...{ format, paper: "a4", signedXml, qrUrl: QR_URL, standing: "accepted", isTest: false, logo: undefined },
		};
		const first = await printDocument(job, opened);
		sides[format] = timed(tookMs, format, async () => {
			if (Buffer.compare(await printDocument(job, opened), first) !== 0)
				throw new Error("another document was printed");
		});
	}
	const rounds = smoke ? { rounds: 1, seconds: 0.1, warmUpSeconds: 0.1 } : { rounds: 9, seconds: 1, warmUpSeconds: 2 };
	const measured = await measureInTurn(sides, rounds);
	const side = (name: string): Measured => measured[name] ?? { perSecond: [], cpuMicros: [] };
	return [
		toFigure(BARE, "pages/s", side(BARE).perSecond),
		...PRINT_FORMATS.flatMap((format) => [
			toFigure(format, "documents/s", side(format).perSecond, {
				against: { peer: BARE, rounds: side(BARE).perSecond },
			}),
			...toCostFigure(`${format}, processor time`, side(format).cpuMicros, {
				peer: BARE,
				rounds: side(BARE).cpuMicros,
			}),
			toFigure(`${format}, p99`, "ms", [percentile(tookMs[format] ?? [], 0.99)]),
		]),
	];
}

function timed(tookMs: Record<string, number[]>, name: string, side: () => Promise<unknown>): Side {
	const all: number[] = [];
	tookMs[name] = all;
	return async () => {
		const startedAt = performance.now();
		await side();
		all.push(performance.now() - startedAt);
	};
}

function percentile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

function writeSigned(): Uint8Array {
	const invoice = buildInvoice(ISSUER, "E310000000001");
	const plan = planEcf({
		invoice,
		issuer: ISSUER,
		sequenceExpiresOn: "2028-12-31",
		signedAt: "2026-11-20T14:20:00.121Z",
	});
	const signature = "<Signature><SignatureValue>aB3/+9</SignatureValue></Signature></ECF>";
	return new TextEncoder().encode(writeEcf(plan).replace("</ECF>", signature));
}

async function writeBare(font: Uint8Array): Promise<number> {
	const document = new PDFDocument({ size: "A4" });
	let bytes = 0;
	document.on("data", (chunk: Uint8Array) => {
		bytes += chunk.length;
	});
	const ended = new Promise((done) => document.on("end", done));
	document.registerFont("regular", Buffer.from(font));
	document.font("regular", 10).text("Factura", 50, 50, { lineBreak: false });
	document.end();
	await ended;
	return bytes;
}
