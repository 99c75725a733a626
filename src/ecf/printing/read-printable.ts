/** Reads what to print from the signed bytes, so that the paper shows what was signed, whatever else is stored. */
import { childElements, isXmlElement, readXmlBytes, textOf, type XmlElement } from "../../platform/xml";
import type { Printable, PrintableLine, PrintableTotals } from "./printable";

/** For our own documents of at most 10,000 lines. They were checked when signed, so the limits only stop a defect. */
const LIMITS = { bytesMax: 64 * 1024 * 1024, nodesMax: 2_000_000, depthMax: 32, attributesMax: 64 };
const CODE_CHARACTERS = 6;

/** `fit` reduces every text to what can be printed. Throws an Error if the bytes are not a signed e-CF, which is a defect. */
export function readPrintable(signedXml: Uint8Array, fit: (text: string) => string): Printable {
	const root = readXmlBytes(signedXml, LIMITS);
	if (!isXmlElement(root)) throw new Error(`expected a signed e-CF, found ${root.detail}`);
	const document = readFields(root, fit);
	const header = document.inside("Encabezado");
	const id = header.inside("IdDoc");
	return {
		type: id.text("TipoeCF"),
		encf: id.text("eNCF"),
		expiresOn: id.maybe("FechaVencimientoSecuencia"),
		isLateCreditNote: id.maybe("IndicadorNotaCredito") === "1",
		pricesIncludeTax: id.maybe("IndicadorMontoGravado") === "1",
		issueDate: header.inside("Emisor").text("FechaEmision"),
		period: { from: id.maybe("FechaDesde"), to: id.maybe("FechaHasta") },
		isAllInclusive: id.maybe("IndicadorServicioTodoIncluido") === "1",
		isDeferred: id.maybe("IndicadorEnvioDiferido") === "1",
		issuer: toIssuer(header.inside("Emisor")),
		buyer: toBuyer(header.find("Comprador")),
		payment: {
			terms: id.maybe("TipoPago"),
			dueDate: id.maybe("FechaLimitePago"),
			termsText: id.maybe("TerminoPago"),
			account: id.present("TipoCuentaPago", "NumeroCuentaPago", "BancoPago"),
			forms: id.list("TablaFormasPago", "FormaDePago").map((form) => ({
				method: form.text("FormaPago"),
				amount: form.text("MontoPago"),
			})),
		},
		reference: toReference(document.find("InformacionReferencia")),
		lines: document.list("DetallesItems", "Item").map(toLine),
		adjustments: document.list("DescuentosORecargos", "DescuentoORecargo").map((entry) => ({
			isDiscount: entry.text("TipoAjuste") === "D",
			description: entry.maybe("DescripcionDescuentooRecargo"),
			percent: entry.maybe("ValorDescuentooRecargo"),
			amount: entry.maybe("MontoDescuentooRecargo") ?? "0",
		})),
		totals: toTotals(header.inside("Totales")),
		currency: toCurrency(header.find("OtraMoneda")),
		securityCode: toSecurityCode(document.inside("Signature").text("SignatureValue")),
		signedAt: document.text("FechaHoraFirma"),
	};
}

/** Other signing programs begin the value on a new line; white space is not part of base64. */
function toSecurityCode(signatureValue: string): string {
	return signatureValue.replace(/\s+/g, "").slice(0, CODE_CHARACTERS);
}

type Fields = {
	readonly maybe: (name: string) => string | undefined;
	readonly text: (name: string) => string;
	readonly find: (name: string) => Fields | undefined;
	readonly inside: (name: string) => Fields;
	readonly all: (name: string) => Fields[];
	/** The texts of those that are there. */
	readonly present: (...names: string[]) => string[];
	readonly texts: (name: string) => string[];
	/** Joins two texts, or takes the second alone if it begins with the first, as in our own documents. */
	readonly both: (first: string, second: string) => string;
	/** Entries of an optional table. */
	readonly list: (table: string, entry: string) => Fields[];
};

function readFields(element: XmlElement, fit: (text: string) => string): Fields {
	const children = Map.groupBy(childElements(element), (child) => child.localName);
	const raw = (name: string) => {
		const first = children.get(name)?.[0];
		return first && textOf(first);
	};
	const maybe = (name: string) => {
		const text = raw(name);
		return text === undefined ? undefined : fit(text);
	};
	const find = (name: string) => {
		const first = children.get(name)?.[0];
		return first && readFields(first, fit);
	};
	const all = (name: string) => (children.get(name) ?? []).map((child) => readFields(child, fit));
	const missing = (name: string) => new Error(`the signed document has no ${name} in ${element.localName}`);
	return {
		maybe,
		find,
		all,
		present: (...names) => names.flatMap((name) => maybe(name) ?? []),
		texts: (name) => (children.get(name) ?? []).map((child) => fit(textOf(child))),
		text(name) {
			const text = maybe(name);
			if (text === undefined) throw missing(name);
			return text;
		},
		inside(name) {
			const inner = find(name);
			if (!inner) throw missing(name);
			return inner;
		},
		both(first, second) {
			// Our documents keep the description as received and start the name at its first visible character.
			const [name = "", description] = [raw(first)?.trim(), raw(second)?.trim()];
			if (!description) return fit(name);
			return fit(description.startsWith(name) ? description : `${name}. ${description}`);
		},
		list: (table, entry) => find(table)?.all(entry) ?? [],
	};
}

function toIssuer(issuer: Fields): Printable["issuer"] {
	return {
		rnc: issuer.text("RNCEmisor"),
		name: issuer.text("RazonSocialEmisor"),
		tradeName: issuer.maybe("NombreComercial"),
		branch: issuer.maybe("Sucursal"),
		street: issuer.text("DireccionEmisor"),
		municipality: issuer.maybe("Municipio"),
		province: issuer.maybe("Provincia"),
		phones: issuer.find("TablaTelefonoEmisor")?.texts("TelefonoEmisor") ?? [],
		email: issuer.maybe("CorreoEmisor"),
		website: issuer.maybe("WebSite"),
		activity: issuer.maybe("ActividadEconomica"),
		seller: issuer.maybe("CodigoVendedor"),
		internalNumber: issuer.maybe("NumeroFacturaInterna"),
		salesZone: issuer.maybe("ZonaVenta"),
		salesRoute: issuer.maybe("RutaVenta"),
		internalOrder: issuer.maybe("NumeroPedidoInterno"),
		remarks: issuer.maybe("InformacionAdicionalEmisor"),
	};
}

function toBuyer(buyer: Fields | undefined): Printable["buyer"] {
	return (
		buyer && {
			rnc: buyer.maybe("RNCComprador"),
			foreignId: buyer.maybe("IdentificadorExtranjero"),
			name: buyer.maybe("RazonSocialComprador"),
			street: buyer.maybe("DireccionComprador"),
			municipality: buyer.maybe("MunicipioComprador"),
			province: buyer.maybe("ProvinciaComprador"),
			contact: buyer.maybe("ContactoComprador"),
			orderNumber: buyer.maybe("NumeroOrdenCompra"),
			orderDate: buyer.maybe("FechaOrdenCompra"),
			code: buyer.maybe("CodigoInternoComprador"),
			delivery: buyer.present("FechaEntrega", "ContactoEntrega", "DireccionEntrega", "TelefonoAdicional"),
		}
	);
}

function toReference(reference: Fields | undefined): Printable["reference"] {
	return (
		reference && {
			encf: reference.text("NCFModificado"),
			issueDate: reference.maybe("FechaNCFModificado"),
			code: reference.text("CodigoModificacion"),
			reason: reference.maybe("RazonModificacion"),
			otherRnc: reference.maybe("RNCOtroContribuyente"),
		}
	);
}

function toLine(item: Fields): PrintableLine {
	return {
		number: item.text("NumeroLinea"),
		description: item.both("NombreItem", "DescripcionItem"),
		codes: item.list("TablaCodigosItem", "CodigosItem").map((code) => code.text("CodigoItem")),
		indicator: item.text("IndicadorFacturacion"),
		quantity: item.text("CantidadItem"),
		unit: item.maybe("UnidadMedida"),
		unitPrice: item.text("PrecioUnitarioItem"),
		discount: item.maybe("DescuentoMonto"),
		surcharge: item.maybe("RecargoMonto"),
		amount: item.text("MontoItem"),
		taxes: item.list("TablaImpuestoAdicional", "ImpuestoAdicional").map((tax) => tax.text("TipoImpuesto")),
		alcoholDegrees: item.maybe("GradosAlcohol"),
		retailPrice: item.maybe("PrecioUnitarioReferencia"),
		productionDate: item.maybe("FechaElaboracion"),
		expiryDate: item.maybe("FechaVencimientoItem"),
	};
}

const RATES = [
	["18", "1"],
	["16", "2"],
	["0", "3"],
] as const;

function toTotals(totals: Fields): PrintableTotals {
	return {
		taxed: totals.maybe("MontoGravadoTotal"),
		rates: RATES.flatMap(([percent, n]) => {
			const base = totals.maybe(`MontoGravadoI${n}`);
			const itbis = totals.maybe(`TotalITBIS${n}`);
			return base === undefined && itbis === undefined ? [] : [{ percent, base, itbis }];
		}),
		exempt: totals.maybe("MontoExento"),
		itbis: totals.maybe("TotalITBIS"),
		taxes: totals.list("ImpuestosAdicionales", "ImpuestoAdicional").flatMap(toTaxes),
		total: totals.text("MontoTotal"),
		notBilled: totals.maybe("MontoNoFacturable"),
		period: totals.maybe("MontoPeriodo"),
		previousBalance: totals.maybe("SaldoAnterior"),
		paidInAdvance: totals.maybe("MontoAvancePago"),
		payable: totals.maybe("ValorPagar"),
		withheldItbis: totals.maybe("TotalITBISRetenido"),
		withheldIncomeTax: totals.maybe("TotalISRRetencion"),
	};
}

const TAX_AMOUNTS = [
	["MontoImpuestoSelectivoConsumoEspecifico", "specific"],
	["MontoImpuestoSelectivoConsumoAdvalorem", "ad-valorem"],
	["OtrosImpuestosAdicionales", "other"],
] as const;

function toTaxes(tax: Fields): PrintableTotals["taxes"] {
	const code = tax.maybe("TipoImpuesto") ?? "";
	const percent = tax.maybe("TasaImpuestoAdicional");
	return TAX_AMOUNTS.flatMap(([element, kind]) => {
		const amount = tax.maybe(element);
		return amount === undefined ? [] : [{ code, percent, kind, amount }];
	});
}

function toCurrency(currency: Fields | undefined): Printable["currency"] {
	const code = currency?.maybe("TipoMoneda");
	const rate = currency?.maybe("TipoCambio");
	if (code === undefined || rate === undefined) return undefined;
	return { code, rate, total: currency?.maybe("MontoTotalOtraMoneda") };
}
