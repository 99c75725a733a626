/** Which numbers a run gets: the authority takes each once, in its certification environment, so what was in a set before is spent. */
import type { CompanyRow } from "../../companies";
import type { Sql, Tx } from "../../platform/database";
import { findLastUsed } from "../invoices";
import { encfOf, type TestCase } from "./composition";
import { areNumbersSpent, findHighestNumber } from "./store";
import type { TestSetRow } from "./test-set-row";

type Asked = Pick<TestSetRow, "tenantId" | "mode" | "startNumber" | "run">;

/** True where the company issues in the certification environment itself: there its numbers and the set's are the same. */
export function sharesNumbers({ authorityEnvironment }: Pick<CompanyRow, "authorityEnvironment">): boolean {
	return authorityEnvironment === "certification";
}

/** Whether a number of the cases is spent already. A rehearsal spends none and may have any. */
export async function isTaken(
	sql: Sql | Tx,
	{ tenantId, mode }: Pick<Asked, "tenantId" | "mode">,
	company: CompanyRow,
	cases: readonly TestCase[],
	start: number,
): Promise<boolean> {
	if (mode === "simulate") return false;
	const encfs = cases.map((one) => encfOf(one, start));
	if (await areNumbersSpent(sql, tenantId, encfs)) return true;
	return (await findLastUsed(sql, tenantId, encfs, sharesNumbers(company))) !== undefined;
}

/** Where the numbers of a run begin: in the first run as asked for, else behind all that are spent. */
export async function chooseStart(
	sql: Sql,
	set: Asked,
	company: CompanyRow,
	cases: readonly TestCase[],
): Promise<number> {
	const { tenantId, mode, startNumber, run } = set;
	if (mode === "simulate" || (run === 1 && startNumber !== null)) return startNumber ?? 1;
	let start = Math.max(startNumber ?? 1, (await findHighestNumber(sql, tenantId)) + 1);
	for (;;) {
		const encfs = cases.map((one) => encfOf(one, start));
		const last = await findLastUsed(sql, tenantId, encfs, sharesNumbers(company));
		if (last === undefined) return start;
		start = Number(last.slice(3)) + 1;
	}
}
