/**
 * A verdict that cannot be written, because another holder of the message has decided the document meanwhile.
 *
 * The first verdict stands, whatever is heard later. When the later one says the contrary the authority has said both of one document, which
 * nobody but its own people can put right: an operator has to ask them. "The number was used before" is no contradiction: of a second copy of an
 * accepted document the authority says just that.
 */
import { LeaseLostError } from "../../../platform/outbox";
import { findInvoiceById } from "../model/store";
import type { Final } from "./record-verdict";
import type { Work } from "./submission-context";
import type { StepWritten } from "./submission-writes";

type Heard = Pick<Work, "deps" | "invoice">;

/** Writes a verdict, and tells when a contrary one stands. Throws: LeaseLostError. */
export async function writeVerdict<T extends Pick<StepWritten, "version">>(
	work: Heard,
	verdict: Final,
	write: () => Promise<T>,
): Promise<T> {
	try {
		const written = await write();
		if (written.version === null) await compareWithFirst(work, verdict);
		return written;
	} catch (error) {
		if (error instanceof LeaseLostError) await compareWithFirst(work, verdict);
		throw error;
	}
}

async function compareWithFirst({ deps, invoice }: Heard, heard: Final): Promise<void> {
	if (heard.kind === "rejected" && heard.duplicate) return;
	const stands = await readStatus(deps, invoice.docId);
	const isContrary = (stands === "accepted" || stands === "rejected") && stands !== heard.kind;
	if (!isContrary) return;
	deps.metrics.verdictContradictions.inc();
	const { docId, encf } = invoice;
	deps.log.error(
		{ docId, encf, stands, heard: heard.kind, code: heard.code },
		"the authority has given two contrary verdicts on a document; the first one stands",
	);
}

/** What cannot be read now must not stand for what has happened to the step itself. */
async function readStatus({ sql, log }: Heard["deps"], docId: string): Promise<string | undefined> {
	try {
		return (await findInvoiceById(sql, docId))?.status;
	} catch (error) {
		log.warn({ docId, err: error }, "what stands could not be compared with a later verdict");
		return undefined;
	}
}
