/** One taxpayer's entry in the registry, as stored, answered and searched. */
import { type Static, Type } from "@sinclair/typebox";
import { KNOWN_STATUSES } from "./known-values";

const shared = {
	rnc: Type.String({ description: "Taxpayer number, digits only: 9 (RNC) or 11 (RNC of a person, or Cédula)." }),
	name: Type.String({ description: "Legal name." }),
	trade_name: Type.String({ description: "Commercial name; empty if the source has none." }),
	economic_activity: Type.String({ description: "Main activity; empty if the source has none." }),
	status: Type.String({
		description: `Upper case, as in the source. Known values: ${KNOWN_STATUSES.join(", ")}. Accept others too.`,
	}),
};

export const RegistryEntry = Type.Object(
	{
		...shared,
		payment_regime: Type.String({
			description: "`NORMAL`, `RST`, `PST` or `N/D`; other values are passed through. Empty if the source has none.",
		}),
	},
	{ $id: "RegistryEntry" },
);
export type RegistryEntry = Static<typeof RegistryEntry>;

/** The answer of a look-up: an entry, and what was requested beside it. */
export const RegistryLookUp = Type.Object(
	{
		...RegistryEntry.properties,
		started_on: Type.Optional(
			Type.Union([Type.String({ format: "date" }), Type.Null()], {
				description: "With `expand=started_on`: when the taxpayer started to operate; null if the source has no date.",
			}),
		),
	},
	{ $id: "RegistryLookUp" },
);

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
