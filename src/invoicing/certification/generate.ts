/** The step "generate": builds, checks and signs all documents of a run. Nothing is stored or sent unless all of them are good. */
import type { OriginalDocument } from "../../authority/rules";
import type { CompanyRow } from "../../companies";
import { signDraft } from "../../ecf/signing";
import type { Sql, Tx } from "../../platform/database";
import { Problem } from "../../platform/problem";
import { toLocalIsoDate } from "../../platform/values";
import {
	draftTestDocument,
	findLastUsed,
	type TestDocument,
	type TestDraft,
	type TestIssuer,
	toTestDocument,
} from "../invoices";
import { buildInvoice, type Surroundings } from "./build-invoice";
import { composeSet, encfOf, START_MAX, type TestCase } from "./composition";
import type { CertificationDeps } from "./step-work";
import { areNumbersSpent, findHighestNumber, type NewCase } from "./store";
import type { Failure, TestSetRow } from "./test-set";

export type Generated = { readonly cases: readonly NewCase[] } | { readonly failure: Failure };

export async function generateCases(
	deps: Pick<CertificationDeps, "authorityUrls" | "openKey">,
	set: TestSetRow,
	issuer: TestIssuer,
	start: number,
): Promise<Generated> {
	if (start > START_MAX) return { failure: toLocalFailure(null, exhausted()) };
	const { rnc, name } = issuer.company;
	const cases = composeSet(set.types);
	const { niche, buyer } = set;
	const around = { cases, niche, buyer, start, company: { rnc, name }, today: toLocalIsoDate(issuer.now) };
	const drafts = draftAll(issuer, cases, around);
	if (!Array.isArray(drafts)) return { failure: drafts };
	const made: NewCase[] = [];
	for (const { one, draft } of drafts) {
		const document = await sign(deps, issuer, draft);
		made.push({
			...{ ordinal: one.ordinal, tenantId: set.tenantId, name: one.name, type: one.type, encf: encfOf(one, start) },
			...{
				dependsOn: one.reference?.to ?? null,
				docId: document.docId,
				isRehearsed: set.mode === "simulate",
				document,
			},
		});
	}
	return { cases: made };
}

type Drafted = { readonly one: TestCase; readonly draft: TestDraft };

/** All drafts, or what is wrong with the first that cannot be made. */
function draftAll(issuer: TestIssuer, cases: readonly TestCase[], around: Surroundings): Drafted[] | Failure {
	const drafts: Drafted[] = [];
	for (const one of cases) {
		const original = drafts.find((other) => other.one.name === one.reference?.to)?.draft;
		try {
			const draft = draftTestDocument(buildInvoice(one, around), issuer, {
				...(original ? { original: toOriginal(original) } : {}),
				...(one.pricesIncludeTax ? { pricesIncludeTax: true } : {}),
			});
			drafts.push({ one, draft });
		} catch (error) {
			if (error instanceof Problem) return toLocalFailure(one.name, error);
			throw error;
		}
	}
	return drafts;
}

/** A note goes out only when its document is accepted, and no other note of the set takes from its balance. */
function toOriginal({ checked }: TestDraft): OriginalDocument {
	const { issueDate, buyer, totals } = checked.plan;
	return {
		...{ status: "accepted", issueDate, total: totals.total, balance: totals.total },
		...(buyer?.rnc === undefined ? {} : { buyerRnc: buyer.rnc }),
	};
}

/** A signature takes its milliseconds: whatever else waits in the thread gets its turn before it. */
async function sign(
	deps: Pick<CertificationDeps, "authorityUrls" | "openKey">,
	issuer: TestIssuer,
	draft: TestDraft,
): Promise<TestDocument> {
	await new Promise((goOn) => setImmediate(goOn));
	const signed = signDraft(draft.draft, deps.openKey(draft.checked.identity), issuer.company.settings.signatureProfile);
	return toTestDocument(deps, issuer, draft, signed);
}

function exhausted(): Problem {
	return new Problem("sequence-exhausted", {
		detail: "No ten-digit numbers are left behind those that sets have used.",
	});
}

export function toLocalFailure(name: string | null, problem: Problem): Failure {
	const [first] = problem.faults;
	return {
		case: name,
		code: first?.code ?? problem.slug,
		detail: first?.detail ?? problem.detail,
		fix: problem.faults.map(({ pointer, detail }) => ({ op: "replace", path: pointer, value: `<${detail}>` })),
	};
}

/** Which numbers a run gets: the authority takes each once, in its certification environment, so what was in a set before is spent. */

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
