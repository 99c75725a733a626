/** Reads the tables of the e-CF's elements into a layout for each type. */
import {
	AMOUNT,
	between,
	DATE,
	DATE_TIME,
	digits,
	ECF_TYPE,
	ENCF,
	EXCHANGE_RATE,
	type Form,
	letters,
	MAIL,
	MEASURE,
	numberUpTo,
	oneOf,
	PERCENT,
	PHONE,
	PLACE,
	POSITIVE,
	pagesOf,
	REFERENCE_NUMBER,
	SIGNED_AMOUNT,
	TAXPAYER,
	text,
	UNIT_PRICE,
	VERSION,
	WORDS,
} from "./forms";
import { ALL_TYPES, type Block, closed, type Landmark, landmark } from "./layouts";

/**
 * The header elements of an e-CF in document order, indented under their block.
 *
 * A line has the types 31 32 33 34 41 43 44 45 46 47 with one letter each (M mandatory, O optional, - not allowed). Then comes the form, with `*` and
 * the maximum number of occurrences, and the names that share all of this. `lines`: 1000, in notes 10000; the forms `line` and `pages` follow it.
 * Source: the authority's e-CF schemas, version 1.0, October 2025.
 */
const ECF_HEADER_TABLE = `
MMMMMMMMMM block      Encabezado
	MMMMMMMMMM version    Version
	MMMMMMMMMM block      IdDoc
		MMMMMMMMMM type       TipoeCF
		MMMMMMMMMM encf       eNCF
		---M------ 0|1        IndicadorNotaCredito
		M-M-MMMMMM date       FechaVencimientoSecuencia
		OOOO--OOO- 1          IndicadorEnvioDiferido
		OOOOO--O-- 0|1        IndicadorMontoGravado
		OOOO--OO-- 1          IndicadorServicioTodoIncluido
		MMMM--MMM- 01..06     TipoIngresos
		MMMMOOMMMO 1..3       TipoPago
		OOOOO-OOOO date       FechaLimitePago
		OOO-O-OOOO words15    TerminoPago
		OOO-O-OOOO block      TablaFormasPago
			MMM-M-MMMM block*7    FormaDePago
				MMM-M-MMMM 1..8       FormaPago
				MMM-M-MMMM amount     MontoPago
		OOO-O-OOOO CT|AH|OT   TipoCuentaPago
		OOO-O-OOOO text28     NumeroCuentaPago
		OOO-O-OOOO text75     BancoPago
		OOOO--OOOO date       FechaDesde FechaHasta
		OOOOOOOOOO pages      TotalPaginas
	MMMMMMMMMM block      Emisor
		MMMMMMMMMM taxpayer   RNCEmisor
		MMMMMMMMMM text150    RazonSocialEmisor
		OOOOOOOOOO text150    NombreComercial
		OOOOOOOOOO text20     Sucursal
		MMMMMMMMMM text100    DireccionEmisor
		OOOOOOOOOO place      Municipio Provincia
		OOOOOOOOOO block      TablaTelefonoEmisor
			MMMMMMMMMM phone*3    TelefonoEmisor
		OOOOOOOOOO mail       CorreoEmisor
		OOOOOOOOOO text50     WebSite
		OOOOOOOOOO text100    ActividadEconomica
		OOOO--OOO- text60     CodigoVendedor
		OOOOOOOOOO text20     NumeroFacturaInterna
		OOOOOOOOOO digits20   NumeroPedidoInterno
		OOOO--OOO- text20     ZonaVenta RutaVenta
		OOOOOOOOOO text250    InformacionAdicionalEmisor
		MMMMMMMMMM date       FechaEmision
	MMOOM-MMMO block      Comprador
		MOOOM-OMO- taxpayer   RNCComprador
		-OOO--O-OO text20     IdentificadorExtranjero
		MOOOM-MMMO text150    RazonSocialComprador
		OOOOO-OOO- text80     ContactoComprador
		OOOOO-OOO- mail       CorreoComprador
		OOOOO-OOO- text100    DireccionComprador
		OOOOO-OOO- place      MunicipioComprador ProvinciaComprador
		--------O- letters60  PaisComprador
		OOOO--OOO- date       FechaEntrega
		OOOO--OOO- text100    ContactoEntrega DireccionEntrega
		OOOO--OOO- phone      TelefonoAdicional
		OOOO--OOO- date       FechaOrdenCompra
		OOOO--OOO- text20     NumeroOrdenCompra
		OOOOO-OOO- text20     CodigoInternoComprador
		OOOOO-OOO- letters20  ResponsablePago
		OOOOO-OOO- text150    InformacionAdicionalComprador
	OOOO--OOO- block      InformacionesAdicionales
		OOOO--OOO- date       FechaEmbarque
		OOOO--OOO- text25     NumeroEmbarque
		OOOO--OOO- text100    NumeroContenedor
		OOOO--O-O- digits20   NumeroReferencia
		-------O-- text20     NumeroReferencia
		--------O- text40     NombrePuertoEmbarque
		--------O- letters3   CondicionesEntrega
		--------O- positive   TotalFob Seguro Flete OtrosGastos
		--------O- amount     TotalCif
		--------O- letters35  RegimenAduanero
		--------O- text40     NombrePuertoSalida NombrePuertoDesembarque
		OOOO--OOO- amount     PesoBruto PesoNeto
		OOOO--OOO- unit       UnidadPesoBruto UnidadPesoNeto
		OOOO--OOO- amount     CantidadBulto
		OOOO--OOO- unit       UnidadBulto
		OOOO--OOO- positive   VolumenBulto
		OOOO--OOO- unit       UnidadVolumen
	OOOO--OOOO block      Transporte
		--------O- 01..03     ViaTransporte
		--------O- letters60  PaisOrigen
		--------O- text100    DireccionDestino
		--------OO letters60  PaisDestino
		--------O- text20     RNCIdentificacionCompaniaTransportista
		--------O- text150    NombreCompaniaTransportista
		--------O- text20     NumeroViaje
		OOOO--OOO- text20     Conductor
		OOOO--OOO- digits20   DocumentoTransporte
		OOOO--OOO- text10     Ficha
		OOOO--OOO- text7      Placa
		OOOO--OOO- text20     RutaTransporte ZonaTransporte NumeroAlbaran
	MMMMMMMMMM block      Totales
		OOOOO--OO- amount     MontoGravadoTotal
		OOOOO--O-- amount     MontoGravadoI1 MontoGravadoI2
		OOOOO--OO- amount     MontoGravadoI3
		OOOOOOOO-O amount     MontoExento
		OOOOO--O-- 18         ITBIS1
		OOOOO--O-- 16         ITBIS2
		OOOOO--OO- 0          ITBIS3
		OOOOO--OO- amount     TotalITBIS
		OOOOO--O-- amount     TotalITBIS1 TotalITBIS2
		OOOOO--OO- amount     TotalITBIS3
		OOOO--OO-- positive   MontoImpuestoAdicional
		OOOO--OO-- block      ImpuestosAdicionales
			MMMM--MM-- block*20   ImpuestoAdicional
				MMMO--MM-- tax        TipoImpuesto
				MMMO--MM-- percent    TasaImpuestoAdicional
				OOOO---O-- positive   MontoImpuestoSelectivoConsumoEspecifico MontoImpuestoSelectivoConsumoAdvalorem
				OOOO--MO-- positive   OtrosImpuestosAdicionales
		MMMMMMMMMM amount     MontoTotal
		OOOO--OOO- signed     MontoNoFacturable
		OOOOOOOOOO signed     MontoPeriodo SaldoAnterior
		OOOOOOOOOO amount     MontoAvancePago
		OOOOOOOOOO signed     ValorPagar
		O-OOO----- amount     TotalITBISRetenido
		O-OOO----O amount     TotalISRRetencion
		O-OOO----- amount     TotalITBISPercepcion TotalISRPercepcion
	OOOOOOOOOO block      OtraMoneda
		OOOOOOOOOO currency   TipoMoneda
		OOOOOOOOOO rate       TipoCambio
		OOOOO--OO- amount     MontoGravadoTotalOtraMoneda
		OOOOO--O-- amount     MontoGravado1OtraMoneda MontoGravado2OtraMoneda
		OOOOO--OO- amount     MontoGravado3OtraMoneda
		OOOOOOOO-O amount     MontoExentoOtraMoneda
		OOOOO--OO- amount     TotalITBISOtraMoneda
		OOOOO--O-- amount     TotalITBIS1OtraMoneda TotalITBIS2OtraMoneda
		OOOOO--OO- amount     TotalITBIS3OtraMoneda
		OOOO--OO-- positive   MontoImpuestoAdicionalOtraMoneda
		OOOO--OO-- block      ImpuestosAdicionalesOtraMoneda
			MMMM--MM-- block*20   ImpuestoAdicionalOtraMoneda
				MMMM--OO-- tax        TipoImpuestoOtraMoneda
				MMMM--OO-- percent    TasaImpuestoAdicionalOtraMoneda
				OOOO---O-- positive   MontoImpuestoSelectivoConsumoEspecificoOtraMoneda
				OOOO---O-- positive   MontoImpuestoSelectivoConsumoAdvaloremOtraMoneda
				OOOO--OO-- positive   OtrosImpuestosAdicionalesOtraMoneda
		OOOOOOOOOO amount     MontoTotalOtraMoneda
`;

/** The elements of an e-CF after its header, in the same notation. */
const ECF_BODY_TABLE = `
MMMMMMMMMM block      DetallesItems
	MMMMMMMMMM block*lines Item
		MMMMMMMMMM line       NumeroLinea
		OOOOOOOOOO block      TablaCodigosItem
			MMMMMMMMMM block*5    CodigosItem
				MMMMMMMMMM text14     TipoCodigo
				MMMMMMMMMM text35     CodigoItem
		MMMMMMMMMM 0..4       IndicadorFacturacion
		O-OOM----M block      Retencion
			O-OOM----M 1|2        IndicadorAgenteRetencionoPercepcion
			O-OOO----- amount     MontoITBISRetenido
			O-OOO----M amount     MontoISRRetenido
		MMMMMMMMMM text80     NombreItem
		MMMMMMMMMM 1|2        IndicadorBienoServicio
		OOOOOOOOOO text1000   DescripcionItem
		MMMMMMMMMM positive   CantidadItem
		OOOOOOOOOO unit       UnidadMedida
		OOOO---O-- amount     CantidadReferencia
		OOOO---O-- unit       UnidadReferencia
		OOOO---O-- block      TablaSubcantidad
			MMMM---M-- block*5    SubcantidadItem
				OOOO---O-- measure    Subcantidad
				OOOO---O-- unit       CodigoSubcantidad
		OOOO---O-- percent    GradosAlcohol
		OOOO---O-- positive   PrecioUnitarioReferencia
		OOOOO-OOO- date       FechaElaboracion FechaVencimientoItem
		-OOO----O- block      Mineria
			-OOO----O- measure    PesoNetoKilogramo PesoNetoMineria
			-OOO----O- 1|2        TipoAfiliacion Liquidacion
		MMMMMMMMMM price      PrecioUnitarioItem
		OOOOO-OOO- amount     DescuentoMonto
		OOOOO-OOO- block      TablaSubDescuento
			MMMMM-MMM- block*12   SubDescuento
				MMMMM-MMM- $|%        TipoSubDescuento
				OOOOO-OOO- percent    SubDescuentoPorcentaje
				OOOOO-OOO- amount     MontoSubDescuento
		OOOOO-OOO- amount     RecargoMonto
		OOOOO-OOO- block      TablaSubRecargo
			MMMMM-MMM- block*12   SubRecargo
				MMMMM-MMM- $|%        TipoSubRecargo
				OOOOO-OOO- percent    SubRecargoPorcentaje
				OOOOO-OOO- amount     MontoSubRecargo
		OOOO--OO-- block      TablaImpuestoAdicional
			MMMM--MM-- block*2    ImpuestoAdicional
				MMMM--MM-- tax        TipoImpuesto
		OOOOOOOOOO block      OtraMonedaDetalle
			OOOOOOOOOO price      PrecioOtraMoneda
			OOOOOOOOOO amount     DescuentoOtraMoneda RecargoOtraMoneda MontoItemOtraMoneda
		MMMMMMMMMM amount     MontoItem
OOOOOOOOOO block      Subtotales
	MMMMMMMMMM block*20   Subtotal
		OOOOOOOOOO digits2    NumeroSubTotal
		OOOOOOOOOO text40     DescripcionSubtotal
		OOOOOOOOOO digits2    Orden
		OOOOO--OO- amount     SubTotalMontoGravadoTotal
		OOOOO--O-- amount     SubTotalMontoGravadoI1 SubTotalMontoGravadoI2
		OOOOO--OO- amount     SubTotalMontoGravadoI3 SubTotaITBIS
		OOOOO--O-- amount     SubTotaITBIS1 SubTotaITBIS2
		OOOOO--OO- amount     SubTotaITBIS3
		OOOOO-OO-- amount     SubTotalImpuestoAdicional
		OOOOOOOO-O amount     SubTotalExento
		OOOOOOOOOO amount     MontoSubTotal
		OOOOOOOOOO digits2    Lineas
OOOOO-OOO- block      DescuentosORecargos
	MMMMM-MMM- block*20   DescuentoORecargo
		MMMMM-MMM- digits2    NumeroLinea
		MMMMM-MMM- D|R        TipoAjuste
		OOOO---O-- 0|1        IndicadorNorma1007
		OOOOO-OOO- text45     DescripcionDescuentooRecargo
		OOOOO-OOO- $|%        TipoValor
		OOOOO-OOO- percent    ValorDescuentooRecargo
		OOOOO-OOO- amount     MontoDescuentooRecargo MontoDescuentooRecargoOtraMoneda
		OOOOO-OOO- 1..4       IndicadorFacturacionDescuentooRecargo
OOOOOOOOOO block      Paginacion
	MMMMMMMMMM block*lines Pagina
		OOOOOOOOOO line       PaginaNo NoLineaDesde NoLineaHasta
		OOOOO--OO- amount     SubtotalMontoGravadoPagina
		OOOOO--O-- amount     SubtotalMontoGravado1Pagina SubtotalMontoGravado2Pagina
		OOOOO--OO- amount     SubtotalMontoGravado3Pagina
		OOOOOOOO-O amount     SubtotalExentoPagina
		OOOOO--OO- amount     SubtotalItbisPagina
		OOOOO--O-- amount     SubtotalItbis1Pagina SubtotalItbis2Pagina
		OOOOO--OO- amount     SubtotalItbis3Pagina
		OOOO--OO-- positive   SubtotalImpuestoAdicionalPagina
		OOOO--OO-- block      SubtotalImpuestoAdicional
			OOOO---O-- positive   SubtotalImpuestoSelectivoConsumoEspecificoPagina
			OOOO--OO-- positive   SubtotalOtrosImpuesto
		OOOOOOOOOO amount     MontoSubtotalPagina
		OOOO--OOO- amount     SubtotalMontoNoFacturablePagina
OOMMOOOOOO block      InformacionReferencia
	OOMMOOOOOO reference  NCFModificado
	OOOOOOOOOO taxpayer   RNCOtroContribuyente
	OOMMOOOOOO date       FechaNCFModificado
	OOMMOOOOOO 1..5       CodigoModificacion
	--OO------ text90     RazonModificacion
MMMMMMMMMM datetime   FechaHoraFirma
`;

const NAMED_FORMS: Readonly<Record<string, Form>> = {
	amount: AMOUNT,
	currency: oneOf(..."BRL CAD CHF CHY XDR DKK EUR GBP JPY NOK SCP SEK USD VEF HTG MXN COP".split(" ")),
	date: DATE,
	datetime: DATE_TIME,
	encf: ENCF,
	mail: MAIL,
	measure: MEASURE,
	percent: PERCENT,
	phone: PHONE,
	place: PLACE,
	positive: POSITIVE,
	price: UNIT_PRICE,
	rate: EXCHANGE_RATE,
	reference: REFERENCE_NUMBER,
	signed: SIGNED_AMOUNT,
	tax: between("001", "039"),
	taxpayer: TAXPAYER,
	type: ECF_TYPE,
	unit: between("1", "62"),
	version: VERSION,
	words15: WORDS,
};

const NOTES = ["33", "34"];

type Line = {
	readonly depth: number;
	readonly letters: string;
	readonly form: string;
	readonly most: string | undefined;
	readonly names: readonly string[];
};

/** The layout of an e-CF of a type. */
export const ECF_LAYOUTS: ReadonlyMap<string, Block> = readLayouts();

function readLayouts(): Map<string, Block> {
	const lines = (ECF_HEADER_TABLE + ECF_BODY_TABLE).split("\n").filter(Boolean).map(readLine);
	return new Map(ALL_TYPES.map((type, at) => [type, readBlock(lines.values(), 0, at).block]));
}

function readLine(line: string): Line {
	const [letters = "", formAndMost = "", ...names] = line.trim().split(/\s+/);
	const [form = "", most] = formAndMost.split("*");
	return { depth: line.search(/\S/), letters, form, most, names };
}

/** The block of the lines from here on with the same indentation; also returns the first line with less. */
function readBlock(lines: Iterator<Line>, depth: number, at: number): { block: Block; next: Line | undefined } {
	const landmarks: Landmark[] = [];
	let line: Line | undefined = lines.next().value;
	while (line && line.depth >= depth) {
		const { form, names, most } = line;
		const letter = line.letters[at];
		const particulars = {
			most: toMost(most, at),
			isRequired: letter === "M",
		};
		if (form === "block") {
			const inner = readBlock(lines, depth + 1, at);
			if (letter !== "-") landmarks.push(landmark(names[0] ?? "", { ...particulars, block: inner.block }));
			line = inner.next;
		} else {
			if (letter !== "-")
				landmarks.push(...names.map((name) => landmark(name, { ...particulars, form: toForm(form, at) })));
			line = lines.next().value;
		}
	}
	return { block: closed(...landmarks), next: line };
}

function toMost(most: string | undefined, at: number): number {
	return most === "lines" ? mostLinesOf(at) : Number(most ?? 1);
}

function mostLinesOf(at: number): number {
	return NOTES.includes(ALL_TYPES[at] ?? "") ? 10_000 : 1_000;
}

/** Throws an Error for an unknown word. */
function toForm(word: string, at: number): Form {
	if (word === "line") return numberUpTo(mostLinesOf(at));
	if (word === "pages") return pagesOf(mostLinesOf(at));
	const named = NAMED_FORMS[word];
	if (named) return named;
	const [, kind, most] = /^(text|letters|digits)([0-9]+)$/.exec(word) ?? [];
	if (kind === "text") return text(Number(most));
	if (kind === "letters") return letters(Number(most));
	if (kind === "digits") return digits(Number(most));
	const [, first, last] = /^([0-9]+)\.\.([0-9]+)$/.exec(word) ?? [];
	if (first !== undefined && last !== undefined) return between(first, last);
	if (/^[A-Z0-9$%|]+$/.test(word)) return oneOf(...word.split("|"));
	throw new Error(`the table of the e-CF has an unknown form ${word}`);
}
