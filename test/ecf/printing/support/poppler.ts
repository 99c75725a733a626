/** PDFs as another program draws and reads them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findJudge, type Judge } from "../../../support/judges";

const [draws, reads, tells] = [findJudge("pdftoppm"), findJudge("pdftotext"), findJudge("pdfinfo")];
/** Whether the programs are here; what needs them is skipped without. */
export const hasPoppler = draws !== undefined && reads !== undefined && tells !== undefined;

/** Every page in greys, as PGM files. */
export async function drawPages(pdf: Uint8Array, dotsPerInch: number): Promise<Uint8Array[]> {
	return inFolder(pdf, async (file, folder) => {
		await ask(draws, "-gray", "-r", String(dotsPerInch), file, join(folder, "page"));
		const names = readdirSync(folder).filter((name) => name.endsWith(".pgm"));
		return names.sort().map((name) => new Uint8Array(readFileSync(join(folder, name))));
	});
}

/** The text of each page, laid out as on the page. */
export async function readPages(pdf: Uint8Array): Promise<string[]> {
	const text = await inFolder(pdf, (file) => ask(reads, "-layout", file, "-"));
	return text.split("\f").slice(0, -1);
}

export const describePdf = (pdf: Uint8Array): Promise<string> => inFolder(pdf, (file) => ask(tells, file));

async function ask(judge: Judge | undefined, ...args: string[]): Promise<string> {
	if (!judge) throw new Error("poppler-utils is not installed");
	const { exitCode, output } = await judge(...args);
	if (exitCode !== 0) throw new Error(`poppler refuses the document: ${output}`);
	return output;
}

async function inFolder<T>(pdf: Uint8Array, use: (file: string, folder: string) => Promise<T>): Promise<T> {
	const folder = mkdtempSync(join(tmpdir(), "sello-pdf-"));
	try {
		const file = join(folder, "document.pdf");
		await Bun.write(file, pdf);
		return await use(file, folder);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
