/** PDFs as another program draws and reads them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findJudge, type JudgeName } from "../../../support/judges";

/** Whether the programs are here; a file whose tests need them calls this, so that it says why it skips them. */
export function hasPoppler(): boolean {
	return [findJudge("pdftoppm"), findJudge("pdftotext"), findJudge("pdfinfo")].every((judge) => judge !== undefined);
}

/** Every page in greys, as PGM files. */
export async function drawPages(pdf: Uint8Array, dotsPerInch: number): Promise<Uint8Array[]> {
	return inFolder(pdf, async (file, folder) => {
		await ask("pdftoppm", "-gray", "-r", String(dotsPerInch), file, join(folder, "page"));
		const names = readdirSync(folder).filter((name) => name.endsWith(".pgm"));
		return names.sort().map((name) => new Uint8Array(readFileSync(join(folder, name))));
	});
}

/** The text of each page, laid out as on the page. */
export async function readPages(pdf: Uint8Array): Promise<string[]> {
	const text = await inFolder(pdf, (file) => ask("pdftotext", "-layout", file, "-"));
	return text.split("\f").slice(0, -1);
}

export const describePdf = (pdf: Uint8Array): Promise<string> => inFolder(pdf, (file) => ask("pdfinfo", file));

async function ask(program: JudgeName, ...args: string[]): Promise<string> {
	const judge = findJudge(program);
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
