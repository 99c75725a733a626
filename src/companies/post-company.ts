/** `POST /v1/company`: registers a company once for each idempotency key, and shows its secrets once. */

import { type Actor, actorOf } from "../identity/audit-log";
import type { KeyedQueue } from "../platform/concurrency";
import {
	checkRepeat,
	findAnswer,
	hashBytes,
	hashPayload,
	type KeyPlace,
	readIdempotencyKey,
	replayAnswer,
	saveAnswer,
} from "../platform/idempotency";
import { type Call, json, type Principal, parseJson, readBytes, readQuery } from "../platform/operation";
import { Problem } from "../platform/problem";
import { toLocalIsoDate } from "../platform/values";
import { type CheckedRequest, checkCompanyRequest } from "./check-request";
import { readRecord } from "./read-record";
import { type Alongside, type CompanyDeps, hideSecrets, registerCompany, type Secrets } from "./register-company";

/** The demo key has no owner; all its users share one place for their keys. */
const NOBODY = "00000000-0000-0000-0000-000000000000";
const NO_STORE = { "cache-control": "no-store" };

export async function postCompany(
	deps: CompanyDeps & { requestQueue: KeyedQueue },
	principal: Principal,
	call: Call,
): Promise<Response> {
	readQuery(call);
	const bytes = await readBytes(call);
	const key = readIdempotencyKey(call.request, "optional");
	if (key === undefined) {
		const checked = checkRequest(deps, parseJson(bytes));
		return created(deps, await registerCompany(deps, principal, actorOf(call), checked));
	}
	const place: KeyPlace = { scopeId: principal.ownerId ?? NOBODY, operation: "POST /v1/company", key };
	return deps.requestQueue.run(`${place.scopeId} ${key}`, () =>
		registerOnce(deps, principal, actorOf(call), bytes, place),
	);
}

async function registerOnce(
	deps: CompanyDeps,
	principal: Principal,
	actor: Actor,
	bytes: Uint8Array,
	place: KeyPlace,
): Promise<Response> {
	const rawSha256 = hashBytes(bytes);
	const findReplay = async () => {
		const stored = await findAnswer(deps.sql, place);
		if (!stored) return undefined;
		checkRepeat(stored, rawSha256, () => parseJson(bytes));
		return replayAnswer(stored, NO_STORE);
	};
	const replay = await findReplay();
	if (replay) return replay;
	const value = parseJson(bytes);
	const checked = checkRequest(deps, value);
	// The answer is stored with the company or not at all; it holds no secret, since those are shown once.
	const alongside: Alongside = async (tx, tenantId, secrets) => {
		const record = await readRecord(tx, tenantId, deps.clock.now(), hideSecrets(secrets));
		const answer = { answer: JSON.stringify(record), headers: placed(tenantId), docId: null };
		const isFirst = await saveAnswer(tx, place, { ...answer, rawSha256, payloadSha256: hashPayload(value) });
		if (!isFirst) throw new Problem("idempotency-in-progress", { headers: { "retry-after": "1" } });
	};
	try {
		return await created(deps, await registerCompany(deps, principal, actor, checked, alongside));
	} catch (error) {
		// Another process may have registered it under this very key meanwhile.
		const raced = error instanceof Problem ? await findReplay() : undefined;
		if (raced) return raced;
		throw error;
	}
}

function checkRequest({ environment, clock }: CompanyDeps, value: unknown): CheckedRequest {
	return checkCompanyRequest(value, environment, toLocalIsoDate(clock.now()));
}

async function created(deps: CompanyDeps, made: { tenantId: string; secrets: Secrets }): Promise<Response> {
	const record = await readRecord(deps.sql, made.tenantId, deps.clock.now(), made.secrets);
	return json(201, record, { ...placed(made.tenantId), ...NO_STORE });
}

function placed(tenantId: string): Record<string, string> {
	return { location: `/v1/company/${tenantId}`, etag: '"1"' };
}
