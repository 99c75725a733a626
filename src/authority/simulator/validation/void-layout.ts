/** What the simulator checks of an ANECF's structure. Source: the authority's ANECF format, version 1.0. */
import { DATE_TIME, ECF_TYPE, type Form, TAXPAYER, VERSION } from "./forms";
import { closed, landmark, required, requiredBlock } from "./layout";

const COUNT: Form = { says: "cantidad", fits: (text) => /^[0-9]{1,10}$/.test(text) };
const LINE: Form = { says: "número", fits: (text) => /^[0-9]{1,2}$/.test(text) };
const NUMBER: Form = { says: "e-NCF", fits: (text) => /^E[0-9]{12}$/.test(text) };

export const VOID_LAYOUT = closed(
	requiredBlock(
		"Encabezado",
		closed(
			required("Version", VERSION),
			required("RncEmisor", TAXPAYER),
			required("CantidadeNCFAnulados", COUNT),
			required("FechaHoraAnulacioneNCF", DATE_TIME),
		),
	),
	requiredBlock(
		"DetalleAnulacion",
		closed(
			landmark("Anulacion", {
				most: 10,
				requiredIn: required("Anulacion").requiredIn,
				block: closed(
					required("NoLinea", LINE),
					required("TipoeCF", ECF_TYPE),
					requiredBlock(
						"TablaRangoSecuenciasAnuladaseNCF",
						closed(
							landmark("Secuencias", {
								most: 10_000,
								requiredIn: required("Secuencias").requiredIn,
								block: closed(required("SecuenciaeNCFDesde", NUMBER), required("SecuenciaeNCFHasta", NUMBER)),
							}),
						),
					),
					required("CantidadeNCFAnulados", COUNT),
				),
			}),
		),
	),
);
