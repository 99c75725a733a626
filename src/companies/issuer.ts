import type { EcfIssuer } from "../ecf/mapping";
import type { Batcher } from "../platform/concurrency";
import type { CompanyRow } from "./company";
import type { Issuer } from "./signing-identity";

export type IssuerFacts = Pick<
	CompanyRow,
	"rnc" | "name" | "tradeName" | "email" | "phone" | "address" | "economicActivity"
>;

/** A company as the issuer of an e-CF. Members without a value are absent. */
export function toEcfIssuer(company: IssuerFacts): EcfIssuer {
	const { rnc, name, tradeName, email, phone, address, economicActivity } = company;
	return {
		rnc,
		name,
		...(tradeName ? { tradeName } : {}),
		...(address ? { address } : {}),
		...(phone ? { phone } : {}),
		...(email ? { email } : {}),
		...(economicActivity ? { economicActivity } : {}),
	};
}

/*
 * A cache of issuers that is never stale. The caller has just read the version of the tenant's rows in a statement that it needed anyway (the
 * database's `look_up`). It combines revisions that the database counts with every write of a row, and whether the certificate is valid now. So no
 * writer can forget to update it.
 */

export type IssuerCache = {
	/** The issuer at a version that was just read. */
	readonly get: (tenantId: string, version: string | null) => Promise<Issuer | undefined>;
};

/** Largest number of cached issuers; the oldest is removed first. */
const ISSUERS_MAX = 2_000;

export function createIssuerCache(read: Batcher<string, Issuer | undefined>): IssuerCache {
	const known = new Map<string, { readonly version: string; readonly issuer: Issuer }>();
	return {
		async get(tenantId, version) {
			if (version === null) return undefined;
			const kept = known.get(tenantId);
			if (kept?.version === version) return kept.issuer;
			// The issuer may be newer than its version. Then the next reader has another version and reads again.
			const issuer = await read(tenantId);
			known.delete(tenantId);
			if (issuer) known.set(tenantId, { version, issuer });
			const oldest = known.size > ISSUERS_MAX ? known.keys().next() : undefined;
			if (oldest && !oldest.done) known.delete(oldest.value);
			return issuer;
		},
	};
}
