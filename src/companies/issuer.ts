import type { EcfIssuer } from "../ecf/mapping";
import type { Batcher } from "../platform/concurrency";
import type { Sql } from "../platform/database";
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
 * A cache of issuers that is never stale. The caller has just read the version of the tenant's rows in a statement that it needed anyway. The
 * version combines row versions that the database changes with every write, and whether the certificate is valid now. So no writer can forget
 * to update it.
 */

type Piece = ReturnType<Sql>;

/** SQL for the version of a tenant's company and its signing certificate; null without a company. */
export function issuerVersion(sql: Sql, tenantId: Piece, now: Date): Piece {
	return sql`(
		select concat_ws(' ', c.xmin, s.id, s.xmin, s.not_before <= ${now}, s.not_after >= ${now})
		from companies c left join lateral (
			select id, xmin, not_before, not_after from signing_certificates z
			where z.tenant_id = c.tenant_id and (z.status = 'active' or (z.status = 'scheduled' and z.activate_at <= ${now}))
			order by (z.status = 'scheduled') desc limit 1
		) s on true
		where c.tenant_id = ${tenantId} limit 1
	)`;
}

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
