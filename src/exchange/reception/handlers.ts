/**
 * Outbox handlers of received documents. `received.ask-authority` queries the authority's state of the document:
 *
 *     unknown ──accepted, rejected──▶ final
 *        └─────not found──▶ not_found ──queried again for three days──▶ as above
 *
 * Gap: a document should arrive after its acceptance, but in contingency an issuer hands it over earlier. So an unknown document is queried
 * again for as long as its submission may be delayed.
 * Gap: the query contains the security code, so an answer with another code is ignored. An answer without a code is taken to be about the
 * queried document.
 */

import { type Archive, createArchiveDocument, type SealParts } from "../../archive";
import { type Authority, CONTINGENCY_SECONDS, type Signatory, toCaller } from "../../authority/client";
import { findCompany, findSigningIdentity } from "../../companies";
import type { Sql } from "../../platform/database";
import {
	backoffSeconds,
	dead,
	done,
	type Handler,
	type Message,
	type Outcome,
	retry,
	snooze,
	writeUnderLease,
} from "../../platform/outbox";
import type { Clock, Environment } from "../../platform/values";
import type { AuthorityStatus } from "./received-document";
import { ACKNOWLEDGEMENT, findReceivedDocument, findReceivedFile, saveStanding } from "./store";

/** The issuer may submit a document this long after handing it over. */
const QUERIED_SECONDS_MAX = CONTINGENCY_SECONDS;
/** Decisions usually take seconds. The longer a document stays undecided, the less often it is queried. */
const IN_PROCESS = { first: 5, ofAge: 0.1, later: 3_600 } as const;
/** The first repeats come soon, for documents that are handed over while the authority is still deciding. */
const NOT_FOUND_SECONDS = { first: 30, later: 3_600 } as const;
const SOON_SECONDS = 600;

export function createQueryAuthority({
	sql,
	authority,
	clock,
}: {
	readonly sql: Sql;
	readonly authority: Pick<Authority<Signatory>, "queryState">;
	readonly clock: Clock;
}): Handler {
	return async (message) => {
		try {
			return await query(message);
		} catch (error) {
			if (!isTimeOver(message)) throw error;
			return dead(error instanceof Error ? error.message : String(error));
		}
	};

	async function query(message: Message): Promise<Outcome> {
		const { tenantId, subject, ageSeconds } = message;
		const isOver = isTimeOver(message);
		const document = await findReceivedDocument(sql, tenantId, subject);
		const company = document && (await findCompany(sql, tenantId));
		if (!document || !company || company.status === "closed") return done;
		// The number belongs to another document.
		if (document.proof === "superseded") return done;
		const identity = await findSigningIdentity(sql, tenantId, clock.now());
		// The company may still get a certificate.
		if (!identity) return isOver ? done : snooze(NOT_FOUND_SECONDS.later);
		const who = toCaller(document.segment, identity, company.settings.signatureProfile);
		const { issuerRnc: rnc, encf, buyerRnc, securityCode } = document;
		const verdict = await authority.queryState(who, { rnc, encf, buyerRnc, securityCode });
		switch (verdict.kind) {
			case "accepted":
			case "rejected":
				await save(message, verdict.kind);
				return done;
			case "not-found":
				await save(message, "not_found");
				if (isOver) return done;
				return snooze(ageSeconds < SOON_SECONDS ? NOT_FOUND_SECONDS.first : NOT_FOUND_SECONDS.later);
			case "in-process":
				return isOver ? done : snooze(inProcessSeconds(ageSeconds));
			default:
				// The state stays unknown; the certification environment offers no query.
				if (isOver || verdict.reason === "authority-service-absent") return done;
				return retry(backoffSeconds(message.failures), verdict.reason);
		}
	}

	function save(message: Message, status: AuthorityStatus): Promise<void> {
		return writeUnderLease(sql, message, (tx) =>
			saveStanding(tx, message.tenantId, message.subject, status, clock.now()),
		);
	}
}

export function inProcessSeconds(ageSeconds: number): number {
	return Math.min(IN_PROCESS.later, Math.max(IN_PROCESS.first, Math.round(ageSeconds * IN_PROCESS.ofAge)));
}

function isTimeOver({ ageSeconds }: Message): boolean {
	return ageSeconds >= QUERIED_SECONDS_MAX;
}

/* `received.archive`: seals a received document and its acknowledgement into one object of the write-once store. */

export function createArchiveReceived(deps: { sql: Sql; archive: Archive; environment: Environment }): Handler {
	const archiveDocument = createArchiveDocument(deps);
	return async (message) => {
		const parts = await findReceivedParts(deps, { tenantId: message.tenantId, docId: message.subject });
		if (parts) await archiveDocument(message, parts);
		return done;
	};
}

/** What is sealed of a received document; undefined if it is unknown, or its papers have left the database. */
export async function findReceivedParts(
	{ sql, environment }: { readonly sql: Sql; readonly environment: Environment },
	{ tenantId, docId }: { readonly tenantId: string; readonly docId: string },
): Promise<Omit<SealParts, "retainUntil"> | undefined> {
	const [document, file] = await Promise.all([
		findReceivedDocument(sql, tenantId, docId),
		findReceivedFile(sql, tenantId, docId),
	]);
	if (!document || !file) return undefined;
	const { encf, type, receivedAt, source, signer } = document;
	const acknowledgement = file.arecf && {
		...{ at: receivedAt, operation: ACKNOWLEDGEMENT, httpStatus: 200, mediaType: "application/xml" },
		body: Buffer.from(file.arecf).toString("utf8"),
	};
	return {
		...{ docId, tenantId, environment, encf, type, status: "received", decidedAt: receivedAt },
		ecf: file.xml,
		request: JSON.stringify({ direction: "received", source }),
		answers: acknowledgement ? [acknowledgement] : [],
		events: [{ at: receivedAt.toISOString(), event: "document.received", source, signer }],
	};
}
