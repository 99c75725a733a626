/** A receiver's record of a request, and its orders. */

/** A secret with its name in the ledger. */
export type NamedSecret = { readonly name: string; readonly secret: string };

export type Conduct =
	| { readonly kind: "answer"; readonly status: number; readonly location?: string; readonly afterMs?: number }
	/** Refuses, cuts off, or accepts and then cuts off a share of the requests. */
	| { readonly kind: "flaky"; readonly share: number };

/** An order to the receiver for one of its paths. Absent members stay as they are. */
export type PathOrder = {
	readonly path: string;
	readonly secrets?: readonly NamedSecret[];
	readonly conduct?: Conduct;
};

export type Receipt = {
	readonly path: string;
	/** Arrival of the request's last byte. Units: milliseconds since 1970. */
	readonly atMs: number;
	readonly deliveryId: string;
	readonly event: string;
	readonly docId: string;
	readonly attempt: number;
	/** The event's time in the body. Units: milliseconds since 1970. */
	readonly occurredAtMs: number;
	readonly bodySha256: string;
	/** Age of the signature at verification. */
	readonly ageSeconds: number;
	/** Name of the secret that verifies the main signature; null if none does. */
	readonly main: string | null;
	/** The same for the second signature; undefined without one. */
	readonly next?: string | null;
	/** The same for each entry of `webhook-signature`. */
	readonly standard: readonly (string | null)[];
	/** The raw request, if a signature used a secret that the receiver did not have yet. */
	readonly raw?: { readonly headers: Readonly<Record<string, string>>; readonly body: string };
	/** Missing or contradictory parts. */
	readonly faults: readonly string[];
	/** The answered status; 0 if the connection was cut. */
	readonly answered: number;
	/** The request was accepted, whatever the answer. */
	readonly taken: boolean;
};
