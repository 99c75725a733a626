/** The words in which a document's layout is told: which elements a block has, in which order, which of them must stand. */
import type { Form } from "./forms";

/** One element that the structure check knows by name. */
export type Landmark = {
	readonly name: string;
	/** Form of a leaf's text; absent for any text. */
	readonly form?: Form;
	/** Content of a block. */
	readonly block?: Block;
	readonly isRequired: boolean;
	/** Most repetitions. */
	readonly most: number;
};

/** Elements that it does not name must not stand in it. */
export type Block = {
	readonly landmarks: readonly Landmark[];
	/** Where each name stands in the order. */
	readonly positions: ReadonlyMap<string, number>;
};

export const ALL_TYPES = ["31", "32", "33", "34", "41", "43", "44", "45", "46", "47"];

export function landmark(name: string, particulars: Partial<Omit<Landmark, "name">> = {}): Landmark {
	return { most: 1, isRequired: false, ...particulars, name };
}

/** An element that must stand. */
export function required(name: string, form: Form): Landmark {
	return landmark(name, { isRequired: true, form });
}

/** Optional leaves of one form, in their order. */
export function optionals(form: Form, ...names: string[]): Landmark[] {
	return names.map((name) => landmark(name, { form }));
}

export function requiredBlock(name: string, block: Block, most = 1): Landmark {
	return landmark(name, { isRequired: true, block, most });
}

export function closed(...landmarks: Landmark[]): Block {
	return { landmarks, positions: new Map(landmarks.map(({ name }, position) => [name, position])) };
}
