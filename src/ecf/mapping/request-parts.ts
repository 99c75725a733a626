/** What requests consist of: decimals, days, texts and codes, and the lines made of them. */
import { type TSchema, Type } from "@sinclair/typebox";
import { msg } from "../../platform/problem";
import { DECIMAL_PATTERN } from "../../platform/values";
import { FORMAT_CURRENCIES } from "../format";

export const closed = { additionalProperties: false };
export const Amount = (description: string) =>
	Type.String({
		pattern: DECIMAL_PATTERN,
		description,
		faultCode: "decimal-form",
		faultDetail: msg`Send a decimal such as "450.00": at most 16 integer digits and 6 decimals, no sign, exponent or separators.`,
	});
export const Day = (description: string) =>
	Type.String({
		description,
		pattern: "^\\d{4}-\\d{2}-\\d{2}$",
		faultCode: "invalid-date",
		faultDetail: msg`Send YYYY-MM-DD.`,
	});
export const Text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description });
/** Source: the format's pattern for addresses, without the characters on which schema engines disagree. */
export const FORMAT_EMAIL =
	"^[A-Za-z0-9]+([-+.][A-Za-z0-9]+)*@[A-Za-z0-9]+([-.][A-Za-z0-9]+)*\\.[A-Za-z0-9]+([-.][A-Za-z0-9]+)*$";
export const Mail = (description: string) =>
	Type.String({
		maxLength: 80,
		pattern: FORMAT_EMAIL,
		faultCode: "invalid-email",
		faultDetail: msg`Send an address of letters, digits and the characters . - + around one @.`,
		description,
	});
export const Place = (description: string) =>
	Type.String({ pattern: "^[0-9]{6}$", faultDetail: msg`Send six digits; see GET /v1/places.`, description });
export const OneOf = (values: readonly string[], description: string) =>
	Type.Union(
		values.map((v) => Type.Literal(v)),
		{ description },
	);
export const Optional = <T extends TSchema>(schema: T) => Type.Optional(schema);

/** Quirk: the authority spells the yuan CHY, which is no ISO code; both spellings are accepted. */
export const CURRENCIES = ["DOP", ...FORMAT_CURRENCIES.flatMap((code) => (code === "CHY" ? ["CNY", code] : [code]))];

export const ItemCode = Type.Object(
	{ type: Text(14, "Kind of code."), code: Text(35, "The code.") },
	{ ...closed, description: "A code of the item, such as its EAN or your own." },
);

export const AdditionalTax = Type.Object(
	{
		code: Type.String({
			pattern: "^0(0[1-9]|[12][0-9]|3[0-9])$",
			faultDetail: msg`Send a code of the authority's table of taxes, "001" to "039".`,
			description: "001 to 039.",
		}),
		rate: Optional(Amount("Percentage.")),
		amount: Amount("Amount of the tax."),
	},
	closed,
);

const UNIT = {
	pattern: "^([1-9]|[1-5][0-9]|6[0-2])$",
	faultDetail: msg`Send a code of the authority's unit table, "1" to "62".`,
	description: "Code of the authority's unit table, 1 to 62.",
};

const Excise = Type.Object(
	{
		reference_quantity: Optional(Amount("Reference units in one unit of the line: 24 bottles in a case.")),
		reference_unit: Optional(Type.String(UNIT)),
		sub_quantities: Optional(
			Type.Array(Type.Object({ quantity: Amount("At most 3 decimals."), unit: Type.String(UNIT) }, closed), {
				minItems: 1,
				maxItems: 5,
				description: "Content of one reference unit: 0.355 litres.",
			}),
		),
		alcohol_degrees: Optional(Amount("Percentage of alcohol by volume.")),
		retail_price: Optional(Amount("Retail price of one reference unit.")),
	},
	{
		...closed,
		description:
			"What excise, taxes 006 to 039, is calculated from. Types 31 to 34. Specific tax on alcohol (006 to 018) needs reference quantity, sub-quantities and " +
			"degrees; specific tax on tobacco (019 to 022) the reference quantity; ad valorem tax (023 to 039) reference quantity and retail price. Goods in bulk, " +
			"unit 18, need less. What is missing gives a warning.",
	},
);

const GROSS_PRICE =
	"Unit price with ITBIS, as at a till. Send it with `gross_subtotal` on every line or on none (`gross-price-mixed`); types 31, 32, 33, 34 and 41. The document " +
	"then states these prices, and the tax base is the sum of `gross_subtotal` divided by 1 plus the rate. `unit_price`, `subtotal`, `discount`, `surcharge` and " +
	"`adjustments` stay without ITBIS. A line without `tax_rate` has the rate that lies between both amounts.";

export const Line = Type.Object(
	{
		line_number: Type.Integer({ minimum: 1, maximum: 1_000_000, description: "From 1, unique." }),
		description: Text(1_000, "Name of the good or service."),
		quantity: Amount("Above 0."),
		unit_price: Amount("Without tax."),
		subtotal: Amount("Line amount without tax, after its discount and surcharge."),
		gross_unit_price: Optional(Amount(GROSS_PRICE)),
		gross_subtotal: Optional(
			Amount("Line amount with ITBIS, after discount and surcharge. It goes with `gross_unit_price`."),
		),
		tax_rate: Optional(OneOf(["18", "16", "0", "exempt"], "Derived from the totals if no line has one.")),
		kind: Optional(OneOf(["good", "service"], "Default good.")),
		unit: Optional(Type.String(UNIT)),
		item_code: Optional(Type.Union([ItemCode, Type.Array(ItemCode, { maxItems: 5, minItems: 1 })])),
		discount: Optional(Amount("Already deducted from `subtotal`.")),
		surcharge: Optional(Amount("Already included in `subtotal`.")),
		withholding: Optional(
			Type.Object(
				{ itbis: Amount("ITBIS withheld."), isr: Amount("Income tax withheld.") },
				{ ...closed, description: "What the buyer withholds from the seller on this line." },
			),
		),
		additional_taxes: Optional(
			Type.Array(AdditionalTax, { maxItems: 2, description: "Taxes on the line besides ITBIS, such as excise." }),
		),
		production_date: Optional(Day("Day on which the good was made.")),
		expiry_date: Optional(Day("Day on which the good expires.")),
		excise: Optional(Excise),
	},
	closed,
);

export const NonBillableLine = Type.Object(
	{
		description: Text(1_000, "Name of the item."),
		quantity: Amount("Above 0."),
		unit_price: Amount("Price of one."),
		amount: Amount("quantity × unit_price."),
		unit: Optional(Type.String(UNIT)),
	},
	closed,
);
