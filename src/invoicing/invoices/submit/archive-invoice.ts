/** Handler of `invoice.archive`: seals a decided document into one object of the write-once store. */

import { type Archive, createArchiveDocument, type SealParts } from "../../../archive";
import { createBatcher } from "../../../platform/concurrency";
import type { Sql } from "../../../platform/database";
import { failpoint } from "../../../platform/failpoints";
import { done, type Handler, OUTBOX_KINDS } from "../../../platform/outbox";
import type { Environment } from "../../../platform/values";
import type { VerdictReaction } from "../../verdicts";
import { type ClosedFile, findClosedFiles } from "../model/file-store";
import type { DocKey, InvoiceRow } from "../model/invoice-row";
import type { SealedFacts } from "../model/papers";

const READS = { itemsMax: 64, runsMax: 2 };

export function createArchiveInvoice(deps: { sql: Sql; archive: Archive; environment: Environment }): Handler {
	const findClosedFile = createBatcher((keys: readonly DocKey[]) => findClosedFiles(deps.sql, keys), READS);
	const archiveDocument = createArchiveDocument(deps);
	return async (message) => {
		const file = await findClosedFile({ tenantId: message.tenantId, docId: message.subject });
		// A failed document that is retried is archived when it is decided again.
		if (!file?.invoice.decidedAt) return done;
		await archiveDocument(message, toSealParts(file, file.invoice.decidedAt, deps.environment));
		failpoint("archive-indexed");
		return done;
	};
}

/** What is sealed of a decided document. */
export function toSealParts(
	{ invoice, ecf, summary, answers, history }: ClosedFile,
	decidedAt: Date,
	environment: Environment,
): Omit<SealParts, "retainUntil"> {
	const { docId, tenantId, encf, type, status, request, acknowledgement, registry } = invoice;
	return {
		...{ docId, tenantId, environment, encf, type, status, decidedAt, ecf, request, acknowledgement },
		facts: toFacts(invoice),
		...(summary ? { summary } : {}),
		...(registry?.evidence ? { registry: registry.evidence } : {}),
		answers,
		events: history,
	};
}

function toFacts({ print, registry: { issuer, buyer, runId } }: InvoiceRow): SealedFacts {
	return { print, registry: { issuer, buyer, runId } };
}

export const archiveDecided: VerdictReaction = {
	messages: ({ decision, invoice: { tenantId, docId } }) =>
		decision ? [{ kind: OUTBOX_KINDS.archiveInvoice, tenantId, subject: docId }] : [],
};
