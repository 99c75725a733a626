/** What operations are billed by, and how many units of it. The service knows no prices. */
import type { Sql } from "../../platform/database";
import type { Period } from "../../platform/operation";
import { newTally, sumUsage, type Tally } from "./store";

export const UNITS = ["request", "number", "name", "row"] as const;
export type Unit = (typeof UNITS)[number];

/** Gap: the others, also batches of invoices, are billed by request. */
const UNIT_OF: Readonly<Record<string, Unit>> = {
	batchDocuments: "number",
	matchDocuments: "name",
	createRegistryCheck: "row",
	getReconcileService: "name",
	postReconcileQueries: "name",
};

export type OperationTally = Tally & { readonly operation: string };
export type Units = { readonly unit: Unit; readonly billableUnits: number };

/** All answers except refusals by a limit and failures. */
export const billedOf = ({ succeeded, unmodified, refused }: Tally): number => succeeded + unmodified + refused;

export function toUnits(tally: OperationTally): Units {
	const unit = UNIT_OF[tally.operation] ?? "request";
	return { unit, billableUnits: unit === "request" ? billedOf(tally) : tally.billable };
}

export function byUnit<T>(make: () => T): Record<Unit, T> {
	return { request: make(), number: make(), name: make(), row: make() };
}

/** The sum of all operations, and of each unit. */
export function addUp(tallies: readonly OperationTally[]): {
	readonly total: Tally;
	readonly billableUnits: Record<Unit, number>;
} {
	const total = newTally();
	const billableUnits = byUnit(() => 0);
	for (const tally of tallies) {
		for (const member of Object.keys(total) as (keyof Tally)[]) total[member] += tally[member];
		const { unit, billableUnits: billed } = toUnits(tally);
		billableUnits[unit] += billed;
	}
	return { total, billableUnits };
}

export type OwnerUsage = Period & {
	readonly ownerId: string;
	/** By name of the operation. */
	readonly operations: readonly (Units & {
		readonly operation: string;
		readonly billed: number;
		readonly items: number;
	})[];
	readonly billableUnits: Readonly<Record<Unit, number>>;
};

/** What an owner has used in a period, for the operator's invoice. */
export async function sumOwnerUsage(sql: Sql, ownerId: string, period: Period): Promise<OwnerUsage> {
	const all = { ...period, keyId: undefined, operation: undefined };
	const tallies = await sumUsage(sql, { ownerId, companyIds: undefined }, all);
	const operations = tallies
		.map((tally) => ({
			...{ operation: tally.operation, billed: billedOf(tally), items: tally.items },
			...toUnits(tally),
		}))
		.sort((a, b) => (a.operation < b.operation ? -1 : 1));
	return { ownerId, ...period, operations, billableUnits: addUp(tallies).billableUnits };
}
