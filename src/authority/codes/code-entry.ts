/** What is known of one code of the authority. */

export type Bilingual = { readonly en: string; readonly es: string };

/** A member of the invoice request that a code is about, as a JSON pointer, and what to put there, in words. */
export type CodeField = { readonly pointer: string; readonly put: Bilingual };

export type CodeEntry = {
	readonly title: Bilingual;
	readonly category: "result" | "sequence" | "reference" | "amount" | "field" | "buyer" | "structure" | "authority";
	/** What usually holds, null where it does not follow from the code. An answer's own flag comes first. */
	readonly sequenceConsumed: boolean | null;
	/** The same bytes may be sent again. */
	readonly retryable: boolean;
	readonly cause: Bilingual;
	readonly fix: Bilingual;
	readonly fields: readonly CodeField[];
	/** `official` when it stands in the authority's documents, `observed` when it was seen in its answers. */
	readonly source: "official" | "observed";
};

export const newNumber: Bilingual = {
	en: "Correct the document and issue it with a new e-NCF.",
	es: "Corrija el documento y emítalo con un e-NCF nuevo.",
};
