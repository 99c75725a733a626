/** What the simulator checks of an ANECF's structure. Source: the authority's ANECF format, version 1.0. */
import { DATE_TIME, ECF_TYPE, EXACT_VERSION, type Form, TAXPAYER } from "./forms";
import { closed, required, requiredBlock } from "./layout";

const COUNT: Form = { says: "cantidad", fits: (text) => /^[0-9]{1,10}$/.test(text) };
const LINE: Form = { says: "número", fits: (text) => /^[0-9]{1,2}$/.test(text) };
const NUMBER: Form = { says: "e-NCF", fits: (text) => /^E[0-9]{12}$/.test(text) };

const RANGE = closed(required("SecuenciaeNCFDesde", NUMBER), required("SecuenciaeNCFHasta", NUMBER));

export const VOID_LAYOUT = closed(
	requiredBlock(
		"Encabezado",
		closed(
			required("Version", EXACT_VERSION),
			required("RncEmisor", TAXPAYER),
			required("CantidadeNCFAnulados", COUNT),
			required("FechaHoraAnulacioneNCF", DATE_TIME),
		),
	),
	requiredBlock(
		"DetalleAnulacion",
		closed(
			requiredBlock(
				"Anulacion",
				closed(
					required("NoLinea", LINE),
					required("TipoeCF", ECF_TYPE),
					requiredBlock("TablaRangoSecuenciasAnuladaseNCF", closed(requiredBlock("Secuencias", RANGE, 10_000))),
					required("CantidadeNCFAnulados", COUNT),
				),
				10,
			),
		),
	),
);
