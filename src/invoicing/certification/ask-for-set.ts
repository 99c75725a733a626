/** What callers do with test sets: begin, cancel, and retry. The rest is done by the set's message. */
import { configMissing, findCompany, findSigningIdentity } from "../../companies";
import { ECF_TYPES, type EcfType, needsSequenceExpiry } from "../../ecf/mapping";
import { type Doer, recordAudit } from "../../identity/audit-log";
import type { Tx } from "../../platform/database";
import { append, OUTBOX_KINDS } from "../../platform/outbox";
import { type Fault, type Message, msg, Problem } from "../../platform/problem";
import { type Environment, isSandbox, newId } from "../../platform/values";
import { composeSet, START_MAX } from "./composition";
import { isTaken } from "./generate";
import { isFinal, move } from "./machine";
import { type CertificationDeps, concludeSet } from "./step-work";
import { findActiveId, findSet, insertSet, lockSet, moveSet } from "./store";
import type { Mode, TestSetRequest, TestSetRow } from "./test-set";

export const RUNS_MAX = 5;

/** Throws: not-found for another company; unsupported-ecf-type, validation-error, tenant-config-missing, test-set-in-progress. */
export async function askForSet(
	tx: Tx,
	deps: Pick<CertificationDeps, "clock" | "environment" | "provider">,
	{ tenantId, request, doer }: { readonly tenantId: string; readonly request: TestSetRequest; readonly doer: Doer },
): Promise<TestSetRow> {
	if (request.idCompany !== undefined && request.idCompany !== tenantId) throw new Problem("not-found");
	const { environment } = deps;
	const types = readTypes(request.types);
	const startNumber = readStart(request.startNumber);
	const mode: Mode = request.mode ?? (isSandbox(environment) ? "simulate" : "authority");
	const company = await findReadyCompany(tx, deps, tenantId, types);
	const cases = composeSet(types);
	if (startNumber !== null && (await isTaken(tx, { tenantId, mode }, cases, startNumber))) {
		throw wrongStart("number-used", msg`Numbers of the set have been used. Leave the member out, or start after them.`);
	}
	const { rnc, name } = deps.provider;
	const buyer =
		rnc === null || rnc === company.rnc ? { rnc: company.rnc, name: company.name } : { rnc, name: name ?? rnc };
	const id = newId();
	const { niche = "retail" } = request;
	const isFirst = await insertSet(tx, {
		...{ id, tenantId, environment, mode, types, niche, startNumber, buyer, runsMax: RUNS_MAX },
	});
	if (!isFirst) throw await inProgress(tx, tenantId, environment);
	await append(tx, { kind: OUTBOX_KINDS.advanceTestSet, tenantId, subject: id });
	const details = { mode, types: types.join(" ") };
	await recordAudit(tx, { ...doer, action: "test-set.create", subject: id, tenantId, details });
	const row = await findSet(tx, tenantId, id);
	if (!row) throw new Error(`test set ${id} was inserted and is not there`);
	return row;
}

export async function inProgress(tx: Tx, tenantId: string, environment: Environment): Promise<Problem> {
	const id = await findActiveId(tx, tenantId, environment);
	return new Problem("test-set-in-progress", id === undefined ? {} : { extensions: { id } });
}

/** In the service's order. */
function readTypes(asked: readonly string[] | undefined): EcfType[] {
	const unknown = (asked ?? []).filter((type) => !ECF_TYPES.some((known) => known === type));
	if (unknown.length > 0) {
		throw new Problem("unsupported-ecf-type", { detail: msg`Send some of ${ECF_TYPES.join(", ")} as types.` });
	}
	return ECF_TYPES.filter((type) => asked === undefined || asked.includes(type));
}

function readStart(text: string | undefined): number | null {
	if (text === undefined) return null;
	const start = Number(text);
	if (start === 0) throw wrongStart("number-zero", msg`Numbers start at 0000000001.`);
	if (start > START_MAX)
		throw wrongStart("number-too-large", msg`The numbers of the set would have more than ten digits.`);
	return start;
}

function wrongStart(code: string, detail: Message): Problem {
	const fault: Fault = { pointer: "/startNumber", code, detail };
	return new Problem("validation-error", { faults: [fault] });
}

async function findReadyCompany(
	tx: Tx,
	{ clock, environment }: Pick<CertificationDeps, "clock" | "environment" | "provider">,
	tenantId: string,
	types: readonly EcfType[],
) {
	const [company, identity] = await Promise.all([
		findCompany(tx, tenantId),
		findSigningIdentity(tx, tenantId, clock.now()),
	]);
	if (!company) throw new Problem("tenant-config-missing", { extensions: { missing: ["company"] } });
	const missing: string[] = [];
	if (!company.rnc) missing.push("rnc");
	if (!identity) missing.push("certificate");
	// Gap: numbers of the certification environment are not registered, so their last day is the company's setting.
	const hasExpiry = company.settings.sequenceExpiresOn !== null || isSandbox(environment);
	if (!hasExpiry && composeSet(types).some(({ type }) => needsSequenceExpiry(type))) missing.push("sequence");
	if (company.status !== "active") missing.push("active");
	if (missing.length === 0) return company;
	throw configMissing(tenantId, missing);
}

/** A set of the tenant, locked. Throws: not-found. */
async function lockOwn(tx: Tx, tenantId: string, id: string): Promise<TestSetRow> {
	const set = await lockSet(tx, tenantId, id);
	if (!set) throw new Problem("not-found");
	return set;
}

/** Cancels a set. A submitted document is still decided; nothing else is sent. Throws: not-found, test-set-final. */
export async function cancelSet(tx: Tx, tenantId: string, id: string, doer: Doer): Promise<TestSetRow> {
	const set = await lockOwn(tx, tenantId, id);
	if (set.status === "cancelled") return set;
	if (!(await concludeSet(tx, set, "cancelled", doer.at))) {
		throw new Problem("test-set-final", { detail: msg`The test set is ${set.status}. There is nothing to cancel.` });
	}
	await recordAudit(tx, { ...doer, action: "test-set.cancel", subject: id, tenantId, details: { run: set.run } });
	return readAgain(tx, tenantId, id);
}

/** Starts another run. Throws: not-found; test-set-in-progress, also for another set of the company; test-set-final unless it failed and has a run left. */
export async function retrySet(tx: Tx, tenantId: string, id: string, doer: Doer): Promise<TestSetRow> {
	const set = await lockOwn(tx, tenantId, id);
	// A concurrent start of a set of this company is serialised by the unique index.
	if (!isFinal(set.status) || (await findActiveId(tx, tenantId, set.environment)) !== undefined) {
		throw await inProgress(tx, tenantId, set.environment);
	}
	const to = move(set, "retried", set.runsMax);
	if (!to) {
		const detail =
			set.status === "failed"
				? msg`All ${set.runsMax} runs are used up. Begin a new test set.`
				: msg`The test set is ${set.status}. Only a failed one can be run again.`;
		throw new Problem("test-set-final", { detail });
	}
	await moveSet(tx, set, to, { isNewRun: true });
	await append(tx, { kind: OUTBOX_KINDS.advanceTestSet, tenantId, subject: id });
	await recordAudit(tx, { ...doer, action: "test-set.retry", subject: id, tenantId, details: { run: to.run } });
	return readAgain(tx, tenantId, id);
}

async function readAgain(tx: Tx, tenantId: string, id: string): Promise<TestSetRow> {
	const row = await findSet(tx, tenantId, id);
	if (!row) throw new Error(`test set ${id} was changed and is not there`);
	return row;
}
