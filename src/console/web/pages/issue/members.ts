/** The members of a request: those of the form, and the words of all, with those of coded values. */
import { CELLS } from "./row";
import { words } from "./words";

export type Word = keyof typeof words.es;
type Kind = "text" | "date" | "amount" | "long" | "list" | readonly string[];
export type MemberItem = {
	readonly pointer: string;
	readonly word: Word;
	readonly kind: Kind;
	/** Words of the choices: this, `_`, and the value. Without it the values are shown. */
	readonly choices?: string;
	readonly isNumber?: true;
	readonly maxLength?: number;
};

const CURRENCIES = ["DOP", "USD", "EUR", "BRL", "CAD", "CHF", "CNY", "COP", "DKK", "GBP", "HTG", "JPY", "MXN", "NOK"];

export const GROUPS: readonly { readonly title: Word; readonly items: readonly MemberItem[] }[] = [
	{
		title: "payment",
		items: [
			{ pointer: "/payment/terms", word: "terms", kind: ["", "cash", "credit", "free"], choices: "terms" },
			{ pointer: "/due_date", word: "dueDate", kind: "date" },
			{ pointer: "/issue_date", word: "issueDate", kind: "date" },
			{ pointer: "/advance", word: "advance", kind: "amount" },
		],
	},
	{
		title: "currencyGroup",
		items: [
			{ pointer: "/currency", word: "currency", kind: ["", ...CURRENCIES] },
			{ pointer: "/exchange_rate", word: "exchangeRate", kind: "amount" },
			{ pointer: "/amounts_in", word: "amountsIn", kind: ["", "document"], choices: "amountsIn" },
			{ pointer: "/legal_tip", word: "legalTip", kind: "amount" },
		],
	},
	{
		title: "contact",
		items: [
			{ pointer: "/customer/contact", word: "buyerContact", kind: "text", maxLength: 80 },
			{ pointer: "/customer/address/street", word: "street", kind: "text", maxLength: 100 },
			{ pointer: "/emails", word: "emails", kind: "list" },
		],
	},
	{
		title: "own",
		items: [
			{ pointer: "/order_number", word: "orderNumber", kind: "text", maxLength: 60 },
			{ pointer: "/internal_number", word: "internalNumber", kind: "text", maxLength: 20 },
			{ pointer: "/branch", word: "branch", kind: "text", maxLength: 60 },
			{ pointer: "/seller", word: "salesperson", kind: "text", maxLength: 60 },
			{
				pointer: "/income_type",
				word: "incomeType",
				kind: ["", "01", "02", "03", "04", "05", "06"],
				choices: "income",
			},
			{ pointer: "/notes", word: "notes", kind: "long", maxLength: 1_000 },
		],
	},
];

export const REFERENCE: readonly MemberItem[] = [
	{ pointer: "/reference/encf", word: "original", kind: "text", maxLength: 19 },
	{ pointer: "/reference/issue_date", word: "originalDate", kind: "date" },
	{ pointer: "/reference/code", word: "code", kind: ["", "1", "2", "3", "4", "5"], choices: "code", isNumber: true },
	{ pointer: "/reference/reason", word: "reason", kind: "text", maxLength: 90 },
];

/** Members that the form shows. */
export const SHOWN: ReadonlySet<string> = new Set([
	...["type", "encf", "company", "customer", "client_request_id", "reference"],
	...GROUPS.flatMap(({ items }) => items.map(({ pointer }) => pointer.split("/")[1] ?? "")),
]);

/** The path of a pointer, without places in lists: `/payment/forms/0/method` → `payment.forms.method`. */
export const toPath = (pointer: string) =>
	pointer
		.replace(/\/\d+(?=\/|$)/g, "")
		.slice(1)
		.replaceAll("/", ".");

const FORM_ITEMS = new Map(
	[...GROUPS.flatMap(({ items }) => items), ...REFERENCE].map((item) => [toPath(item.pointer), item]),
);

const FORM_WORDS: ReadonlyMap<string, Word> = new Map<string, Word>([
	...[...FORM_ITEMS].map(([path, { word }]) => [path, word] as const),
	...CELLS.map((cell) => [`lines.${cell}`, cell] as const),
	...(["type", "encf", "lines", "reference", "adjustments"] as const).map((word) => [word, word] as const),
	...([
		["company", "issuer"],
		["customer", "buyer"],
		["customer.name", "buyerName"],
		["totals", "total"],
		["totals.subtotal", "subtotal"],
		["totals.tax", "tax"],
		["rates", "tax_rate"],
		["lines.subtotal", "amount"],
		["lines.withholding.itbis", "withheld_itbis"],
		["lines.withholding.isr", "withheld_isr"],
	] as const),
]);

/** Beginnings of the words of coded values that the form has too. */
const CHOICES: ReadonlyMap<string, string> = new Map([
	...[...FORM_ITEMS].flatMap(([path, { choices }]) => (choices ? [[path, choices] as const] : [])),
	...([
		["lines.tax_rate", "tax_rate"],
		["adjustments.tax_rate", "tax_rate"],
		["lines.kind", "kind"],
	] as const),
]);

/** The word of a member by its path, `payment.forms.method`; undefined if it has none. */
export function wordOfMember(path: string, language: keyof typeof words): string | undefined {
	const word = FORM_WORDS.get(path);
	return FURTHER[language][path as FurtherWord] ?? (word && words[language][word]);
}

/** The word of a coded value; undefined for other values. */
export function wordOfValue(path: string, value: unknown, language: keyof typeof words): string | undefined {
	const choices = CHOICES.get(path);
	const ofForm = choices && words[language][`${choices}_${value}` as Word];
	return ofForm ?? FURTHER[language][`${path}=${value}` as FurtherWord];
}

/** Words of what the form does not show, by path, and of its coded values: `path=value`. They come before those of the form. */
const es = {
	client_request_id: "Id propio",
	"company.rnc": "RNC del emisor",
	"company.name": "Nombre del emisor",
	"customer.rnc": "RNC del comprador",
	"customer.foreign_id": "Identificación extranjera",
	"customer.email": "Correo del comprador",
	"customer.code": "Código propio del comprador",
	"customer.address.municipality_code": "Municipio",
	"customer.address.province_code": "Provincia",
	"totals.grand_total": "Total",
	issue_date: "Fecha de emisión",
	"payment.terms_text": "Término de pago",
	"payment.forms.method": "Forma de pago",
	"payment.forms.method=1": "Efectivo",
	"payment.forms.method=2": "Cheque, transferencia o depósito",
	"payment.forms.method=3": "Tarjeta",
	"payment.forms.method=4": "Venta a crédito",
	"payment.forms.method=5": "Bonos o certificados de regalo",
	"payment.forms.method=6": "Permuta",
	"payment.forms.method=7": "Nota de crédito",
	"payment.forms.method=8": "Otra",
	"payment.forms.amount": "Monto de la forma de pago",
	"payment.account.type": "Tipo de cuenta",
	"payment.account.type=CT": "Corriente",
	"payment.account.type=AH": "Ahorro",
	"payment.account.type=OT": "Otra",
	"payment.account.number": "Número de cuenta",
	"payment.account.bank": "Banco",
	"reference.customer_rnc": "RNC del emisor original",
	"adjustments.kind": "Ajuste del total",
	"adjustments.kind=discount": "Descuento",
	"adjustments.kind=surcharge": "Recargo",
	"adjustments.description": "Descripción del ajuste",
	"adjustments.amount": "Monto del ajuste",
	"adjustments.percent": "Porcentaje del ajuste",
	"adjustments.tax_rate": "ITBIS del ajuste",
	pos: "Punto de venta",
	order_date: "Fecha de la orden de compra",
	sales_zone: "Zona de venta",
	sales_route: "Ruta de venta",
	delivery: "Entrega",
	"delivery.date": "Fecha de entrega",
	"delivery.contact": "Recibe",
	"delivery.address": "Lugar de entrega",
	"delivery.phone": "Teléfono de entrega",
	period: "Período facturado",
	"period.from": "Período facturado, desde",
	"period.to": "Período facturado, hasta",
	all_inclusive: "Todo incluido",
	"all_inclusive=true": "Sí",
	deferred: "Envío diferido",
	"deferred=true": "Sí",
	"amounts_in=DOP": "Pesos",
	non_billable_lines: "Líneas no facturables",
	"non_billable_lines.description": "Línea no facturable",
	"non_billable_lines.quantity": "Cantidad no facturable",
	"non_billable_lines.unit_price": "Precio no facturable",
	"non_billable_lines.amount": "Importe no facturable",
	"non_billable_lines.unit": "Código de unidad no facturable",
	prior_balance: "Saldo anterior",
	metadata: "Dato propio",
	"lines.line_number": "Número de línea",
	"lines.gross_unit_price": "Precio con ITBIS",
	"lines.gross_subtotal": "Importe con ITBIS",
	"lines.unit": "Código de unidad",
	"lines.item_code.type": "Clase de código",
	"lines.item_code.code": "Código",
	"lines.surcharge": "Recargo",
	"lines.additional_taxes.code": "Impuesto adicional",
	"lines.additional_taxes.rate": "Tasa del impuesto adicional",
	"lines.additional_taxes.amount": "Monto del impuesto adicional",
	"lines.production_date": "Elaboración",
	"lines.expiry_date": "Vencimiento",
	"lines.excise.reference_quantity": "Cantidad de referencia",
	"lines.excise.reference_unit": "Código de unidad de referencia",
	"lines.excise.sub_quantities.quantity": "Subcantidad",
	"lines.excise.sub_quantities.unit": "Código de unidad de la subcantidad",
	"lines.excise.alcohol_degrees": "Grados de alcohol",
	"lines.excise.retail_price": "Precio de venta al público",
};

const en = {
	client_request_id: "Own id",
	"company.rnc": "Issuer's RNC",
	"company.name": "Issuer's name",
	"customer.rnc": "Buyer's RNC",
	"customer.foreign_id": "Foreign id",
	"customer.email": "Buyer's e-mail",
	"customer.code": "Your code of the buyer",
	"customer.address.municipality_code": "Municipality",
	"customer.address.province_code": "Province",
	"totals.grand_total": "Total",
	issue_date: "Issue date",
	"payment.terms_text": "Terms in words",
	"payment.forms.method": "Way of payment",
	"payment.forms.method=1": "Cash",
	"payment.forms.method=2": "Cheque, transfer or deposit",
	"payment.forms.method=3": "Card",
	"payment.forms.method=4": "On credit",
	"payment.forms.method=5": "Gift vouchers",
	"payment.forms.method=6": "Barter",
	"payment.forms.method=7": "Credit note",
	"payment.forms.method=8": "Other",
	"payment.forms.amount": "Amount paid this way",
	"payment.account.type": "Kind of account",
	"payment.account.type=CT": "Current",
	"payment.account.type=AH": "Savings",
	"payment.account.type=OT": "Other",
	"payment.account.number": "Account number",
	"payment.account.bank": "Bank",
	"reference.customer_rnc": "Original issuer's RNC",
	"adjustments.kind": "Adjustment of the total",
	"adjustments.kind=discount": "Discount",
	"adjustments.kind=surcharge": "Surcharge",
	"adjustments.description": "Adjustment's description",
	"adjustments.amount": "Adjustment's amount",
	"adjustments.percent": "Adjustment's percentage",
	"adjustments.tax_rate": "Adjustment's ITBIS",
	pos: "Point of sale",
	order_date: "Order date",
	sales_zone: "Sales zone",
	sales_route: "Sales route",
	delivery: "Delivery",
	"delivery.date": "Day of delivery",
	"delivery.contact": "Received by",
	"delivery.address": "Place of delivery",
	"delivery.phone": "Phone of delivery",
	period: "Billed period",
	"period.from": "Billed from",
	"period.to": "Billed until",
	all_inclusive: "All-inclusive",
	"all_inclusive=true": "Yes",
	deferred: "Sent later",
	"deferred=true": "Yes",
	"amounts_in=DOP": "Pesos",
	non_billable_lines: "Lines that are not billed",
	"non_billable_lines.description": "Line that is not billed",
	"non_billable_lines.quantity": "Quantity not billed",
	"non_billable_lines.unit_price": "Price not billed",
	"non_billable_lines.amount": "Amount not billed",
	"non_billable_lines.unit": "Unit code not billed",
	prior_balance: "Prior balance",
	metadata: "Own value",
	"lines.line_number": "Line number",
	"lines.gross_unit_price": "Price with ITBIS",
	"lines.gross_subtotal": "Amount with ITBIS",
	"lines.unit": "Unit code",
	"lines.item_code.type": "Kind of code",
	"lines.item_code.code": "Code",
	"lines.surcharge": "Surcharge",
	"lines.additional_taxes.code": "Additional tax",
	"lines.additional_taxes.rate": "Additional tax rate",
	"lines.additional_taxes.amount": "Additional tax amount",
	"lines.production_date": "Made on",
	"lines.expiry_date": "Expires on",
	"lines.excise.reference_quantity": "Reference quantity",
	"lines.excise.reference_unit": "Reference unit code",
	"lines.excise.sub_quantities.quantity": "Sub-quantity",
	"lines.excise.sub_quantities.unit": "Sub-quantity's unit code",
	"lines.excise.alcohol_degrees": "Degrees of alcohol",
	"lines.excise.retail_price": "Retail price",
} satisfies Record<keyof typeof es, string>;

type FurtherWord = keyof typeof es;
export const FURTHER = { es, en };
