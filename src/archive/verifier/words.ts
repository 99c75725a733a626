/** What is said of a check, in both languages that readers have. */

export type Words = { readonly en: string; readonly es: string };

/** The evidence does not hold, and why: ends one check, from any depth. */
export class Refusal extends Error {
	readonly faults: readonly Words[];

	constructor(...faults: readonly Words[]) {
		super(joinWords(faults).en);
		this.name = "Refusal";
		this.faults = faults;
	}
}

/** Something that cannot be judged with what is at hand; it speaks neither for the evidence nor against it. */
export type NotJudged = { readonly notJudged: Words };

/** Most faults of one check that are told: a hostile file may have as many as it likes. */
const FAULTS_MAX = 20;

export function joinWords(words: readonly Words[]): Words {
	const told = words.slice(0, FAULTS_MAX);
	const more = words.length - told.length;
	if (more > 0) told.push({ en: `and ${more} more`, es: `y ${more} más` });
	return { en: told.map(({ en }) => en).join("; "), es: told.map(({ es }) => es).join("; ") };
}

/** Throws: Refusal with all faults, when there are any. */
export function refuseIfAny(faults: readonly Words[]): void {
	if (faults.length > 0) throw new Refusal(...faults);
}

/** Something of the evidence, read when it is first asked for; a Refusal stays one, however often it is asked. */
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
