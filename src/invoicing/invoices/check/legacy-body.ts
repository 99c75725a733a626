/** The older camelCase body, as it was published; it is converted on request and never taken as an invoice. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";

const closed = { additionalProperties: false };
const Optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
const Text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description });
/** Its decimals were numbers in some of the published samples; which digits a number has is judged where it is converted. */
const Amount = (description: string) => Type.Union([Type.Number(), Type.String()], { description });

const LegacyLine = Type.Object(
	{
		description: Text(1_000, "What is sold."),
		qty: Amount("Becomes `quantity`."),
		unitPrice: Amount("Becomes `unit_price`; without tax."),
		taxRate: Optional(
			Type.Union([Type.Number(), Type.String()], { description: "18, 16, 0 or `exempt`. Becomes `tax_rate`." }),
		),
	},
	closed,
);

export const LegacyInvoice = Type.Object(
	{
		tenantId: Optional(Type.String({ description: "Left out: the tenant is that of the bearer token." })),
		ecfType: Type.Union([Type.Integer(), Type.String()], { description: "Becomes `type`." }),
		encf: Type.String({
			pattern: "^E[0-9]{2}[0-9]{8,10}$",
			faultCode: "encf-form",
			faultDetail: "Send E, the type and 10 digits.",
			description: "Stays as it is.",
		}),
		issueDate: Optional(
			Type.String({
				pattern: "^\\d{4}-\\d{2}-\\d{2}$",
				faultCode: "invalid-date",
				faultDetail: "Send YYYY-MM-DD.",
				description: "Becomes `issue_date`.",
			}),
		),
		buyer: Optional(
			Type.Object(
				{ rnc: Optional(Text(20, "The buyer's RNC or Cédula.")), name: Optional(Text(150, "The buyer's name.")) },
				{ ...closed, description: "Becomes `customer`." },
			),
		),
		lines: Type.Array(LegacyLine, { minItems: 1, maxItems: 10_000 }),
		subtotal: Amount("Becomes `totals.subtotal`."),
		tax: Amount("Becomes `totals.tax`."),
		grandTotal: Amount("Becomes `totals.grand_total`."),
	},
	{ ...closed, $id: "LegacyInvoice" },
);
export type LegacyInvoice = Static<typeof LegacyInvoice>;
