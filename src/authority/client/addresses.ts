/** The authority's environments and services: where each service is, and which environment offers it. */

/** Base addresses. Each may carry a path. */
export type AuthorityUrls = {
	/** All services except those below. */
	readonly main: string;
	/** Consumer invoices under RD$250,000: reception and query of summaries, and their QR page. */
	readonly fc: string;
	/** Declared state of the services. It needs a separate key that few integrators have, so nothing depends on it. */
	readonly status: string;
};

type Service = {
	readonly host: keyof AuthorityUrls;
	readonly path: string;
	/** Environments that offer the service. Absent: all of them. */
	readonly segments?: readonly Segment[];
};

/** Source: the authority's technical description of its services, v1.6 (June 2023) and v1.7 (May 2026). */
const services = {
	seed: { host: "main", path: "autenticacion/api/autenticacion/semilla" },
	token: { host: "main", path: "autenticacion/api/autenticacion/validarsemilla" },
	reception: { host: "main", path: "recepcion/api/facturaselectronicas" },
	"summary-reception": { host: "fc", path: "recepcionfc/api/recepcion/ecf" },
	result: { host: "main", path: "consultaresultado/api/consultas/estado" },
	state: { host: "main", path: "consultaestado/api/consultas/estado", segments: ["testecf", "ecf"] },
	"track-ids": { host: "main", path: "consultatrackids/api/trackids/consulta", segments: ["testecf", "ecf"] },
	summary: { host: "fc", path: "consultarfce/api/Consultas/Consulta" },
	"void-ranges": { host: "main", path: "anulacionrangos/api/operaciones/anularrango", segments: ["testecf", "ecf"] },
	approval: { host: "main", path: "aprobacioncomercial/api/aprobacioncomercial" },
	directory: {
		host: "main",
		path: "consultadirectorio/api/consultas/obtenerdirectorioporrnc",
		segments: ["testecf", "ecf"],
	},
} as const satisfies Record<string, Service>;

export type ServiceName = keyof typeof services;

/** False where the authority does not offer the service. The certification environment has no state, trackIds or directory service. */
export function isOffered(service: ServiceName, segment: Segment): boolean {
	const { segments }: Service = services[service];
	return segments === undefined || segments.includes(segment);
}

/** The address of a service with its query percent-encoded. */
export function addressOf(
	urls: AuthorityUrls,
	segment: Segment,
	service: ServiceName,
	query: Readonly<Record<string, string>> = {},
): URL {
	const { host, path } = services[service];
	const url = new URL(urls[host]);
	url.pathname = `${url.pathname.replace(/\/$/, "")}/${segment}/${path}`;
	url.search = new URLSearchParams(query).toString();
	return url;
}

/** Checks the base addresses and names those without encryption in `insecure`. Throws an Error when a base is not an http or https address. */
export function checkUrls(urls: AuthorityUrls): { insecure: string[] } {
	const insecure: string[] = [];
	for (const [name, text] of Object.entries(urls)) {
		const url = URL.parse(text);
		if (!url || !["https:", "http:"].includes(url.protocol) || url.search || url.hash || url.username) {
			// An address may carry a password, so the message shows only the host.
			const got = url ? `one on ${url.host}` : JSON.stringify(text);
			throw new Error(
				`expected the authority's ${name} address to be https, without user, query and fragment, got ${got}`,
			);
		}
		if (url.protocol === "http:" && !isLoopback(url.hostname)) insecure.push(name);
	}
	return { insecure };
}

function isLoopback(hostname: string): boolean {
	return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** As companies write it. */
export const AUTHORITY_ENVIRONMENTS = ["test", "certification", "production"] as const;
export type AuthorityEnvironment = (typeof AUTHORITY_ENVIRONMENTS)[number];

/** As it appears in every path: free tests, certification tests, fiscal effect. */
export type Segment = "testecf" | "certecf" | "ecf";

const segments: Record<AuthorityEnvironment, Segment> = {
	test: "testecf",
	certification: "certecf",
	production: "ecf",
};

export function toSegment(environment: AuthorityEnvironment): Segment {
	return segments[environment];
}

/**
 * How long the transmission of a document may be delayed by an outage. Units: seconds.
 * Source: the authority's contingency rule; its sample printed representations state it ("después de 72 horas").
 */
export const CONTINGENCY_SECONDS = 72 * 3_600;
