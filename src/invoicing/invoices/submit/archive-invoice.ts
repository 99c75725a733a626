/** Handler of `invoice.archive`: seals a decided document into one object of the write-once store. */

import { type Archive, createArchiveDocument } from "../../../archive";
import { createBatcher } from "../../../platform/concurrency";
import type { Sql } from "../../../platform/database";
import { failpoint } from "../../../platform/failpoints";
import { done, type Handler, OUTBOX_KINDS } from "../../../platform/outbox";
import type { Environment } from "../../../platform/values";
import type { VerdictReaction } from "../../verdicts";
import { findClosedFiles } from "../model/file-store";
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
		const { invoice, ecf, summary, answers, history } = file;
		await archiveDocument(message, {
			docId: invoice.docId,
			tenantId: invoice.tenantId,
			environment: deps.environment,
			encf: invoice.encf,
			type: invoice.type,
			status: invoice.status,
			decidedAt: file.invoice.decidedAt,
			ecf,
			...(summary ? { summary } : {}),
			request: invoice.request,
			acknowledgement: invoice.acknowledgement,
			facts: toFacts(invoice),
			...(invoice.registry?.evidence ? { registry: invoice.registry.evidence } : {}),
			answers,
			events: history,
		});
		failpoint("archive-indexed");
		return done;
	};
}

function toFacts({ print, registry: { issuer, buyer, runId } }: InvoiceRow): SealedFacts {
	return { print, registry: { issuer, buyer, runId } };
}

export const archiveDecided: VerdictReaction = {
	messages: ({ decision, invoice: { tenantId, docId } }) =>
		decision ? [{ kind: OUTBOX_KINDS.archiveInvoice, tenantId, subject: docId }] : [],
};
