/** Stores a received document with everything that follows from it: its answer, its event, its messages. */
import { createHash } from "node:crypto";
import { toSegment } from "../authority";
import type { CompanyRow } from "../companies";
import type { Sql } from "../database";
import { append } from "../outbox";
import { type Clock, newId } from "../values";
import { enqueueEvent } from "../webhooks";
import type { Examined } from "./examine";
import type { OnReceived, ReceivedDocument } from "./received-document";
import { insertReceived } from "./store";

export type StoreDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	/** Tells dispatchers that a message waits. */
	readonly wake: () => void;
	readonly onReceived?: OnReceived | undefined;
};

/** The outbox messages of a received document; their subject is the document. */
export const ARCHIVE_RECEIVED_KIND = "received.archive";
export const ASK_AUTHORITY_KIND = "received.ask-authority";

type Genuine = Extract<Examined, { kind: "genuine" }>;

/** One transaction. Undefined when the number is known already; nothing is written then. */
export async function storeDocument(
	{ sql, clock, wake, onReceived }: StoreDeps,
	{ tenantId, authorityEnvironment }: CompanyRow,
	{ names, facts, signer }: Genuine,
	bytes: Uint8Array,
	arecf: Uint8Array | undefined,
): Promise<ReceivedDocument | undefined> {
	const sha256 = digestOf(bytes);
	const document: ReceivedDocument = {
		...{ id: newId(), tenantId, ...names, ...facts, segment: toSegment(authorityEnvironment) },
		...{ sha256: sha256.toString("hex"), signer: signer.name, authorityStatus: "unknown" },
		...{ source: arecf ? "peer" : "import", receivedAt: clock.now() },
	};
	const { id, encf, receivedAt } = document;
	const isNew = await sql.begin(async (tx) => {
		if (!(await insertReceived(tx, document, bytes, arecf))) return false;
		await append(
			tx,
			{ kind: ARCHIVE_RECEIVED_KIND, tenantId, subject: id },
			{ kind: ASK_AUTHORITY_KIND, tenantId, subject: id },
		);
		await onReceived?.(tx, document);
		// Last: other events of the tenant wait for the end of the transaction from here on.
		await enqueueEvent(tx, {
			...{ event: "document.received", tenantId, docId: id, trackId: id, occurredAt: receivedAt, encf },
		});
		return true;
	});
	if (!isNew) return undefined;
	wake();
	return document;
}

/** SHA-256 of a document's bytes. */
export const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();
