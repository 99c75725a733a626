/** What a merge patch makes of a company; a pure function of the row and what was read of the request. */

import { checkIssuer } from "../ecf/mapping";
import { applyMergePatch, checkSchema, isObject, member } from "../platform/operation";
import { type Fault, Problem } from "../platform/problem";
import type { AuthorityEnvironment, CompanyRow } from "./company";
import { type IssuerFacts, toEcfIssuer } from "./issuer";
import { type Address, DEFAULT_SETTINGS, members, type Settings } from "./members";
import type { PatchCompanyRequest } from "./patch-request";

/** Of a company what a patch can merge: the members without the lists and files that have rows of their own. */
export type Patchable = Pick<
	CompanyRow,
	| "name"
	| "tradeName"
	| "email"
	| "phone"
	| "address"
	| "economicActivity"
	| "authorityEnvironment"
	| "settings"
	| "contactEmails"
	| "metadata"
>;

const NAMES = [
	...(["name", "tradeName", "email", "phone", "address", "economicActivity"] as const),
	...(["authorityEnvironment", "settings", "contactEmails", "metadata"] as const),
] as const;

type Merged = {
	readonly name: string;
	readonly tradeName?: string;
	readonly email?: string;
	readonly phone?: string;
	readonly address?: Address;
	readonly economicActivity?: string;
	readonly authorityEnvironment: AuthorityEnvironment;
	readonly settings?: Partial<Settings>;
	readonly contactEmails?: readonly string[];
	readonly metadata?: Readonly<Record<string, string>>;
};

/** Throws: validation-error when what is merged is more than a company may have. */
export function applyPatch(company: CompanyRow, patch: PatchCompanyRequest): Patchable {
	const said = NAMES.filter((name) => patch[name] !== undefined).map((name) => [name, patch[name]]);
	const merged = applyMergePatch(pickPatchable(company), Object.fromEntries(said)) as Merged;
	const faults: Fault[] = merged.metadata ? within("/metadata", checkSchema(members.metadata, merged.metadata)) : [];
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return {
		name: merged.name,
		tradeName: merged.tradeName ?? null,
		email: merged.email ?? null,
		phone: merged.phone ?? null,
		address: merged.address ?? null,
		economicActivity: merged.economicActivity ?? null,
		authorityEnvironment: merged.authorityEnvironment,
		settings: { ...DEFAULT_SETTINGS, ...merged.settings },
		contactEmails: merged.contactEmails ?? [],
		metadata: merged.metadata ?? {},
	};
}

export function pickPatchable(company: CompanyRow): Patchable {
	const { name, tradeName, email, phone, address, economicActivity } = company;
	const { authorityEnvironment, settings, contactEmails, metadata } = company;
	return {
		...{ name, tradeName, email, phone, address, economicActivity, authorityEnvironment },
		...{ settings, contactEmails, metadata },
	};
}

/** Names of what differs: members, and those of an object with its name before them. */
export function listChanged(before: Patchable, after: Patchable): string[] {
	return NAMES.flatMap((name) => {
		const [old, fresh] = [before[name], after[name]];
		if (isSame(old, fresh)) return [];
		if (!isObject(old) || !isObject(fresh)) return [name];
		const inner = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
		return inner.filter((key) => !isSame(member(old, key), member(fresh, key))).map((key) => `${name}.${key}`);
	});
}

/** Warnings as they are after a change: what the issuer's members caused is judged anew, the rest stays. */
export function renewWarnings(
	warnings: CompanyRow["warnings"],
	before: IssuerFacts,
	after: IssuerFacts,
): CompanyRow["warnings"] {
	const past = new Set(checkIssuer(toEcfIssuer(before)).map(({ code }) => code));
	const present = checkIssuer(toEcfIssuer(after)).map(({ code, detail }) => ({ code, detail }));
	return [...warnings.filter(({ code }) => !past.has(code)), ...present];
}

function within(path: string, faults: readonly Fault[]): Fault[] {
	return faults.map((fault) => ({ ...fault, pointer: path + fault.pointer }));
}

/** Two members are the same whatever the order in which they were written. */
function isSame(a: unknown, b: unknown): boolean {
	if (!isObject(a) || !isObject(b)) return JSON.stringify(a) === JSON.stringify(b);
	const names = Object.keys(a);
	return (
		names.length === Object.keys(b).length &&
		names.every((name) => Object.hasOwn(b, name) && isSame(member(a, name), member(b, name)))
	);
}
