/** Who buys. Source: the authority's e-CF format, area Comprador. */
import type { Ecf } from "../ecf";
import { invalidField, type Message } from "../judgement";
import { type Finding, grave } from "./finding";

const invalidBuyer = (field: string): Message => invalidField("0", { field, area: "Comprador", section: "Encabezado" });

/** A buyer is from here or from abroad, not both; that of a 44 is one of the two. */
export function checkBuyer(ecf: Ecf): Finding[] {
	const isHere = ecf.buyerRnc !== null;
	const isAbroad = ecf.foreignBuyer !== null;
	if (isHere && isAbroad) return [grave(invalidBuyer("IdentificadorExtranjero"))];
	return ecf.type === "44" && !isHere && !isAbroad ? [grave(invalidBuyer("RNCComprador"))] : [];
}
