/** The authority's services as the status tells them: which calls count for which, and which of them issuing needs. */
import type { ServiceName as Operation, Segment } from "../client";

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
