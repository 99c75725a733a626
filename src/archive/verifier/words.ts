/** Results of checks in English and Spanish, and how a check refuses. */

export type Words = { readonly en: string; readonly es: string };

/** The evidence is not valid, and why. Ends one check, from any depth. */
export class Refusal extends Error {
	readonly faults: readonly Words[];

	constructor(...faults: readonly Words[]) {
		super(joinWords(faults).en);
		this.name = "Refusal";
		this.faults = faults;
	}
}

/** A check that cannot be decided with the given options. It counts neither for the evidence nor against it. */
export type NotJudged = { readonly notJudged: Words };

/** Limit of faults shown for one check, since a hostile file may have any number. */
const FAULTS_MAX = 20;

export function joinWords(words: readonly Words[]): Words {
	const shown = words.slice(0, FAULTS_MAX);
	const more = words.length - shown.length;
	if (more > 0) shown.push({ en: `and ${more} more`, es: `y ${more} más` });
	return { en: shown.map(({ en }) => en).join("; "), es: shown.map(({ es }) => es).join("; ") };
}

/** Throws a Refusal with all faults, if there are any. */
export function refuseIfAny(faults: readonly Words[]): void {
	if (faults.length > 0) throw new Refusal(...faults);
}

/** A part of the evidence, read at first use. A Refusal is thrown again at every use. */
export type Part<T> = () => T;

export function readOnce<T>(read: () => T): Part<T> {
	let reading: { readonly value: T } | { readonly refusal: Refusal } | undefined;
	return () => {
		reading ??= attempt(read);
		if ("refusal" in reading) throw reading.refusal;
		return reading.value;
	};
}

function attempt<T>(read: () => T): { readonly value: T } | { readonly refusal: Refusal } {
	try {
		return { value: read() };
	} catch (error) {
		if (error instanceof Refusal) return { refusal: error };
		throw error;
	}
}
