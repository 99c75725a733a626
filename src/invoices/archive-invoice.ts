/** Handler of `invoice.archive`: seals a decided document into one object of the write-once store. */
import { createHash } from "node:crypto";
import { type Archive, insertArchiveObject, sealDocument } from "../archive";
import type { Sql } from "../database";
import { done, type Handler } from "../outbox";
import type { Environment } from "../values";
import { findAnswers, findHistory, findInvoiceById, findSignedDocument } from "./store";

/** How long documents are kept. Source: the specification, Limits. */
export const RETENTION_YEARS = 10;

export function createArchiveInvoice(deps: { sql: Sql; archive: Archive; environment: Environment }): Handler {
	return async (message) => {
		const invoice = await findInvoiceById(deps.sql, message.subject);
		// A failed document that was brought back is archived when it is decided again.
		if (!invoice?.decidedAt) return done;
		const [ecf, summary, answers, history] = await Promise.all([
			findSignedDocument(deps.sql, invoice.docId, "ecf"),
			findSignedDocument(deps.sql, invoice.docId, "summary"),
			findAnswers(deps.sql, invoice.docId),
			findHistory(deps.sql, invoice.docId),
		]);
		if (!ecf) throw new Error(`document ${invoice.docId} has no signed bytes`);
		const retainUntil = new Date(invoice.decidedAt);
		retainUntil.setUTCFullYear(retainUntil.getUTCFullYear() + RETENTION_YEARS);
		const sealed = sealDocument({
			docId: invoice.docId,
			tenantId: invoice.tenantId,
			environment: deps.environment,
			encf: invoice.encf,
			type: invoice.type,
			status: invoice.status,
			decidedAt: invoice.decidedAt,
			retainUntil,
			ecf: ecf.bytes,
			...(summary ? { summary: summary.bytes } : {}),
			request: invoice.request,
			answers,
			events: history,
		});
		const sha256 = createHash("sha256").update(sealed).digest("hex");
		// The digest is part of the name: sealing again after a crash finds the same object or makes another, never a conflict.
		const objectKey = `${invoice.tenantId}/${invoice.decidedAt.getUTCFullYear()}/${invoice.docId}-${sha256.slice(0, 16)}.zip`;
		const put = await deps.archive.putOnce(objectKey, sealed);
		await deps.sql.begin((tx) =>
			insertArchiveObject(tx, {
				docId: invoice.docId,
				tenantId: invoice.tenantId,
				objectKey,
				sha256: put.sha256,
				bytes: put.bytes,
				decidedAt: invoice.decidedAt ?? new Date(),
				retainUntil,
			}),
		);
		return done;
	};
}
