/** Handler of `invoice.archive`: seals a decided document into one object of the write-once store. */
import { createHash } from "node:crypto";
import {
	type Archive,
	type ArchiveObject,
	insertArchiveObjects,
	readManifest,
	SealedObjectError,
	sealDocument,
} from "../archive";
import { createGather, gatherWrites, type Sql } from "../database";
import { faultPoint } from "../fault-points";
import { done, type Handler } from "../outbox";
import type { Environment } from "../values";
import { findClosedFiles } from "./file-store";

/** How long documents are kept. Source: the specification, Limits. */
export const RETENTION_YEARS = 10;

const READS = { itemsMax: 64, runsMax: 2 };
const WRITES = { itemsMax: 64, runsMax: 2 };

export function createArchiveInvoice(deps: { sql: Sql; archive: Archive; environment: Environment }): Handler {
	const findClosedFile = createGather((docIds: readonly string[]) => findClosedFiles(deps.sql, docIds), READS);
	const insertObject = gatherWrites(
		async (objects: readonly ArchiveObject[]) => {
			await insertArchiveObjects(deps.sql, objects);
			return objects;
		},
		(object) => object.objectKey,
		WRITES,
	);
	return async (message) => {
		const file = await findClosedFile(message.subject);
		// A failed document that was brought back is archived when it is decided again.
		if (!file?.invoice.decidedAt) return done;
		const { invoice, ecf, summary, answers, history } = file;
		const { decidedAt } = file.invoice;
		if (!ecf) throw new Error(`document ${invoice.docId} has no signed bytes`);
		const retainUntil = new Date(decidedAt);
		retainUntil.setUTCFullYear(retainUntil.getUTCFullYear() + RETENTION_YEARS);
		const sealedNow = sealDocument({
			docId: invoice.docId,
			tenantId: invoice.tenantId,
			environment: deps.environment,
			encf: invoice.encf,
			type: invoice.type,
			status: invoice.status,
			decidedAt,
			retainUntil,
			ecf,
			...(summary ? { summary } : {}),
			request: invoice.request,
			answers,
			events: history,
		});
		const place = `${invoice.tenantId}/${decidedAt.getUTCFullYear()}/${invoice.docId}-`;
		const sha256 = createHash("sha256").update(sealedNow).digest("hex");
		// The digest is part of the name: whatever is sealed anew, there is never a conflict.
		const now = { objectKey: `${place}${sha256.slice(0, 16)}.zip`, sealed: sealedNow };
		const before = message.attempt > 1 ? await findSealed(deps.archive, place, sealedNow) : undefined;
		const { objectKey, sealed } = before ?? now;
		const put = await deps.archive.putOnce(objectKey, sealed, { retainUntil });
		const { docId, tenantId } = invoice;
		const { sha256: digest, bytes, versionId = null } = put;
		await insertObject({ docId, tenantId, objectKey, sha256: digest, bytes, decidedAt, retainUntil, versionId });
		faultPoint("archive-indexed");
		return done;
	};
}

/**
 * What an earlier holder of the message has written of the same decision, dying before its row. An answer that the authority gave to somebody else
 * meanwhile would make another object of it, and the first one would stay, of which no row knows.
 */
async function findSealed(archive: Archive, place: string, sealedNow: Uint8Array) {
	const wanted = readManifest(sealedNow);
	for await (const { key: objectKey } of archive.list(place)) {
		const sealed = await archive.get(objectKey);
		const found = readWhole(sealed);
		const isSame = found?.status === wanted.status && found.decidedAt === wanted.decidedAt;
		if (isSame && found.sha256["ecf.xml"] === wanted.sha256["ecf.xml"]) return { objectKey, sealed };
	}
	return undefined;
}

/** Undefined for one that is damaged, which the archive's verification tells. */
function readWhole(sealed: Uint8Array) {
	try {
		return readManifest(sealed);
	} catch (error) {
		if (error instanceof SealedObjectError) return undefined;
		throw error;
	}
}
