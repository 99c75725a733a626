/** A receipt printer: reads ESC/POS by its manual and returns what would be on the paper. Refuses commands that it does not know. */

export type Printed = {
	readonly lines: readonly {
		readonly text: string;
		readonly isBold: boolean;
		readonly isCentered: boolean;
		readonly width: number;
	}[];
	readonly qr: { readonly data: string; readonly moduleDots: number; readonly level: number } | undefined;
	readonly pictures: readonly { readonly widthDots: number; readonly rows: number; readonly blackDots: number }[];
	readonly codePage: number | undefined;
	readonly isCut: boolean;
};

/** `decode` is the code page's: an outsider's table. */
function readEscpos(bytes: Uint8Array, decode: (byte: number) => string): Printed {
	const [lines, pictures]: [Printed["lines"][number][], Printed["pictures"][number][]] = [[], []];
	let at = 0;
	let [text, isBold, isCentered, width, isCut] = ["", false, false, 1, false];
	let codePage: number | undefined;
	let stored = { data: "", moduleDots: 0, level: 0 };
	let qr: Printed["qr"];
	const next = () => {
		const byte = bytes[at++];
		if (byte === undefined) throw new Error("the bytes end inside of a command");
		return byte;
	};
	const take = (count: number) => Array.from({ length: count }, next);
	while (at < bytes.length) {
		const byte = next();
		if (byte === 0x0a) {
			lines.push({ text, isBold, isCentered, width });
			text = "";
		} else if (byte === 0x1b) {
			const command = String.fromCharCode(next());
			if (command === "@") [text, isBold, isCentered, width] = ["", false, false, 1];
			else if (command === "t") codePage = next();
			else if (command === "a") isCentered = next() === 1;
			else if (command === "E") isBold = next() === 1;
			else throw new Error(`ESC ${command} at ${at}`);
		} else if (byte === 0x1c) {
			if (next() !== 0x2e) throw new Error(`FS at ${at}`);
		} else if (byte === 0x1d) {
			const command = String.fromCharCode(next());
			if (command === "!") width = (next() >> 4) + 1;
			else if (command === "V") isCut = take(2)[0] === 66;
			else if (command === "(") readSymbol();
			else if (command === "v") readRaster();
			else throw new Error(`GS ${command} at ${at}`);
		} else if (byte < 0x20 || byte === 0x7f) throw new Error(`byte ${byte} at ${at}`);
		else text += byte < 0x80 ? String.fromCharCode(byte) : decode(byte);
	}
	return { lines, qr, pictures, codePage, isCut };

	function readSymbol(): void {
		const [k, low = 0, high = 0] = take(3);
		const [symbol, what, ...data] = take(low + high * 256);
		if (k !== 0x6b || symbol !== 49) throw new Error(`GS ( ${k} ${symbol}`);
		if (what === 65 && data[0] !== 50) throw new Error("another model than 2");
		if (what === 67) stored = { ...stored, moduleDots: data[0] ?? 0 };
		if (what === 69) stored = { ...stored, level: data[0] ?? 0 };
		if (what === 80) stored = { ...stored, data: Buffer.from(data.slice(1)).toString("utf8") };
		if (what === 81) qr = stored;
	}

	function readRaster(): void {
		const [, , bytesLow = 0, bytesHigh = 0, rowsLow = 0, rowsHigh = 0] = take(6);
		const [rowBytes, rows] = [bytesLow + bytesHigh * 256, rowsLow + rowsHigh * 256];
		const blackDots = take(rowBytes * rows).reduce((sum, one) => sum + one.toString(2).replaceAll("0", "").length, 0);
		pictures.push({ widthDots: rowBytes * 8, rows, blackDots });
	}
}

/** The letters of code page 850 that Spanish needs, by its published table. */
const CP850: Readonly<Record<number, string>> = {
	...{ 160: "á", 130: "é", 161: "í", 162: "ó", 163: "ú", 164: "ñ", 165: "Ñ", 129: "ü", 154: "Ü" },
	...{ 181: "Á", 144: "É", 214: "Í", 224: "Ó", 233: "Ú", 173: "¡", 168: "¿", 174: "«", 175: "»", 167: "º" },
};
/** As a printer with that code page prints it. */
export const show = (bytes: Uint8Array) => readEscpos(bytes, (byte) => CP850[byte] ?? `{${byte}}`);
