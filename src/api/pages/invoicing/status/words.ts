/** The texts of the status page in both languages. */

import type { Status } from "../../../../authority/status";
import type { Language } from "../../../../platform/problem";
import type { HealthStatus } from "../../../server";

export type Words = {
	readonly title: string;
	readonly health: Readonly<Record<HealthStatus, string>>;
	readonly registryFresh: string;
	readonly registryStale: string;
	readonly registryEmpty: string;
	readonly registryChecked: string;
	readonly authority: string;
	readonly lead: string;
	readonly states: Readonly<Record<Status, string>>;
	readonly overall: Readonly<Record<Status, string>>;
	readonly services: Readonly<Record<string, string>>;
	readonly since: string;
	readonly contingency: string;
	readonly checked: string;
	readonly never: string;
	readonly columns: readonly [service: string, state: string, since: string, p50: string, p99: string, errors: string];
	readonly day: string;
	readonly dayAsTable: string;
	readonly dayColumns: readonly [service: string, from: string, to: string, state: string];
	readonly picture: (service: string, parts: string) => string;
	readonly now: string;
	readonly hoursAgo: string;
	readonly maintenance: string;
	readonly noMaintenance: string;
	readonly declared: string;
	readonly undeclared: string;
	readonly clock: string;
	readonly machine: string;
};

const en: Words = {
	title: "Sello status",
	health: {
		ok: "Sello works normally",
		degraded: "Sello works with limitations",
		unavailable: "Sello is not available",
		draining: "Sello is restarting",
	},
	registryFresh: "The taxpayer registry is up to date",
	registryStale: "The taxpayer registry is out of date",
	registryEmpty: "The taxpayer registry is not loaded yet",
	registryChecked: "Compared with the authority's file on",
	authority: "The tax authority's services",
	lead: "As measured by this service's own calls in the last five minutes, and as declared by the authority.",
	states: {
		operational: "Operational",
		degraded: "Degraded",
		maintenance: "Maintenance",
		outage: "Outage",
		unknown: "Unknown",
	},
	overall: {
		operational: "The authority's services work normally",
		degraded: "The authority's services work with delays or errors",
		maintenance: "The authority is under maintenance",
		outage: "The authority is unreachable",
		unknown: "The authority's status is unknown",
	},
	services: {
		overall: "All services",
		authentication: "Authentication",
		reception: "Reception",
		result: "Results",
		"summary-reception": "Summary reception",
		"summary-result": "Summary results",
		state: "State query",
		"track-ids": "Tracking query",
		directory: "Directory",
		approval: "Commercial approval",
		"void-ranges": "Voiding of numbers",
	},
	since: "since",
	contingency:
		"Invoices are accepted, signed and stored. They are printed with the contingency notice and sent when the authority is back.",
	checked: "Last checked",
	never: "not yet",
	columns: ["Service", "State", "Since", "Median response", "99th percentile", "Failed calls"],
	day: "The last 24 hours",
	dayAsTable: "As a table",
	dayColumns: ["Service", "From", "To", "State"],
	picture: (service, parts) => `${service}, last 24 hours by quarter of an hour: ${parts}.`,
	now: "now",
	hoursAgo: "24 hours ago",
	maintenance: "Announced maintenance",
	noMaintenance: "None announced.",
	declared: "The authority's own declaration",
	undeclared: "none",
	clock: "Times are in Santo Domingo time (UTC-4).",
	machine: "For programs: the same URL with",
};

const es: Words = {
	title: "Estado de Sello",
	health: {
		ok: "Sello funciona con normalidad",
		degraded: "Sello funciona con limitaciones",
		unavailable: "Sello no está disponible",
		draining: "Sello se está reiniciando",
	},
	registryFresh: "El registro de contribuyentes está al día",
	registryStale: "El registro de contribuyentes está atrasado",
	registryEmpty: "El registro de contribuyentes aún no se ha cargado",
	registryChecked: "Comparado con el archivo de la Administración el",
	authority: "Servicios de la Administración Tributaria",
	lead: "Según las llamadas de este servicio en los últimos cinco minutos y lo que declara la Administración.",
	states: {
		operational: "Operativo",
		degraded: "Degradado",
		maintenance: "Mantenimiento",
		outage: "Caído",
		unknown: "Desconocido",
	},
	overall: {
		operational: "Los servicios de la Administración funcionan",
		degraded: "Los servicios de la Administración funcionan con dificultad",
		maintenance: "La Administración está en mantenimiento",
		outage: "No se puede llegar a la Administración",
		unknown: "No se sabe cómo está la Administración",
	},
	services: {
		overall: "Todos juntos",
		authentication: "Autenticación",
		reception: "Recepción",
		result: "Consulta de resultado",
		"summary-reception": "Recepción de resúmenes",
		"summary-result": "Consulta de resúmenes",
		state: "Consulta de estado",
		"track-ids": "Consulta de TrackIds",
		directory: "Directorio",
		approval: "Aprobación comercial",
		"void-ranges": "Anulación de rangos",
	},
	since: "desde",
	contingency:
		"Las facturas se aceptan, se firman y se guardan; se imprimen con la leyenda de contingencia y se envían cuando la Administración vuelva.",
	checked: "Comprobado el",
	never: "todavía no",
	columns: ["Servicio", "Estado", "Desde", "La mitad responde en", "El 99 % responde en", "Llamadas fallidas"],
	day: "Las últimas 24 horas",
	dayAsTable: "Lo mismo como tabla",
	dayColumns: ["Servicio", "Desde", "Hasta", "Estado"],
	picture: (service, parts) => `${service}, las últimas 24 horas por cuartos de hora: ${parts}.`,
	now: "ahora",
	hoursAgo: "hace 24 horas",
	maintenance: "Mantenimiento anunciado",
	noMaintenance: "No hay ninguno anunciado.",
	declared: "Lo que la Administración declara de sí",
	undeclared: "no dice nada",
	clock: "Las horas son las de Santo Domingo (UTC-4).",
	machine: "Para programas: la misma dirección con",
};

export const WORDS: Readonly<Record<Language, Words>> = { en, es };
