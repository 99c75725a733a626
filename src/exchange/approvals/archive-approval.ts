/** Handler of `approval.archive`: seals a signed word into one object of the write-once store, as documents are. */
import { type Archive, createKeepSealed } from "../../archive";
import type { Sql } from "../../platform/database";
import { done, type Handler } from "../../platform/outbox";
import type { Environment } from "../../platform/values";
import { findApproval, findDocument } from "./store";

export function createArchiveApproval(deps: { sql: Sql; archive: Archive; environment: Environment }): Handler {
	const { sql, environment } = deps;
	const keepSealed = createKeepSealed(deps);
	return async (message) => {
		const { tenantId, subject } = message;
		const approval = await findApproval(sql, tenantId, subject);
		const document = approval && (await findDocument(sql, approval.id));
		if (!approval || !document) return done;
		const { id, encf, direction, decision, createdAt: decidedAt } = approval;
		const about = approval.docId ?? approval.receivedDocumentId;
		await keepSealed(message, {
			...{ docId: id, tenantId, environment, encf, type: encf.slice(1, 3), status: "approval", decidedAt },
			ecf: document.bytes,
			request: JSON.stringify({ direction, about, decision, purchaseOrder: approval.purchaseOrder }),
			answers: [],
			events: [],
		});
		return done;
	};
}
