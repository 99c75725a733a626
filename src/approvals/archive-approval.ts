/** Handler of `approval.archive`: seals a signed word into one object of the write-once store, as documents are. */
import { createHash } from "node:crypto";
import { type Archive, insertHeldObject, sealDocument } from "../archive";
import type { Sql } from "../database";
import { done, type Handler, mustHaveLease } from "../outbox";
import type { Environment } from "../values";
import { findApproval, findDocument } from "./store";

/** Source: the authority's rules of retention. */
const RETENTION_YEARS = 10;

export function createArchiveApproval(deps: { sql: Sql; archive: Archive; environment: Environment }): Handler {
	const { sql, archive, environment } = deps;
	return async (message) => {
		const { tenantId, subject } = message;
		const approval = await findApproval(sql, tenantId, subject);
		const document = approval && (await findDocument(sql, approval.id));
		if (!approval || !document) return done;
		const { id, encf, direction, decision, createdAt: decidedAt } = approval;
		const retainUntil = new Date(decidedAt);
		retainUntil.setUTCFullYear(retainUntil.getUTCFullYear() + RETENTION_YEARS);
		const about = approval.docId ?? approval.receivedDocumentId;
		const sealed = sealDocument({
			...{ docId: id, tenantId, environment, encf, type: encf.slice(1, 3), status: "approval", decidedAt, retainUntil },
			ecf: document.bytes,
			request: JSON.stringify({ direction, about, decision, purchaseOrder: approval.purchaseOrder }),
			answers: [],
			events: [],
		});
		const sha256 = createHash("sha256").update(sealed).digest("hex");
		// As for documents: sealing again after a crash finds the same object.
		const objectKey = `${tenantId}/${decidedAt.getUTCFullYear()}/${id}-${sha256.slice(0, 16)}.zip`;
		mustHaveLease(message);
		const put = await archive.putOnce(objectKey, sealed, { retainUntil });
		const { sha256: digest, bytes, versionId = null } = put;
		const object = { docId: id, tenantId, objectKey, sha256: digest, bytes, decidedAt, retainUntil, versionId };
		await insertHeldObject(sql, message, object);
		return done;
	};
}
