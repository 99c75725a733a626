/** Whether an answer is about the document that was asked for. */
import { type Members, textOf } from "./read-answer";

/** What the answer must be about; each is compared with what the answer says of it, if it says anything. */
export type Asked = {
	readonly rnc: string;
	readonly encf: string;
	readonly trackId?: string;
	/** Tells our document from another one under the same number. */
	readonly securityCode?: string;
};

const names: readonly [keyof Asked, readonly string[], fold: (text: string) => string][] = [
	["rnc", ["rnc", "rncemisor"], (text) => text.replace(/[- ]/g, "")],
	["encf", ["encf", "ncfelectronico"], (text) => text.toUpperCase()],
	["trackId", ["trackid"], (text) => text.toLowerCase()],
	["securityCode", ["codigoseguridad"], (text) => text],
];

/** A sentence about the first thing that an answer says of another document; undefined when it says none. */
export function findMismatch(members: Members, asked: Asked): string | undefined {
	for (const [what, aliases, fold] of names) {
		const expected = asked[what];
		if (expected === undefined) continue;
		for (const alias of aliases) {
			const told = textOf(members, alias);
			if (told === undefined || fold(told) === fold(expected)) continue;
			return `${alias} is ${told.slice(0, 60)}, asked was ${expected}`;
		}
	}
	return undefined;
}

/** True when the answer names an e-NCF at all. */
export function namesDocument(members: Members): boolean {
	return textOf(members, "encf") !== undefined || textOf(members, "ncfelectronico") !== undefined;
}

/** The trackId of an answer. Quirk: the authority's platform writes "none" as a UUID of zeros. */
export function readTrackId(members: Members): string | undefined {
	const trackId = textOf(members, "trackid");
	if (trackId === undefined || !/^[0-9A-Za-z-]{1,64}$/.test(trackId) || /^[0-]+$/.test(trackId)) return undefined;
	return trackId;
}
