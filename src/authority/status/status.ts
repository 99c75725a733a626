/** The words for what the authority and its services are like. */

import type { Environment } from "../../platform/values";
import type { AuthorityEnvironment, ServiceName as Operation, Segment } from "../client";

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

/* HEAD service-table.ts: The authority's services as the status tells them: which calls count for which, and which of them issuing needs. */

type Service = {
	/** Calls of the client that tell of it. */
	readonly operations: readonly string[];
	/** Without accents, in lower case: the name by which the status host declares it. */
	readonly title?: string;
	/** Nothing is issued while it is away. */
	readonly isEssential?: true;
	/** Whose sign of life tells of it when nobody calls it: the seed is handed out by the main host. */
	readonly host: "main" | "fc";
	/** The environment of certifications has none. */
	readonly isAbsentInCertification?: true;
};

/** In the order in which they are shown. Source: the authority's technical description of its services, service status. */
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

/** What the judge asks for, whichever service it is. */
export function serviceOf(name: StatusService): Service {
	return SERVICES[name];
}

const byOperation: ReadonlyMap<string, StatusService> = new Map(
	SERVICE_NAMES.flatMap((name) =>
		serviceOf(name).operations.map((operation): [string, StatusService] => [operation, name]),
	),
);

/** The service that a call of the client tells of; undefined for one that the status does not know. */
export function serviceOfCall(operation: Operation): StatusService | undefined {
	return byOperation.get(operation);
}

/** The services that an environment of the authority has, in the order in which they are shown. */
export function servicesIn(segment: Segment): readonly StatusService[] {
	return SERVICE_NAMES.filter((name) => segment !== "certecf" || serviceOf(name).isAbsentInCertification !== true);
}

/* HEAD own-authority.ts: Which of the authority's environments a service is there for, whatever its companies have got to. */

const own: Readonly<Record<Environment, AuthorityEnvironment>> = {
	production: "production",
	staging: "certification",
	sandbox: "test",
	"public-sandbox": "test",
};

/** It is watched from the first moment, and shown to anybody. Gap: companies that issue elsewhere see theirs with their credentials. */
export function ownAuthorityOf(environment: Environment): AuthorityEnvironment {
	return own[environment];
}
