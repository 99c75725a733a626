/** Stores a received document with everything that follows from it: its answer, its event, its messages. */
import { createHash } from "node:crypto";
import { ARCHIVE_KINDS } from "../../archive";
import { toSegment } from "../../authority/client";
import type { CompanyRow } from "../../companies";
import { enqueueEvent } from "../../events/webhooks";
import type { Sql } from "../../platform/database";
import { append } from "../../platform/outbox";
import { type Clock, newId } from "../../platform/values";
import type { Examined } from "./examine";
import { type Meeting, meet } from "./number";
import type { OnReceived, ReceivedDocument } from "./received-document";
import { findCopies, findReceivedDocument, insertReceived, lockNumber } from "./store";

export type StoreDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	/** Tells dispatchers that a message waits. */
	readonly wake: () => void;
	readonly onReceived?: OnReceived | undefined;
};

/** The outbox messages of a received document; their subject is the document. */
export const ARCHIVE_RECEIVED_KIND = ARCHIVE_KINDS.received;
export const ASK_AUTHORITY_KIND = "received.ask-authority";

type Genuine = Extract<Examined, { kind: "genuine" }>;

export type Stored =
	| { readonly kind: "stored"; readonly document: ReceivedDocument }
	/** What the document met under its number; nothing is written then. */
	| Exclude<Meeting, { readonly kind: "new" }>;

/** One transaction. Documents of one number come one after another. */
export async function storeDocument(
	{ sql, clock, wake, onReceived }: StoreDeps,
	{ tenantId, authorityEnvironment }: CompanyRow,
	{ names, facts, signer }: Genuine,
	bytes: Uint8Array,
	arecf: Uint8Array | undefined,
): Promise<Stored> {
	const sha256 = digestOf(bytes).toString("hex");
	const coming = { sha256, signer: signer.name, segment: toSegment(authorityEnvironment) };
	const id = newId();
	const receivedAt = clock.now();
	const source = arecf ? "peer" : "import";
	const stored = await sql.begin(async (tx): Promise<Stored> => {
		await lockNumber(tx, tenantId, names);
		const met = meet(await findCopies(tx, tenantId, names), coming, { at: receivedAt, isBounded: source === "peer" });
		if (met.kind !== "new") return met;
		const row = {
			id,
			tenantId,
			...names,
			...facts,
			...coming,
			authorityStatus: "unknown",
			source,
			receivedAt,
		} as const;
		await insertReceived(tx, row, bytes, arecf);
		const document = await findReceivedDocument(tx, tenantId, id);
		if (!document) throw new Error(`document ${id} was written and is not there`);
		await append(
			tx,
			{ kind: ARCHIVE_RECEIVED_KIND, tenantId, subject: id },
			{ kind: ASK_AUTHORITY_KIND, tenantId, subject: id },
		);
		await onReceived?.(tx, document);
		// Last: other events of the tenant wait for the end of the transaction from here on.
		const { encf, proof } = document;
		await enqueueEvent(tx, {
			...{ event: "document.received", tenantId, docId: id, trackId: id, occurredAt: receivedAt, encf, proof },
		});
		return { kind: "stored", document };
	});
	if (stored.kind === "stored") wake();
	return stored;
}

/** SHA-256 of a document's bytes. */
export const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();
