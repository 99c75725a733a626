/**
 * The authority's names for its codes. An unknown code prints as itself.
 * Source: the authority's e-CF format, October 2025, code tables, and the comments of its schemas.
 */
import { findProfile } from "../types";

const MODIFICATIONS: Readonly<Record<string, string>> = {
	"1": "Anula el NCF modificado",
	"2": "Corrige texto del comprobante fiscal modificado",
	"3": "Corrige montos del NCF modificado",
	"4": "Reemplazo NCF emitido en contingencia",
	"5": "Referencia Factura de Consumo Electrónica",
};

const TERMS: Readonly<Record<string, string>> = { "1": "Contado", "2": "Crédito", "3": "Gratuito" };

const PAYMENT_FORMS: Readonly<Record<string, string>> = {
	"1": "Efectivo",
	"2": "Cheque/Transferencia/Depósito",
	"3": "Tarjeta de Débito/Crédito",
	"4": "Venta a Crédito",
	"5": "Bonos o Certificados de regalo",
	"6": "Permuta",
	"7": "Nota de crédito",
	"8": "Otras formas de pago",
};

/** From unit 1 on. */
const UNITS: readonly string[] = [
	...["Barril", "Bolsa", "Bote", "Bultos", "Botella", "Caja/Cajón", "Cajetilla", "Centímetro", "Cilindro"],
	...["Conjunto", "Contenedor", "Día", "Docena", "Fardo", "Galones", "Grado", "Gramo", "Granel", "Hora"],
	...["Huacal", "Kilogramo", "Kilovatio Hora", "Libra", "Litro", "Lote", "Metro", "Metro Cuadrado", "Metro Cúbico"],
	...["Millones de Unidades Térmicas", "Minuto", "Paquete", "Par", "Pie", "Pieza", "Rollo", "Sobre", "Segundo"],
	...["Tanque", "Tonelada", "Tubo", "Yarda", "Yarda cuadrada", "Unidad", "Elemento", "Millar", "Saco", "Lata"],
	...["Display", "Bidón", "Ración", "Quintal", "Toneladas de registro bruto", "Pie Cuadrado", "Pasajero"],
	...["Pulgadas", "Parqueo barcos en muelle", "Bandeja", "Hectárea", "Mililitro", "Miligramo", "Onzas"],
	...["Onzas Troy"],
];

const TAXES: Readonly<Record<string, string>> = {
	"001": "Propina Legal",
	"002": "Contribución al Desarrollo de las Telecomunicaciones (Ley 153-98, art. 45)",
	"003": "Servicios Seguros en general",
	"004": "Servicios de Telecomunicaciones",
	"005": "Expedición de la primera placa",
	"006": "Cerveza",
	"007": "Vinos de uva",
	"008": "Vermut y demás vinos de uvas frescas",
	"009": "Demás bebidas fermentadas",
	"010": "Alcohol Etílico sin desnaturalizar (Mayor o igual a 80%)",
	"011": "Alcohol Etílico sin desnaturalizar (inferior a 80%)",
	"012": "Aguardientes de uva",
	"013": "Whisky",
	"014": "Ron y demás aguardientes de caña",
	"015": "Gin y Ginebra",
	"016": "Vodka",
	"017": "Licores",
	"018": "Los demás (Bebidas y Alcoholes)",
	"019": "Cigarrillos que contengan tabaco cajetilla 20 unidades",
	"020": "Los demás Cigarrillos que contengan 20 unidades",
	"021": "Cigarrillos que contengan 10 unidades",
	"022": "Los demás Cigarrillos que contengan 10 unidades",
	"023": "Cerveza",
	"024": "Vinos de uva",
	"025": "Vermut y demás vinos de uvas frescas",
	"026": "Demás bebidas fermentadas",
	"027": "Alcohol Etílico sin desnaturalizar (Mayor o igual a 80%)",
	"028": "Alcohol Etílico sin desnaturalizar (inferior a 80%)",
	"029": "Aguardientes de uva",
	"030": "Whisky",
	"031": "Ron y demás aguardientes de caña",
	"032": "Gin y Ginebra",
	"033": "Vodka",
	"034": "Licores",
	"035": "Los demás (Bebidas y Alcoholes)",
	"036": "Cigarrillos que contengan tabaco cajetilla 20 unidades",
	"037": "Los demás Cigarrillos que contengan 20 unidades",
	"038": "Cigarrillos que contengan 10 unidades",
	"039": "Los demás Cigarrillos que contengan 10 unidades",
};

/** The title of a document of any type, because received documents are printed too. */
export const titleOf = (type: string): string => findProfile(type)?.titleEs ?? `Comprobante Fiscal Electrónico ${type}`;
export const modificationName = (code: string): string => MODIFICATIONS[code] ?? code;
export const termsName = (code: string): string => TERMS[code] ?? code;
export const paymentFormName = (code: string): string => PAYMENT_FORMS[code] ?? code;
export const unitName = (code: string): string => UNITS[Number(code) - 1] ?? code;
export const taxName = (code: string): string => TAXES[code] ?? code;
