/** One document's work in the handler: what its parts share, and for how long it is tried. */
import { CONTINGENCY_SECONDS, type Signatory } from "../../authority/client";
import type { TrustedAuthority } from "../../ecf/verification";
import type { Sql, Tx } from "../../platform/database";
import { type Message, writeHeld } from "../../platform/outbox";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import type { Directory } from "./directory";
import type { PeerClient } from "./peer-client";
import type { Addressed, ParcelRow } from "./store";

export type DeliverToBuyerDeps = {
	readonly sql: Sql;
	readonly directory: Directory<Signatory>;
	readonly peers: Pick<PeerClient<Signatory>, "sendEcf">;
	readonly authorities?: readonly TrustedAuthority[] | undefined;
	readonly clock: Clock;
	readonly log: Log;
	/** Tells dispatchers that an event waits. */
	readonly wake: () => void;
};

export type Parcel = ParcelRow & Addressed;

export type Work = { readonly deps: DeliverToBuyerDeps; readonly message: Message; readonly parcel: Parcel };

/** Gap: nobody says for how long a document is offered; this is the authority's own measure for what could not be sent. */
const GIVEN_UP_SECONDS = CONTINGENCY_SECONDS;
const PAUSE_FIRST_SECONDS = 15;
const PAUSE_MAX_SECONDS = 3_600;

export function isOver({ ageSeconds }: Message): boolean {
	return ageSeconds >= GIVEN_UP_SECONDS;
}

/** 15 seconds, twice as long each time, an hour at most, and up to 10 % on top so that failures spread. */
export function pauseSeconds(failures: number, random = Math.random()): number {
	return Math.min(PAUSE_MAX_SECONDS, PAUSE_FIRST_SECONDS * 2 ** Math.min(failures, 12)) * (1 + random * 0.1);
}

/** Writes on behalf of the message. Throws: LeaseLostError. */
export function write<T>({ deps, message }: Work, statements: (tx: Tx) => Promise<T>): Promise<T> {
	return writeHeld(deps.sql, message, statements);
}
