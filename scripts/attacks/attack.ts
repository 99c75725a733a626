/** A document of the corpus, edited either before or after it is sealed. */
import type { DocumentFaultCode } from "../../src/ecf/verification";
import { identities } from "./identities";
import { INVOICE, plainSignature, type SealOptions, seal, xadesSignature } from "./seal";

export type Attack = {
	/** Also the file name. */
	readonly name: string;
	/** What it tries, in one sentence. */
	readonly shows: string;
	/** The fault that must refuse it. */
	readonly fault: DocumentFaultCode;
	readonly document: string | Uint8Array;
	/** True if only the mathematics is wrong, so that every verifier refuses it. */
	readonly isMath?: boolean;
};

export type Edit = readonly [from: string | RegExp, to: string];

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

/** Applies the edits. Throws if one finds nothing, which is a mistake in the corpus. */
export function edit(text: string, ...edits: readonly Edit[]): string {
	return edits.reduce((before, [from, to]) => {
		// A function, because $ is special in a replacement string.
		const after = before.replace(from, () => to);
		if (after === before) throw new Error(`nothing to change: ${from}`);
		return after;
	}, text);
}

export function wrap(signature: string, content = INVOICE): string {
	return `${DECLARATION}<ECF>${content}${signature}</ECF>`;
}

export type Making = Partial<SealOptions>;

/** A XAdES document, edited before it is sealed: digests and signature are right. */
export function sealedXades(edits: readonly Edit[] = [], making: Making = {}): string {
	const { identity = identities.good } = making;
	return seal(edit(wrap(xadesSignature(identity)), ...edits), { ...making, identity });
}

/** The same in the plain profile. */
export function sealedPlain(edits: readonly Edit[] = [], making: Making = {}): string {
	const { identity = identities.good } = making;
	return seal(edit(wrap(plainSignature(identity)), ...edits), { ...making, identity });
}
