/** The words for what the authority and its services are like. */

/** From good to bad, but for `unknown`, which is neither. */
export const STATUSES = ["operational", "degraded", "maintenance", "outage", "unknown"] as const;
export type Status = (typeof STATUSES)[number];

export function toStatus(word: string): Status {
	return STATUSES.find((status) => status === word) ?? "unknown";
}

/** The worse of two; anything that is known is worse than `unknown`. */
export function worseOf(a: Status, b: Status): Status {
	if (a === "unknown" || b === "unknown") return a === "unknown" ? b : a;
	return STATUSES.indexOf(a) >= STATUSES.indexOf(b) ? a : b;
}

/** `half-open`: enough failures in a row, and the next call tries whether it is over. */
export type Breaker = "closed" | "open" | "half-open";

/** What the authority declares, as far as it could be learned. */
export type Declared = {
	/** Of the environment; absent while nothing is known. */
	readonly status?: "Disponible" | "No Disponible";
	/** Of the services, by our names for them. */
	readonly services?: Readonly<Record<string, "Disponible" | "No Disponible">>;
	/** When the host was asked last, with or without an answer. RFC 3339. */
	readonly checkedAt?: string;
};

/** RFC 3339 both; the end is not part of it. */
export type Window = { readonly from: string; readonly to: string };

/** A service with what the judge remembers of it. */
export type ServiceState = {
	readonly name: string;
	readonly status: Status;
	readonly since: string;
	/** When outages of the last minutes ended; RFC 3339. Who falls again and again has to stand longer. */
	readonly outageEnds?: readonly string[];
};

/** What is held to be true of one environment of the authority. */
export type Condition = {
	readonly status: Status;
	readonly since: Date;
	/** A document that is issued now cannot be expected to reach the authority. */
	readonly contingency: boolean;
	readonly services: readonly ServiceState[];
};
