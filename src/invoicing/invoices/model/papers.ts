/**
 * The form of `papers.body`: what a document is made of, in two frames.
 *
 *     signed   request, e-CF, summary (empty if there is none): packed by the thread that signs, see `packDocuments`
 *     known    acknowledgement, JSON of print, registry and scenario
 */
import type { SealedTexts } from "../../../archive";
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
	readonly registry: RegistryView;
	/** What is to happen to an invoice of a sandbox, as its caller asked. */
	readonly scenario: Scenario | undefined;
};

type Known = Pick<NewInvoice, "print" | "registry" | "scenario">;

/** `signed`: the frame that `packDocuments` makes. */
export function writePapers(
	signed: Uint8Array,
	{ acknowledgement, print, registry, scenario }: Pick<NewInvoice, "acknowledgement" | keyof Known>,
): Uint8Array {
	const known: Known = { print, registry, ...(scenario ? { scenario } : {}) };
	return joinFrames([signed, packFrame([acknowledgement, JSON.stringify(known)])]);
}

/** Throws: Error for bytes of another form. */
export function readPapers(body: Uint8Array): Papers {
	const [signed, known] = splitFrames(body);
	if (!signed || !known) throw new Error("papers have two frames");
	const [acknowledgement = "", text = ""] = unpackFrame(known);
	const { print, registry, scenario } = JSON.parse(text) as Known;
	return { ...unpackDocuments(signed), acknowledgement, print, registry, scenario };
}

/** What the archive keeps beside the other entries of a sealed document, and `readSealedPapers` reads. */
export type SealedFacts = { readonly print: Print; readonly registry: Omit<RegistryView, "evidence"> };

/** The papers from the sealed document. Its scenario is left out: it mattered until the verdict. */
export function readSealedPapers({ texts }: SealedTexts): Papers {
	const textOf = (name: string) => texts[name] ?? "";
	const { print, registry } = JSON.parse(textOf("facts.json")) as SealedFacts;
	const evidence = texts["registry.json"];
	return {
		...{ request: textOf("request.json"), ecf: textOf("ecf.xml"), summary: texts["summary.xml"] },
		...{ acknowledgement: textOf("acknowledgement.json"), print, scenario: undefined },
		registry: evidence === undefined ? registry : { ...registry, evidence: JSON.parse(evidence) },
	};
}
