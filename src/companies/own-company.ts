/** Which companies a caller may see and change, and the problems of a company that cannot do something. */
import { lockCompany } from "../events/endpoints";
import { DEMO_TENANT_ID } from "../identity/auth";
import type { Sql, Tx } from "../platform/database";
import { classifyAddress, parseAddress } from "../platform/egress";
import type { Call, Principal } from "../platform/operation";
import { joinMessages, msg, Problem } from "../platform/problem";
import { type Environment, isId } from "../platform/values";
import type { CompanyRow } from "./company";
import { findCompany } from "./store";

/**
 * A company that the caller may see: that of its token, or one of its key's owner. The guard has refused a company other than the token's.
 * Throws: not-found, equally for another owner's id, an unknown one and an invalid one.
 */
export async function findOwnCompany(
	sql: Sql,
	principal: Principal,
	id: string,
	ownsUnowned = false,
): Promise<CompanyRow> {
	const row = isId(id) ? await findCompany(sql, id) : undefined;
	const isOwn = row !== undefined && (row.tenantId === principal.tenantId || isOwner(principal, row, ownsUnowned));
	if (!row || !isOwn) throw new Problem("not-found");
	return row;
}

/** `ownsUnowned`: the caller may do what the owner of a company without one could; see `ownsDemoCompanies`. */
export function isOwner({ ownerId }: Principal, company: Pick<CompanyRow, "ownerId">, ownsUnowned: boolean): boolean {
	return company.ownerId === ownerId && (ownerId !== null || ownsUnowned);
}

/**
 * Whether the demo key's user may do what an owner may with companies that the demo key has registered. Gap: on their own machine: there a lost
 * secret would otherwise end the trial.
 */
export function ownsDemoCompanies(environment: Environment, address: string): boolean {
	const bytes = parseAddress(address);
	return environment === "sandbox" && bytes !== undefined && classifyAddress(bytes) === "loopback";
}

/** A company that the caller may change. Throws: not-found; forbidden for a closed company and for the shared demo company. */
export async function findChangeable(
	sql: Sql,
	principal: Principal,
	id: string,
	ownsUnowned = false,
): Promise<CompanyRow> {
	const row = await findOwnCompany(sql, principal, id, ownsUnowned);
	refuseClosed(row);
	if (row.tenantId === DEMO_TENANT_ID && row.environment === "public-sandbox") {
		throw new Problem("forbidden", { detail: msg`The demo company is shared; register one of your own.` });
	}
	return row;
}

/**
 * Locks a changeable company for this transaction. It may have been closed or deleted while the body was arriving.
 * Throws: not-found, forbidden.
 */
export async function lockChangeable(tx: Tx, tenantId: string): Promise<CompanyRow> {
	await lockCompany(tx, tenantId);
	const row = await findCompany(tx, tenantId);
	if (!row) throw new Problem("not-found");
	refuseClosed(row);
	return row;
}

/** Throws: forbidden. */
function refuseClosed({ status }: Pick<CompanyRow, "status">): void {
	if (status === "closed") throw new Problem("forbidden", { detail: msg`The company is closed and can only be read.` });
}

/** Throws: forbidden. */
export function refuseSuspended({ status }: Pick<CompanyRow, "status">): void {
	if (status !== "suspended") return;
	throw new Problem("forbidden", { detail: msg`The company is suspended and gets neither webhooks nor credentials.` });
}

export function principalOf(call: Call): Principal {
	if (!call.principal) throw new Error(`operation ${call.operation.id} has no principal`);
	return call.principal;
}

export type HasPassedTestSet = (tenantId: string) => Promise<boolean>;

export function certificationMissing(): Problem {
	const detail = msg`The authority's production environment needs a passed certification test set of all types.`;
	return new Problem("tenant-config-missing", {
		detail,
		extensions: { missing: ["certification"], fix: "/v1/check-set-tests" },
	});
}

/** The problem of a company that cannot issue yet, or not now. `missing` names what it lacks; `active` means that it is suspended. */
export function configMissing(tenantId: string, missing: readonly string[]): Problem {
	const lacks = missing.filter((name) => name !== "active");
	const sentences = [
		...(lacks.length > 0 ? [msg`The company lacks: ${lacks.join(", ")}.`] : []),
		...(missing.includes("active") ? [msg`The company is not active; it cannot issue until it is resumed.`] : []),
	];
	const extensions = { missing, fix: `/v1/company/${tenantId}` };
	return new Problem("tenant-config-missing", { detail: joinMessages(sentences), extensions });
}

/**
 * The problem of a request that was prepared for another environment of the authority than the company's current one. A repeat is prepared
 * again.
 */
export function companyMoved(): Problem {
	return new Problem("service-unavailable", {
		detail: msg`The company has moved to another environment of the authority, or is being moved. Nothing was stored.`,
		headers: { "retry-after": "1" },
	});
}
