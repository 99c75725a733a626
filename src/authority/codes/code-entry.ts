/** The entry of one code of the authority. */

export type Bilingual = { readonly en: string; readonly es: string };

/** A member of the invoice request that a code is about, as a JSON pointer, with a description of what to put there. */
export type CodeField = { readonly pointer: string; readonly put: Bilingual };

export type CodeEntry = {
	readonly title: Bilingual;
	readonly category: "result" | "sequence" | "reference" | "amount" | "field" | "buyer" | "structure" | "authority";
	/** The usual case; null if it does not follow from the code. A flag in the answer takes precedence. */
	readonly sequenceConsumed: boolean | null;
	/** The same bytes may be sent again. */
	readonly retryable: boolean;
	readonly cause: Bilingual;
	readonly fix: Bilingual;
	readonly fields: readonly CodeField[];
	/** `official`: documented by the authority. `observed`: seen in its answers. */
	readonly source: "official" | "observed";
};

export const newNumber: Bilingual = {
	en: "Correct the document and issue it with a new e-NCF.",
	es: "Corrija el documento y emítalo con un e-NCF nuevo.",
};
