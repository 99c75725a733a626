/** The form of `steps.body`: what one write adds to a document, in one frame with one text, JSON. */
import { joinFrames, packFrame, splitFrames, unpackFrame } from "../../../platform/values";
import type { Phase, Status } from "./invoice-row";

/** Instants are ISO. */
export type Step = {
	/** A sending begins. Without a result its outcome is unknown. `n`: 1 for the first sending. */
	readonly intent?: { readonly n: number; readonly at: string };
	readonly result?: {
		readonly n: number;
		readonly result: string;
		readonly detail: string | null;
		readonly at: string;
	};
	/** The authority's answers, verbatim. */
	readonly answers?: readonly StepAnswer[];
	/** The authority's trackIds for the document. */
	readonly trackIds?: readonly string[];
	/** Entries of the history. The first one of a document, `signed and stored`, is not stored. */
	readonly history?: readonly StepEntry[];
};

export type StepAnswer = {
	readonly at: string;
	readonly operation: string;
	readonly httpStatus: number | null;
	readonly mediaType: string | null;
	readonly body: string;
};

export type StepEntry = {
	readonly version: number;
	readonly at: string;
	readonly status: Status;
	readonly phase: Phase;
	readonly detail: string | null;
};

export function writeStep(step: Step): Uint8Array {
	return joinFrames([packFrame([JSON.stringify(step)])]);
}

/** Throws: Error for bytes of another form. */
export function readStep(body: Uint8Array): Step {
	const [frame] = splitFrames(body);
	const [text] = frame ? unpackFrame(frame) : [];
	if (text === undefined) throw new Error("a step has one frame");
	return JSON.parse(text) as Step;
}
