/** The invoice of all benches: fiscal credit with ten lines, as a hardware store would issue it. */

export type Issuer = { readonly rnc: string; readonly name: string };

const LINES = 10;
const UNIT_PRICE = 450;
const ITBIS = 0.18;

/** `encf` may contain a placeholder. */
export function buildInvoice(issuer: Issuer, encf: string) {
	const lines = Array.from({ length: LINES }, (_, i) => ({
		line_number: i + 1,
		description: `Cemento gris Portland tipo ${i + 1}, funda de 42.5 kg`,
		quantity: String(i + 1),
		unit_price: UNIT_PRICE.toFixed(2),
		subtotal: ((i + 1) * UNIT_PRICE).toFixed(2),
	}));
	const subtotal = lines.reduce((sum, line) => sum + Number(line.subtotal), 0);
	return {
		type: "31" as const,
		encf,
		company: { rnc: issuer.rnc, name: issuer.name },
		customer: { rnc: "990000002", name: "CONSTRUCTORA LOMA VERDE SRL" },
		lines,
		totals: {
			subtotal: subtotal.toFixed(2),
			tax: (subtotal * ITBIS).toFixed(2),
			grand_total: (subtotal * (1 + ITBIS)).toFixed(2),
		},
	};
}
