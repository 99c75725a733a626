/** Handler of `received.archive`: seals a received document and its acknowledgement into one object of the write-once store. */
import { type Archive, createKeepSealed } from "../../archive";
import type { Sql } from "../../platform/database";
import { done, type Handler } from "../../platform/outbox";
import type { Environment } from "../../platform/values";
import { findReceivedDocument, findReceivedFile } from "./store";

export function createArchiveReceived(deps: { sql: Sql; archive: Archive; environment: Environment }): Handler {
	const { sql, environment } = deps;
	const keepSealed = createKeepSealed(deps);
	return async (message) => {
		const { tenantId, subject } = message;
		const [document, file] = await Promise.all([
			findReceivedDocument(sql, tenantId, subject),
			findReceivedFile(sql, tenantId, subject),
		]);
		if (!document || !file) return done;
		const { id, encf, type, receivedAt, source, signer } = document;
		const acknowledgement = file.arecf && {
			...{ at: receivedAt, operation: "acknowledgement", httpStatus: 200, mediaType: "application/xml" },
			body: Buffer.from(file.arecf).toString("utf8"),
		};
		await keepSealed(message, {
			...{ docId: id, tenantId, environment, encf, type, status: "received", decidedAt: receivedAt },
			ecf: file.xml,
			request: JSON.stringify({ direction: "received", source }),
			answers: acknowledgement ? [acknowledgement] : [],
			events: [{ at: receivedAt.toISOString(), event: "document.received", source, signer }],
		});
		return done;
	};
}
