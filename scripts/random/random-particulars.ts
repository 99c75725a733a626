/** Random members of an invoice that state something beside its lines, totals and payment. */
import { carries, type EcfInvoice, type EcfType } from "../../src/ecf/mapping";
import { Decimal } from "../../src/platform/values";
import { type Chance, createChance } from "../../test/support/chance";
import { hostileText } from "../../test/support/hostile-text";

type Particulars = Pick<
	EcfInvoice,
	| "order_date"
	| "internal_number"
	| "sales_zone"
	| "sales_route"
	| "delivery"
	| "period"
	| "all_inclusive"
	| "deferred"
	| "non_billable_lines"
	| "advance"
	| "prior_balance"
>;
type EveryParticular = { [K in keyof Required<Particulars>]: Particulars[K] | undefined };
type Customer = NonNullable<EcfInvoice["customer"]>;
type Account = NonNullable<NonNullable<EcfInvoice["payment"]>["account"]>;

const PLACES = ["010000", "010100", "020101", "320000", "250101"];

/** Drawn from a chance of its own, so that the other members of an invoice do not depend on these. `count` lines are taken already. */
export function randomParticulars(seed: number, number: number, type: EcfType, count: number): EveryParticular {
	const chance = createChance(seed * 7_368_787 + number);
	const ifCarried = <T>(element: string, draw: () => T) =>
		carries(type, element) ? chance.maybe(15, draw) : undefined;
	return {
		order_date: ifCarried("FechaOrdenCompra", () => randomDay(chance)),
		internal_number: chance.maybe(15, () => hostileText(chance, 20)),
		sales_zone: ifCarried("ZonaVenta", () => hostileText(chance, 20)),
		sales_route: ifCarried("RutaVenta", () => hostileText(chance, 20)),
		delivery: ifCarried("FechaEntrega", () => ({
			date: randomDay(chance),
			contact: hostileText(chance, 100),
			address: hostileText(chance, 100),
			phone: chance.pick(["809-555-0101", "+1 (829) 555 0101", "8495550101"]),
		})),
		period: ifCarried("FechaDesde", () => ({ from: "2026-10-01", to: "2026-10-31" })),
		all_inclusive: ifCarried("IndicadorServicioTodoIncluido", () => true as const),
		deferred: ifCarried("IndicadorEnvioDiferido", () => true as const),
		non_billable_lines:
			count > 900 ? undefined : ifCarried("MontoNoFacturable", () => randomNonBillable(chance, chance.whole(1, 5))),
		advance: chance.maybe(15, () => String(chance.whole(0, 9_999))),
		prior_balance: chance.maybe(15, () => chance.pick(["-150.00", "0", "1234.56", "-0.01"])),
	};
}

function randomNonBillable(chance: Chance, count: number): Particulars["non_billable_lines"] {
	return Array.from({ length: count }, () => {
		const quantity = String(chance.whole(1, 20));
		const unit_price = `${chance.whole(0, 999)}.${chance.whole(10, 99)}`;
		const amount = Decimal.of(quantity).times(Decimal.of(unit_price)).toFixed(2);
		return { description: hostileText(chance, 200), quantity, unit_price, amount, unit: "43" };
	});
}

/** Members of the buyer beside its number and name. */
export function randomContact(chance: Chance): Omit<Customer, "rnc" | "foreign_id" | "name"> {
	if (!chance.percent(20)) return {};
	const address = {
		street: hostileText(chance, 100),
		municipality_code: chance.pick(PLACES),
		province_code: chance.pick(PLACES),
	};
	return { contact: hostileText(chance, 80), email: "compras@robles.example", address, code: hostileText(chance, 20) };
}

export function randomAccount(chance: Chance): Account {
	return {
		type: chance.pick(["CT", "AH", "OT"]),
		number: hostileText(chance, 28),
		...(chance.percent(50) ? { bank: hostileText(chance, 75) } : {}),
	};
}

function randomDay(chance: Chance): string {
	return `2026-10-${String(chance.whole(1, 31)).padStart(2, "0")}`;
}
