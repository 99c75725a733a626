/** Taxpayer numbers: an RNC of 9 digits, or 11 digits, which may be a person's RNC or Cédula. */

export type TaxpayerDocument = {
	/** Digits only. */
	readonly digits: string;
	/** By length alone: numbers of 11 digits cannot be distinguished further. */
	readonly kind: "rnc" | "cedula";
};

/**
 * Reads a taxpayer number, hyphens and spaces allowed; undefined unless 9 or 11 digits remain. Check digits are not verified: valid numbers
 * exist that fail them, and the registry decides.
 */
export function parseTaxpayerDocument(text: string): TaxpayerDocument | undefined {
	const digits = text.replace(/[- ]/g, "");
	if (/^[0-9]{9}$/.test(digits)) return { digits, kind: "rnc" };
	if (/^[0-9]{11}$/.test(digits)) return { digits, kind: "cedula" };
	return undefined;
}

const RNC_WEIGHTS = [7, 9, 8, 6, 5, 4, 3, 2];

/**
 * True when the last digit is the check digit: modulo 11 for 9 digits, Luhn for 11. Only a hint, since valid numbers exist that fail it.
 * Source: the authority's rule for RNC and Cédula.
 */
export function hasCheckDigit(digits: string): boolean {
	const last = Number(digits.at(-1));
	const others = [...digits.slice(0, -1)].map(Number);
	if (digits.length === 9) {
		const sum = others.reduce((total, digit, index) => total + digit * (RNC_WEIGHTS[index] ?? 0), 0);
		return last === ((10 - (sum % 11)) % 9) + 1;
	}
	const sum = others.reduce((total, digit, index) => {
		const product = digit * (1 + (index % 2));
		return total + (product > 9 ? product - 9 : product);
	}, 0);
	return last === (10 - (sum % 10)) % 10;
}

/** Writes a number for logs and receipts with all but its last four digits masked. */
export function maskDocument(digits: string): string {
	return "*".repeat(Math.max(0, digits.length - 4)) + digits.slice(-4);
}
