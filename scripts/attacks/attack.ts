/** One document of the corpus, and the two ways to make it: changed before it is sealed, or after. */
import type { DocumentFaultCode } from "../../src/ecf/verification";
import { identities } from "./identities";
import { INVOICE, plainSignature, type SealOptions, seal, xadesSignature } from "./seal";

export type Attack = {
	/** Also the name of its file. */
	readonly name: string;
	/** What it tries, in a sentence. */
	readonly shows: string;
	/** The fault that it must be refused with. */
	readonly fault: DocumentFaultCode;
	readonly document: string | Uint8Array;
	/** True where only the mathematics is wrong: every verifier refuses it. */
	readonly isMath?: boolean;
};

export type Edit = readonly [from: string | RegExp, to: string];

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

/** The text with each edit made. An edit that finds nothing is a mistake of the corpus. */
export function edit(text: string, ...edits: readonly Edit[]): string {
	return edits.reduce((before, [from, to]) => {
		// A function: in a text of its own, $ would mean something.
		const after = before.replace(from, () => to);
		if (after === before) throw new Error(`nothing to change: ${from}`);
		return after;
	}, text);
}

export function wrap(signature: string, content = INVOICE): string {
	return `${DECLARATION}<ECF>${content}${signature}</ECF>`;
}

export type Making = Partial<SealOptions>;

/** A XAdES document, edited before it is sealed: its digests and its signature are right. */
export function sealedXades(edits: readonly Edit[] = [], making: Making = {}): string {
	const { identity = identities.good } = making;
	return seal(edit(wrap(xadesSignature(identity)), ...edits), { ...making, identity });
}

/** The same in the plain profile. */
export function sealedPlain(edits: readonly Edit[] = [], making: Making = {}): string {
	const { identity = identities.good } = making;
	return seal(edit(wrap(plainSignature(identity)), ...edits), { ...making, identity });
}
