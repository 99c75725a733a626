/** Handler of `received.archive`: seals a received document and its acknowledgement into one object of the write-once store. */
import { createHash } from "node:crypto";
import { type Archive, insertHeldObject, sealDocument } from "../archive";
import type { Sql } from "../database";
import { done, type Handler, mustHaveLease } from "../outbox";
import type { Environment } from "../values";
import { findReceivedDocument, findReceivedFile } from "./store";

/** How long documents are kept, those that others have issued too. Source: the authority's rules of retention. */
const RETENTION_YEARS = 10;

export function createArchiveReceived(deps: { sql: Sql; archive: Archive; environment: Environment }): Handler {
	const { sql, archive, environment } = deps;
	return async (message) => {
		const { tenantId, subject } = message;
		const [document, file] = await Promise.all([
			findReceivedDocument(sql, tenantId, subject),
			findReceivedFile(sql, tenantId, subject),
		]);
		if (!document || !file) return done;
		const { id, encf, type, receivedAt, source, signer } = document;
		const retainUntil = new Date(receivedAt);
		retainUntil.setUTCFullYear(retainUntil.getUTCFullYear() + RETENTION_YEARS);
		const acknowledgement = file.arecf && {
			...{ at: receivedAt, operation: "acknowledgement", httpStatus: 200, mediaType: "application/xml" },
			body: Buffer.from(file.arecf).toString("utf8"),
		};
		const sealed = sealDocument({
			...{ docId: id, tenantId, environment, encf, type, status: "received", decidedAt: receivedAt, retainUntil },
			ecf: file.xml,
			request: JSON.stringify({ direction: "received", source }),
			answers: acknowledgement ? [acknowledgement] : [],
			events: [{ at: receivedAt.toISOString(), event: "document.received", source, signer }],
		});
		const sha256 = createHash("sha256").update(sealed).digest("hex");
		// As for documents that were issued: sealing again after a crash finds the same object.
		const objectKey = `${tenantId}/${receivedAt.getUTCFullYear()}/${id}-${sha256.slice(0, 16)}.zip`;
		mustHaveLease(message);
		const put = await archive.putOnce(objectKey, sealed, { retainUntil });
		const { sha256: digest, bytes, versionId = null } = put;
		const object = {
			docId: id,
			tenantId,
			objectKey,
			sha256: digest,
			bytes,
			decidedAt: receivedAt,
			retainUntil,
			versionId,
		};
		await insertHeldObject(sql, message, object);
		return done;
	};
}
