/** What a receiver writes down of a request, and what it was told to do with it. */

/** A secret under the name by which the ledger speaks of it. */
export type NamedSecret = { readonly name: string; readonly secret: string };

export type Conduct =
	| { readonly kind: "answer"; readonly status: number; readonly location?: string; readonly afterMs?: number }
	/** A share of the requests is refused, cut off, or taken and then cut off. */
	| { readonly kind: "flaky"; readonly share: number };

/** An order to the receiver for one of its paths. What is absent stays. */
export type PathOrder = {
	readonly path: string;
	readonly secrets?: readonly NamedSecret[];
	readonly conduct?: Conduct;
};

export type Receipt = {
	readonly path: string;
	/** When the request's last byte was there. Units: milliseconds since 1970. */
	readonly atMs: number;
	readonly deliveryId: string;
	readonly event: string;
	readonly docId: string;
	readonly attempt: number;
	/** When the event happened, by its body. Units: milliseconds since 1970. */
	readonly occurredAtMs: number;
	readonly bodySha256: string;
	/** Age of the signature when it was checked, whichever sign it has. */
	readonly ageSeconds: number;
	/** Name of the secret under which the main signature verifies; null when none of the path's does. */
	readonly main: string | null;
	/** The same for the second signature; undefined when there was none. */
	readonly next?: string | null;
	/** The same for each entry of `webhook-signature`. */
	readonly standard: readonly (string | null)[];
	/** The request as it came, when one of its signatures was made with a secret that the receiver had not been told yet. */
	readonly raw?: { readonly headers: Readonly<Record<string, string>>; readonly body: string };
	/** What contradicts itself or is missing. */
	readonly faults: readonly string[];
	/** Status that was answered; 0 when the connection was cut. */
	readonly answered: number;
	/** The request was taken for good, whatever the answer. */
	readonly taken: boolean;
};
