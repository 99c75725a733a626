/** What the simulator's business rules say of a document. */
import { expect } from "bun:test";
import { toEcf } from "../../../src/simulator/validation/ecf";
import type { Judgement } from "../../../src/simulator/validation/judgement";
import { type ReadDocument, readDocument } from "../../../src/simulator/validation/read-document";
import { applyRules, type ReferenceLookup } from "../../../src/simulator/validation/rules";
import type { Channel } from "../../../src/simulator/validation/structure";

const NOTHING: ReferenceLookup = { find: () => undefined, listNotesOn: () => [] };

export const GOOD: ReturnType<typeof judge> = { verdict: 1, codes: [] };

export function judge(xml: string, channel: Channel = "main", lookup = NOTHING) {
	const { verdict, sequenceConsumed, messages } = applyTo(xml, channel, lookup);
	expect(sequenceConsumed).toBe(true);
	return { verdict, codes: messages.map((message) => message.code) };
}

export function textsOf(xml: string): string[] {
	return applyTo(xml, "main", NOTHING).messages.map((message) => message.text);
}

function applyTo(xml: string, channel: Channel, lookup: ReferenceLookup): Judgement {
	const { root } = readDocument(new TextEncoder().encode(xml)) as ReadDocument;
	return applyRules(toEcf(root, channel, "abcdefgh"), lookup, new Date());
}
