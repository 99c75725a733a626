/**
 * The form of `papers.body`: what a document is made of, in two frames.
 *
 *     signed   request, e-CF, summary (empty if there is none): packed by the thread that signs, see `packDocuments`
 *     known    acknowledgement, JSON of print, warnings, registry and scenario
 */
import type { Warning } from "../../../ecf/mapping";
import { unpackDocuments } from "../../../ecf/signing";
import { joinFrames, packFrame, splitFrames, unpackFrame } from "../../../platform/values";
import type { Scenario } from "../check/scenario";
import type { NewInvoice, Print, RegistryView } from "./invoice-row";

export type Papers = {
	/** JSON text as received. */
	readonly request: string;
	/** The signed documents, byte for byte. */
	readonly ecf: string;
	readonly summary: string | undefined;
	/** JSON text of the acknowledgement, byte for byte as a replay returns it. */
	readonly acknowledgement: string;
	readonly print: Print;
	readonly warnings: readonly Warning[];
	readonly registry: RegistryView;
	/** What is to happen to an invoice of a sandbox, as its caller asked. */
	readonly scenario: Scenario | undefined;
};

type Known = Pick<NewInvoice, "print" | "warnings" | "registry" | "scenario">;

/** `signed`: the frame that `packDocuments` makes. */
export function writePapers(
	signed: Uint8Array,
	{ acknowledgement, print, warnings, registry, scenario }: Pick<NewInvoice, "acknowledgement" | keyof Known>,
): Uint8Array {
	const known: Known = { print, warnings, registry, ...(scenario ? { scenario } : {}) };
	return joinFrames([signed, packFrame([acknowledgement, JSON.stringify(known)])]);
}

/** Throws: Error for bytes of another form. */
export function readPapers(body: Uint8Array): Papers {
	const [signed, known] = splitFrames(body);
	if (!signed || !known) throw new Error("papers have two frames");
	const [acknowledgement = "", text = ""] = unpackFrame(known);
	const { print, warnings, registry, scenario } = JSON.parse(text) as Known;
	return { ...unpackDocuments(signed), acknowledgement, print, warnings, registry, scenario };
}
