import { toAuthorityDateTime } from "../../../platform/values";
import type { Ecf } from "../ecf";
import { toIsoDate } from "../forms";
import { invalidField } from "../judgement";
import { type Finding, grave } from "./finding";

/** Gap: how far a signer's clock may run ahead is not published. */
const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;

/** Nothing is signed or issued in the future, by the authority's wall clock. */
export function checkSigningTime(ecf: Ecf, now: Date): Finding[] {
	const limit = sortable(toAuthorityDateTime(new Date(now.getTime() + CLOCK_TOLERANCE_MS)));
	const findings: Finding[] = [];
	if (ecf.signedAt !== null && sortable(ecf.signedAt) > limit) {
		findings.push(grave(invalidField("0", { field: "FechaHoraFirma", area: "ECF", section: "ECF" })));
	}
	if (sortable(ecf.issueDate) > limit) {
		findings.push(grave(invalidField("0", { field: "FechaEmision", area: "Emisor", section: "Encabezado" })));
	}
	return findings;
}

/** `dd-MM-yyyy HH:mm:ss` in an order that text comparison understands. */
function sortable(dateTime: string): string {
	return `${toIsoDate(dateTime.slice(0, 10)) ?? ""}${dateTime.slice(10)}`;
}
