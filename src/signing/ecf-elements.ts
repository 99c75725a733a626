/**
 * The e-CF as data: its elements in document order, which types carry them, how long their texts may be.
 *
 * One table serves all six types; the writer walks it, so the order is right by construction, and what a type does not carry
 * cannot be written for it. Elements that this service never fills (transport, mining, pagination, subtotals, …) are left out.
 *
 * Spelling traps of the format, all intended: `DetallesItems`, `MontoGravado1OtraMoneda` beside `MontoGravadoI1`,
 * `IndicadorFacturacionDescuentooRecargo`.
 *
 * Source: the authority's e-CF format, October 2025, sections A to F.
 */
import { ECF_TYPES, type EcfType } from "./ecf-type";

export type EcfElement = {
	readonly name: string;
	readonly types: readonly EcfType[];
	/** Most characters of the text; absent where the value's own form bounds it. */
	readonly charactersMax?: number;
	readonly children?: readonly EcfElement[];
};

type Detail = number | readonly EcfElement[];

/** An element of all six types; `detail` is its longest text or its children. */
const e = (name: string, detail?: Detail, types: readonly EcfType[] = ECF_TYPES): EcfElement => ({
	name,
	types,
	...(typeof detail === "number" ? { charactersMax: detail } : detail ? { children: detail } : {}),
});
/** An element of some types. */
const only = (types: readonly EcfType[], name: string, detail?: Detail): EcfElement => e(name, detail, types);

const NOTES: readonly EcfType[] = ["33", "34"];
const WITH_EXPIRY: readonly EcfType[] = ["31", "33", "41", "44"];
const WITH_ITBIS: readonly EcfType[] = ["31", "32", "33", "34", "41"];
const WITH_EXCISE: readonly EcfType[] = ["31", "32", "33", "34"];
const WITH_WITHHOLDING: readonly EcfType[] = ["31", "33", "34", "41"];
const SALES: readonly EcfType[] = ["31", "32", "33", "34", "44"];
const WITH_PAYMENT_FORMS: readonly EcfType[] = ["31", "32", "33", "41", "44"];

const HEADER = e("Encabezado", [
	e("Version"),
	e("IdDoc", [
		e("TipoeCF"),
		e("eNCF"),
		only(["34"], "IndicadorNotaCredito"),
		only(WITH_EXPIRY, "FechaVencimientoSecuencia"),
		only(WITH_ITBIS, "IndicadorMontoGravado"),
		only(SALES, "TipoIngresos"),
		e("TipoPago"),
		e("FechaLimitePago"),
		only(WITH_PAYMENT_FORMS, "TablaFormasPago", [e("FormaDePago", [e("FormaPago"), e("MontoPago")])]),
	]),
	e("Emisor", [
		e("RNCEmisor"),
		e("RazonSocialEmisor", 150),
		e("NombreComercial", 150),
		e("Sucursal", 20),
		e("DireccionEmisor", 100),
		e("Municipio"),
		e("Provincia"),
		e("TablaTelefonoEmisor", [e("TelefonoEmisor")]),
		e("CorreoEmisor", 80),
		e("ActividadEconomica", 100),
		only(SALES, "CodigoVendedor", 60),
		e("NumeroPedidoInterno", 20),
		e("InformacionAdicionalEmisor", 250),
		e("FechaEmision"),
	]),
	e("Comprador", [e("RNCComprador"), e("RazonSocialComprador", 150), only(SALES, "NumeroOrdenCompra", 20)]),
	e("Totales", [
		only(WITH_ITBIS, "MontoGravadoTotal"),
		only(WITH_ITBIS, "MontoGravadoI1"),
		only(WITH_ITBIS, "MontoGravadoI2"),
		only(WITH_ITBIS, "MontoGravadoI3"),
		e("MontoExento"),
		only(WITH_ITBIS, "ITBIS1"),
		only(WITH_ITBIS, "ITBIS2"),
		only(WITH_ITBIS, "ITBIS3"),
		only(WITH_ITBIS, "TotalITBIS"),
		only(WITH_ITBIS, "TotalITBIS1"),
		only(WITH_ITBIS, "TotalITBIS2"),
		only(WITH_ITBIS, "TotalITBIS3"),
		only(SALES, "MontoImpuestoAdicional"),
		only(SALES, "ImpuestosAdicionales", [
			e("ImpuestoAdicional", [
				e("TipoImpuesto"),
				e("TasaImpuestoAdicional"),
				only(WITH_EXCISE, "MontoImpuestoSelectivoConsumoEspecifico"),
				only(WITH_EXCISE, "MontoImpuestoSelectivoConsumoAdvalorem"),
				e("OtrosImpuestosAdicionales"),
			]),
		]),
		e("MontoTotal"),
		only(WITH_WITHHOLDING, "TotalITBISRetenido"),
		only(WITH_WITHHOLDING, "TotalISRRetencion"),
	]),
	e("OtraMoneda", [
		e("TipoMoneda"),
		e("TipoCambio"),
		only(WITH_ITBIS, "MontoGravadoTotalOtraMoneda"),
		only(WITH_ITBIS, "MontoGravado1OtraMoneda"),
		only(WITH_ITBIS, "MontoGravado2OtraMoneda"),
		only(WITH_ITBIS, "MontoGravado3OtraMoneda"),
		e("MontoExentoOtraMoneda"),
		only(WITH_ITBIS, "TotalITBISOtraMoneda"),
		only(WITH_ITBIS, "TotalITBIS1OtraMoneda"),
		only(WITH_ITBIS, "TotalITBIS2OtraMoneda"),
		only(WITH_ITBIS, "TotalITBIS3OtraMoneda"),
		only(SALES, "MontoImpuestoAdicionalOtraMoneda"),
		only(SALES, "ImpuestosAdicionalesOtraMoneda", [
			e("ImpuestoAdicionalOtraMoneda", [
				e("TipoImpuestoOtraMoneda"),
				e("TasaImpuestoAdicionalOtraMoneda"),
				only(WITH_EXCISE, "MontoImpuestoSelectivoConsumoEspecificoOtraMoneda"),
				only(WITH_EXCISE, "MontoImpuestoSelectivoConsumoAdvaloremOtraMoneda"),
				e("OtrosImpuestosAdicionalesOtraMoneda"),
			]),
		]),
		e("MontoTotalOtraMoneda"),
	]),
]);

const LINES = e("DetallesItems", [
	e("Item", [
		e("NumeroLinea"),
		e("TablaCodigosItem", [e("CodigosItem", [e("TipoCodigo", 14), e("CodigoItem", 35)])]),
		e("IndicadorFacturacion"),
		only(WITH_WITHHOLDING, "Retencion", [
			e("IndicadorAgenteRetencionoPercepcion"),
			e("MontoITBISRetenido"),
			e("MontoISRRetenido"),
		]),
		e("NombreItem", 80),
		e("IndicadorBienoServicio"),
		e("DescripcionItem", 1000),
		e("CantidadItem"),
		e("UnidadMedida"),
		e("PrecioUnitarioItem"),
		e("DescuentoMonto"),
		e("TablaSubDescuento", [e("SubDescuento", [e("TipoSubDescuento"), e("MontoSubDescuento")])]),
		e("RecargoMonto"),
		e("TablaSubRecargo", [e("SubRecargo", [e("TipoSubRecargo"), e("MontoSubRecargo")])]),
		only(SALES, "TablaImpuestoAdicional", [e("ImpuestoAdicional", [e("TipoImpuesto")])]),
		e("OtraMonedaDetalle", [
			e("PrecioOtraMoneda"),
			e("DescuentoOtraMoneda"),
			e("RecargoOtraMoneda"),
			e("MontoItemOtraMoneda"),
		]),
		e("MontoItem"),
	]),
]);

const ADJUSTMENTS = e("DescuentosORecargos", [
	e("DescuentoORecargo", [
		e("NumeroLinea"),
		e("TipoAjuste"),
		e("DescripcionDescuentooRecargo", 45),
		e("TipoValor"),
		e("ValorDescuentooRecargo"),
		e("MontoDescuentooRecargo"),
		e("MontoDescuentooRecargoOtraMoneda"),
		e("IndicadorFacturacionDescuentooRecargo"),
	]),
]);

const REFERENCE = e("InformacionReferencia", [
	e("NCFModificado"),
	e("RNCOtroContribuyente"),
	e("FechaNCFModificado"),
	e("CodigoModificacion"),
	only(NOTES, "RazonModificacion", 90),
]);

/** The whole document; the Signature follows `FechaHoraFirma`. */
export const ECF = e("ECF", [HEADER, LINES, ADJUSTMENTS, REFERENCE, e("FechaHoraFirma")]);

/** The summary of a small consumer invoice. Source: the authority's RFCE format, version 1.0. */
export const RFCE = e("RFCE", [
	e("Encabezado", [
		e("Version"),
		e("IdDoc", [
			e("TipoeCF"),
			e("eNCF"),
			e("TipoIngresos"),
			e("TipoPago"),
			e("TablaFormasPago", [e("FormaDePago", [e("FormaPago"), e("MontoPago")])]),
		]),
		e("Emisor", [e("RNCEmisor"), e("RazonSocialEmisor", 150), e("FechaEmision")]),
		e("Comprador", [e("RNCComprador"), e("RazonSocialComprador", 150)]),
		e("Totales", [
			e("MontoGravadoTotal"),
			e("MontoGravadoI1"),
			e("MontoGravadoI2"),
			e("MontoGravadoI3"),
			e("MontoExento"),
			e("TotalITBIS"),
			e("TotalITBIS1"),
			e("TotalITBIS2"),
			e("TotalITBIS3"),
			e("MontoImpuestoAdicional"),
			e("ImpuestosAdicionales", [
				e("ImpuestoAdicional", [
					e("TipoImpuesto"),
					e("MontoImpuestoSelectivoConsumoEspecifico"),
					e("MontoImpuestoSelectivoConsumoAdvalorem"),
					e("OtrosImpuestosAdicionales"),
				]),
			]),
			e("MontoTotal"),
		]),
		e("CodigoSeguridadeCF"),
	]),
]);

const carried = new Map<EcfType, ReadonlySet<string>>(
	ECF_TYPES.map((type) => {
		const names = new Set<string>();
		const visit = (element: EcfElement) => {
			if (!element.types.includes(type)) return;
			names.add(element.name);
			element.children?.forEach(visit);
		};
		visit(ECF);
		return [type, names];
	}),
);

/** True when e-CFs of the type have the element. */
export function carries(type: EcfType, element: string): boolean {
	return carried.get(type)?.has(element) ?? false;
}

const longest = new Map<string, number>();
function collectLengths(element: EcfElement): void {
	if (element.charactersMax !== undefined) longest.set(element.name, element.charactersMax);
	element.children?.forEach(collectLengths);
}
collectLengths(ECF);

/** Most characters that the element's text may have. Throws a RangeError for an element without such a bound. */
export function charactersMax(element: string): number {
	const characters = longest.get(element);
	if (characters === undefined) throw new RangeError(`expected an element with a bounded text, got ${element}`);
	return characters;
}
