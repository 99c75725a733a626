/** The states of the authority, and the services that have one. */

import type { Environment } from "../../platform/values";
import type { AuthorityEnvironment, ServiceName as Operation, Segment } from "../client";

/** From best to worst, except `unknown`, which is neither. */
export const STATUSES = ["operational", "degraded", "maintenance", "outage", "unknown"] as const;
export type Status = (typeof STATUSES)[number];

export function toStatus(word: string): Status {
	return STATUSES.find((status) => status === word) ?? "unknown";
}

/** The worse of two states. Any known state is worse than `unknown`. */
export function worseOf(a: Status, b: Status): Status {
	if (a === "unknown" || b === "unknown") return a === "unknown" ? b : a;
	return STATUSES.indexOf(a) >= STATUSES.indexOf(b) ? a : b;
}

/** `half-open`: after enough failures in a row, the next call tests whether the outage is over. */
export type Breaker = "closed" | "open" | "half-open";

/** What the authority declares, as far as it could be read. */
export type Declared = {
	/** Of the environment; absent while unknown. */
	readonly status?: "Disponible" | "No Disponible";
	/** Of the services, by our names. */
	readonly services?: Readonly<Record<string, "Disponible" | "No Disponible">>;
	/** When the status host was last queried, with or without an answer. RFC 3339. */
	readonly checkedAt?: string;
};

/** Both RFC 3339; the end is exclusive. */
export type Window = { readonly from: string; readonly to: string };

/** A service's state, and what the judge remembers about it. */
export type ServiceState = {
	readonly name: string;
	readonly status: Status;
	readonly since: string;
	/** When recent outages ended; RFC 3339. After repeated outages a service has to hold for longer. */
	readonly outageEnds?: readonly string[];
};

/** The judged state of one environment of the authority. */
export type Condition = {
	readonly status: Status;
	readonly since: Date;
	/** A document issued now cannot be expected to reach the authority. */
	readonly contingency: boolean;
	readonly services: readonly ServiceState[];
};

/* The table of services: which calls count for which service, and which services issuing needs. */

type Service = {
	/** The client's calls that count for the service. */
	readonly operations: readonly string[];
	/** The status host's name for the service, in lower case without accents. */
	readonly title?: string;
	/** Nothing can be issued while it is away. */
	readonly isEssential?: true;
	/** The host whose probe stands in when there are no calls. The main host hands out the seed. */
	readonly host: "main" | "fc";
	/** Absent from the certification environment. */
	readonly isAbsentInCertification?: true;
};

/** In display order. Source: the authority's technical description of its services, service status. */
export const SERVICES = {
	authentication: { operations: ["seed", "token"], title: "autenticacion", isEssential: true, host: "main" },
	reception: { operations: ["reception"], title: "recepcion", isEssential: true, host: "main" },
	result: { operations: ["result"], title: "consulta resultado", isEssential: true, host: "main" },
	"summary-reception": { operations: ["summary-reception"], title: "recepcion fc", host: "fc" },
	"summary-result": { operations: ["summary"], host: "fc" },
	state: { operations: ["state"], title: "consulta estado", host: "main", isAbsentInCertification: true },
	"track-ids": { operations: ["track-ids"], title: "consulta trackids", host: "main", isAbsentInCertification: true },
	directory: { operations: ["directory"], title: "consulta directorio", host: "main", isAbsentInCertification: true },
	approval: { operations: ["approval"], title: "aprobacion comercial", host: "main" },
	"void-ranges": {
		operations: ["void-ranges"],
		title: "anulacion rangos",
		host: "main",
		isAbsentInCertification: true,
	},
} as const satisfies Record<string, Service>;

export type StatusService = keyof typeof SERVICES;

export const SERVICE_NAMES = Object.keys(SERVICES) as readonly StatusService[];

export function serviceOf(name: StatusService): Service {
	return SERVICES[name];
}

const byOperation: ReadonlyMap<string, StatusService> = new Map(
	SERVICE_NAMES.flatMap((name) =>
		serviceOf(name).operations.map((operation): [string, StatusService] => [operation, name]),
	),
);

/** The service that a call counts for; undefined if it counts for none. */
export function serviceOfCall(operation: Operation): StatusService | undefined {
	return byOperation.get(operation);
}

/** The services of an environment of the authority, in display order. */
export function servicesIn(segment: Segment): readonly StatusService[] {
	return SERVICE_NAMES.filter((name) => segment !== "certecf" || serviceOf(name).isAbsentInCertification !== true);
}

const own: Readonly<Record<Environment, AuthorityEnvironment>> = {
	production: "production",
	staging: "certification",
	sandbox: "test",
	"public-sandbox": "test",
};

/**
 * The authority's environment that a deployment serves. It is always watched, and shown publicly.
 * Gap: companies that issue in another environment see its state with their credentials.
 */
export function ownAuthorityOf(environment: Environment): AuthorityEnvironment {
	return own[environment];
}
