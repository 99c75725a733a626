/** The step "generate": builds, checks and signs all documents of a run. Nothing is stored or sent unless all are valid. */
import type { OriginalDocument } from "../../authority/rules";
import { signDraft } from "../../ecf/signing";
import type { Sql, Tx } from "../../platform/database";
import { msg, Problem, writeMessage } from "../../platform/problem";
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
			...{ ordinal: one.ordinal, name: one.name, type: one.type, encf: encfOf(one, start) },
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

/** All drafts, or the failure of the first invalid one. */
function draftAll(issuer: TestIssuer, cases: readonly TestCase[], around: Surroundings): Drafted[] | Failure {
	const drafts: Drafted[] = [];
	for (const one of cases) {
		const original = drafts.find((other) => other.one.name === one.reference?.to)?.draft;
		try {
			const facts = original ? { original: toOriginal(original) } : {};
			const draft = draftTestDocument(buildInvoice(one, around), issuer, facts);
			drafts.push({ one, draft });
		} catch (error) {
			if (error instanceof Problem) return toLocalFailure(one.name, error);
			throw error;
		}
	}
	return drafts;
}

/** A note is sent only after its original is accepted, and no other note of the set reduces the balance. */
function toOriginal({ checked }: TestDraft): OriginalDocument {
	const { issueDate, buyer, totals } = checked.plan;
	return {
		...{ status: "accepted", issueDate, total: totals.total, balance: totals.total, isAnnulled: false },
		...(buyer?.rnc === undefined ? {} : { buyerRnc: buyer.rnc }),
	};
}

/** Yields to other work of the thread before each signature, which takes milliseconds. */
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
		detail: msg`No ten-digit numbers are left after those that test sets have used.`,
	});
}

export function toLocalFailure(name: string | null, problem: Problem): Failure {
	const [first] = problem.faults;
	return {
		case: name,
		code: first?.code ?? problem.slug,
		detail: String(first?.detail ?? problem.detail),
		fix: [],
		advice: problem.faults.map(({ pointer, detail, detailEs }) => ({
			...{ pointer, detail: String(detail) },
			detailEs: typeof detailEs === "string" ? detailEs : writeMessage(detail, "es"),
		})),
	};
}

type Asked = Pick<TestSetRow, "tenantId" | "mode" | "startNumber" | "run">;

/** Whether a number of the cases was used before. A rehearsal uses none. */
export async function isTaken(
	sql: Sql | Tx,
	{ tenantId, mode }: Pick<Asked, "tenantId" | "mode">,
	cases: readonly TestCase[],
	start: number,
): Promise<boolean> {
	if (mode === "simulate") return false;
	const encfs = cases.map((one) => encfOf(one, start));
	if (await areNumbersSpent(sql, tenantId, encfs)) return true;
	return (await findLastUsed(sql, tenantId, encfs)) !== undefined;
}

/** The first number of a run: as requested in the first run, else after all used ones, since the authority takes each number once. */
export async function chooseStart(sql: Sql, set: Asked, cases: readonly TestCase[]): Promise<number> {
	const { tenantId, mode, startNumber, run } = set;
	if (mode === "simulate" || (run === 1 && startNumber !== null)) return startNumber ?? 1;
	let start = Math.max(startNumber ?? 1, (await findHighestNumber(sql, tenantId)) + 1);
	for (;;) {
		const encfs = cases.map((one) => encfOf(one, start));
		const last = await findLastUsed(sql, tenantId, encfs);
		if (last === undefined) return start;
		start = Number(last.slice(3)) + 1;
	}
}
