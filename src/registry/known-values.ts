/** The words of the authority's file that mean something to us. Apart from the entry's schema, because threads of the ingest load them. */

/** Statuses listed by public importers of the authority's file. Gap: the set is open; unknown ones are passed through. */
export const KNOWN_STATUSES = [
	"ACTIVO",
	"SUSPENDIDO",
	"CESE TEMPORAL",
	"DADO DE BAJA",
	"ANULADO",
	"RECHAZADO",
	"CESADO",
] as const;

/** Regimes seen in the authority's file. Gap: the set is open too. */
export const KNOWN_REGIMES = ["NORMAL", "RST", "PST", "N/D"] as const;

export const ACTIVE_STATUS = "ACTIVO";
