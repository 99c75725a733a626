/**
 * The QR of a document: its address as a square of modules.
 *
 * Quirk: the authority's text fixes version 8, which holds 192 bytes, and its own addresses have more; so the smallest version that holds the address
 * is taken, at level M, which survives a fold or a stain. Source: the authority's technical report, QR code; ISO/IEC 18004.
 */
import encodeQr from "qr";

const QR_LEVEL = "medium";

/** Rows of modules, true for dark, without the quiet zone. */
export type QrMatrix = readonly (readonly boolean[])[];

export function toQrMatrix(text: string): QrMatrix {
	// The package will not leave the border out.
	const framed = encodeQr(text, "raw", { ecc: QR_LEVEL, encoding: "byte", border: 1 });
	return framed.slice(1, -1).map((row) => row.slice(1, -1));
}

/** Neighbouring dark modules of a row as one: few shapes, and no seams between them. */
export function toRuns(matrix: QrMatrix): { readonly x: number; readonly y: number; readonly length: number }[] {
	return matrix.flatMap((row, y) => {
		const runs: { x: number; y: number; length: number }[] = [];
		for (let x = 0; x < row.length; x++) {
			const last = runs.at(-1);
			if (!row[x]) continue;
			if (last && last.x + last.length === x) last.length++;
			else runs.push({ x, y, length: 1 });
		}
		return runs;
	});
}
