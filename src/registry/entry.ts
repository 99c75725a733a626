/** One taxpayer's line in the registry, as it is kept, answered and searched. */
import { type Static, Type } from "@sinclair/typebox";

/** Statuses that public importers of the authority's file list. Gap: the set is open, an unknown one is passed through. */
export const KNOWN_STATUSES = [
	"ACTIVO",
	"SUSPENDIDO",
	"CESE TEMPORAL",
	"DADO DE BAJA",
	"ANULADO",
	"RECHAZADO",
	"CESADO",
] as const;

export const ACTIVE_STATUS = "ACTIVO";

const shared = {
	rnc: Type.String({ description: "Taxpayer number, digits only: 9 (RNC) or 11 (RNC of a person, or Cédula)." }),
	name: Type.String({ description: "Legal name." }),
	trade_name: Type.String({ description: "Commercial name; empty when the source gives none." }),
	economic_activity: Type.String({ description: "Main activity; empty when the source gives none." }),
	status: Type.String({
		description: `Upper case as the source gives it. Known: ${KNOWN_STATUSES.join(", ")}; others must be tolerated.`,
	}),
};

export const RegistryEntry = Type.Object(
	{
		...shared,
		payment_regime: Type.String({
			description: "`NORMAL`, `RST`, `PST` or `N/D`; others are passed through; empty when the source gives none.",
		}),
	},
	{ $id: "RegistryEntry" },
);
export type RegistryEntry = Static<typeof RegistryEntry>;

/** What a search shows of an entry. */
export const RegistrySearchItem = Type.Object(shared, { $id: "RegistrySearchItem" });
export type RegistrySearchItem = Static<typeof RegistrySearchItem>;

export function toSearchItem(entry: RegistryEntry): RegistrySearchItem {
	const { rnc, name, trade_name, economic_activity, status } = entry;
	return { rnc, name, trade_name, economic_activity, status };
}

export const exampleEntry: RegistryEntry = {
	rnc: "131880681",
	name: "FERRETERIA EL PROGRESO SRL",
	trade_name: "EL PROGRESO",
	economic_activity: "VENTA AL POR MENOR DE ARTICULOS DE FERRETERIA",
	status: "ACTIVO",
	payment_regime: "NORMAL",
};

/** A point in time on the wire: RFC 3339, UTC, milliseconds. */
export function Timestamp(description: string) {
	return Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$", description });
}
