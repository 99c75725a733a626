/** Taxpayer numbers: an RNC of 9 digits, or 11 digits, which may be a person's RNC or Cédula. */

export type TaxpayerDocument = {
	/** Digits only. */
	readonly digits: string;
	/** By length alone: 11 digits cannot be told apart any further. */
	readonly kind: "rnc" | "cedula";
};

/**
 * Reads a taxpayer number, hyphens and spaces allowed; undefined unless 9 or 11 digits remain.
 * Check digits are not judged: numbers in force exist that fail them, and the registry decides.
 */
export function parseTaxpayerDocument(text: string): TaxpayerDocument | undefined {
	const digits = text.replace(/[- ]/g, "");
	if (/^[0-9]{9}$/.test(digits)) return { digits, kind: "rnc" };
	if (/^[0-9]{11}$/.test(digits)) return { digits, kind: "cedula" };
	return undefined;
}

/** Writes a number for logs and receipts with all but its last four digits hidden. */
export function maskDocument(digits: string): string {
	return "*".repeat(Math.max(0, digits.length - 4)) + digits.slice(-4);
}
