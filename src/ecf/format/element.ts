/** What the tables of the authority's documents say of an element, and how they are written down. */
import type { EcfType } from "../mapping/ecf-type";
import type { Form } from "./forms";

/**
 * How an element stands in a document of a type. Inside a parent that may be left out, mandatory means "when the parent is
 * there". Source: the authority's formats, obligation codes 1 to 3; code 0 is no entry.
 */
type Presence = "mandatory" | "conditional" | "optional";

export type Element = {
	readonly name: string;
	/** By type; a type that is not there does not carry the element. */
	readonly presence: ReadonlyMap<EcfType, Presence>;
	/** How often it may stand in its parent, by type. */
	readonly most: (type: EcfType) => number;
	/** What its text is; absent where it has children. */
	readonly form?: Form;
	/** In document order. */
	readonly children: readonly Element[];
};

/** How often an element may stand there: always the same, or by type. */
export type Most = number | ((type: EcfType) => number);

const WORDS: Readonly<Record<string, Presence>> = { M: "mandatory", C: "conditional", O: "optional" };

/**
 * A writer of table rows for documents of some types: name, one letter for each type (M, C, O, or - where the element must not
 * appear), then its form or its children, and how often it may be repeated where that is not once.
 */
export function rowsFor(types: readonly EcfType[]) {
	return (name: string, letters: string, content: Form | readonly Element[], most: Most = 1): Element => {
		if (letters.length !== types.length) throw new RangeError(`expected ${types.length} letters for ${name}`);
		const entries = types.flatMap((type, index): [EcfType, Presence][] => {
			const presence = WORDS[letters.charAt(index)];
			return presence ? [[type, presence]] : [];
		});
		return {
			name,
			presence: new Map(entries),
			most: typeof most === "number" ? () => most : most,
			...("pattern" in content ? { form: content, children: [] } : { children: content }),
		};
	};
}

/** Columns of the e-CF's tables: 31, 32, 33, 34, 41, 44. */
export const ecfRow = rowsFor(["31", "32", "33", "34", "41", "44"]);

/** Lines and pages of a document. Source: the authority's e-CF format, section B, as its schemas have it. */
export const linesMost: Most = (type) => (type === "33" || type === "34" ? 10_000 : 1_000);
