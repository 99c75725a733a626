/** Layouts of documents: the elements of a block, their order, and which are mandatory. */
import {
	between,
	DATE,
	DATE_TIME,
	ECF_TYPE,
	ENCF,
	EXACT_VERSION,
	type Form,
	INCOME_TYPE,
	oneOf,
	POSITIVE_SUMMARY_AMOUNT,
	SECURITY_CODE,
	SIGNED_SUMMARY_AMOUNT,
	SUMMARY_AMOUNT,
	TAXPAYER,
	text,
} from "./forms";

/** One element that the structure check knows by name. */
export type Landmark = {
	readonly name: string;
	/** Form of a leaf's text; absent for any text. */
	readonly form?: Form;
	readonly block?: Block;
	readonly isRequired: boolean;
	/** Most repetitions. */
	readonly most: number;
};

/** Other elements are not allowed in it. */
export type Block = {
	readonly landmarks: readonly Landmark[];
	readonly positions: ReadonlyMap<string, number>;
};

export const ALL_TYPES = ["31", "32", "33", "34", "41", "43", "44", "45", "46", "47"];

export function landmark(name: string, particulars: Partial<Omit<Landmark, "name">> = {}): Landmark {
	return { most: 1, isRequired: false, ...particulars, name };
}

export function required(name: string, form: Form): Landmark {
	return landmark(name, { isRequired: true, form });
}

export function optionals(form: Form, ...names: string[]): Landmark[] {
	return names.map((name) => landmark(name, { form }));
}

export function requiredBlock(name: string, block: Block, most = 1): Landmark {
	return landmark(name, { isRequired: true, block, most });
}

export function closed(...landmarks: Landmark[]): Block {
	return { landmarks, positions: new Map(landmarks.map(({ name }, position) => [name, position])) };
}

const tax = closed(
	landmark("TipoImpuesto", { form: between("001", "039") }),
	...optionals(
		POSITIVE_SUMMARY_AMOUNT,
		"MontoImpuestoSelectivoConsumoEspecifico",
		"MontoImpuestoSelectivoConsumoAdvalorem",
		"OtrosImpuestosAdicionales",
	),
);

export const SUMMARY_LAYOUT = closed(
	requiredBlock(
		"Encabezado",
		closed(
			required("Version", EXACT_VERSION),
			requiredBlock(
				"IdDoc",
				closed(
					required("TipoeCF", oneOf("32")),
					required("eNCF", ENCF),
					required("TipoIngresos", INCOME_TYPE),
					required("TipoPago", oneOf("1", "2", "3")),
					landmark("TablaFormasPago", {
						block: closed(
							landmark("FormaDePago", {
								most: 7,
								block: closed(
									landmark("FormaPago", { form: between("1", "8") }),
									landmark("MontoPago", { form: SUMMARY_AMOUNT }),
								),
							}),
						),
					}),
				),
			),
			requiredBlock(
				"Emisor",
				closed(
					required("RNCEmisor", TAXPAYER),
					required("RazonSocialEmisor", text(150)),
					required("FechaEmision", DATE),
				),
			),
			requiredBlock(
				"Comprador",
				closed(
					landmark("RNCComprador", { form: TAXPAYER }),
					landmark("IdentificadorExtranjero", { form: text(20) }),
					landmark("RazonSocialComprador", { form: text(150) }),
				),
			),
			requiredBlock(
				"Totales",
				closed(
					...optionals(SUMMARY_AMOUNT, "MontoGravadoTotal", "MontoGravadoI1", "MontoGravadoI2", "MontoGravadoI3"),
					...optionals(SUMMARY_AMOUNT, "MontoExento", "TotalITBIS", "TotalITBIS1", "TotalITBIS2", "TotalITBIS3"),
					...optionals(POSITIVE_SUMMARY_AMOUNT, "MontoImpuestoAdicional"),
					landmark("ImpuestosAdicionales", { block: closed(landmark("ImpuestoAdicional", { most: 20, block: tax })) }),
					required("MontoTotal", SUMMARY_AMOUNT),
					...optionals(SIGNED_SUMMARY_AMOUNT, "MontoNoFacturable", "MontoPeriodo"),
				),
			),
			required("CodigoSeguridadeCF", SECURITY_CODE),
		),
	),
);

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
