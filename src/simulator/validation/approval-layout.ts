/** What an ACECF is made of. Source: the authority's ACECF format and schema, version 1.0. */
import { DATE, DATE_TIME, ENCF, EXACT_VERSION, type Form, oneOf, TAXPAYER, text } from "./forms";
import { closed, landmark, required, requiredBlock } from "./layout";

/** Digits with exactly two decimals. */
const EXACT_AMOUNT: Form = { says: "monto", fits: (value) => /^[0-9]{1,16}\.[0-9]{2}$/.test(value) };

export const APPROVAL_LAYOUT = closed(
	requiredBlock(
		"DetalleAprobacionComercial",
		closed(
			required("Version", EXACT_VERSION),
			required("RNCEmisor", TAXPAYER),
			required("eNCF", ENCF),
			required("FechaEmision", DATE),
			required("MontoTotal", EXACT_AMOUNT),
			required("RNCComprador", TAXPAYER),
			required("Estado", oneOf("1", "2")),
			landmark("DetalleMotivoRechazo", { form: text(250) }),
			required("FechaHoraAprobacionComercial", DATE_TIME),
		),
	),
);
