/** The words in which a document's layout is told: which elements a block has, in which order, who must have them. */
import type { Form } from "./forms";

/** One element that the structure check knows by name. */
export type Landmark = {
	readonly name: string;
	/** Form of a leaf's text; absent for any text. */
	readonly form?: Form;
	/** Content of a block. */
	readonly block?: Block;
	/** e-CF types in which it must stand. */
	readonly requiredIn: readonly string[];
	/** e-CF types in which it must not stand. */
	readonly absentIn: readonly string[];
	/** Most repetitions, by e-CF type where they differ. */
	readonly most: (type: string) => number;
};

export type Block = {
	readonly landmarks: readonly Landmark[];
	/** An open block may have further elements that this check leaves unjudged. */
	readonly closed: boolean;
};

export const ALL_TYPES = ["31", "32", "33", "34", "41", "43", "44", "45", "46", "47"];

export function except(...types: string[]): string[] {
	return ALL_TYPES.filter((type) => !types.includes(type));
}

type Particulars = Partial<Omit<Landmark, "name" | "most">> & { most?: number | ((type: string) => number) };

export function landmark(name: string, particulars: Particulars = {}): Landmark {
	const { most = 1 } = particulars;
	return {
		requiredIn: [],
		absentIn: [],
		...particulars,
		name,
		most: typeof most === "number" ? () => most : most,
	};
}

/** An element that every type must have. */
export function required(name: string, form?: Form): Landmark {
	return landmark(name, { requiredIn: ALL_TYPES, ...(form ? { form } : {}) });
}

/** Optional leaves of one form, in their order. */
export function optionals(form: Form, ...names: string[]): Landmark[] {
	return names.map((name) => landmark(name, { form }));
}

export function requiredBlock(name: string, block: Block): Landmark {
	return landmark(name, { requiredIn: ALL_TYPES, block });
}

export function closed(...landmarks: Landmark[]): Block {
	return { landmarks, closed: true };
}

export function open(...landmarks: Landmark[]): Block {
	return { landmarks, closed: false };
}
