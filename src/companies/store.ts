/** SQL for companies; SQL for certificates is in `src/companies/certificates/store.ts`. */

import type { Sql, Tx } from "../platform/database";
import { LOCKS } from "../platform/database";
import type { Plan, Principal } from "../platform/operation";
import { type Environment, toLocalIsoDate } from "../platform/values";
import { type CompanyRow, defaultSettings } from "./company";
import type { Logo } from "./logo";

/** A company at its registration, without the columns that the database fills. */
export type NewCompany = Omit<
	CompanyRow,
	| "status"
	| "logoBytes"
	| "logoContentType"
	| "logoSha256"
	| "version"
	| "createdAt"
	| "updatedAt"
	| "clockAheadSeconds"
> & { readonly logo: Logo | null };

/** Inserts a company. Violates the constraint `companies_rnc` if the RNC is taken in the environment. */
export async function insertCompany(tx: Tx, c: NewCompany): Promise<void> {
	await tx`
		insert into companies (
			tenant_id, owner_id, environment, authority_environment, rnc, name, trade_name, email, phone, address,
			economic_activity, plan, registry, settings, logo, logo_content_type, logo_sha256, contact_emails, metadata, warnings
		) values (
			${c.tenantId}, ${c.ownerId}, ${c.environment}, ${c.authorityEnvironment}, ${c.rnc}, ${c.name}, ${c.tradeName},
			${c.email}, ${c.phone}, ${c.address && tx.json(c.address)}, ${c.economicActivity}, ${c.plan},
			${tx.json(c.registry)}, ${tx.json(c.settings)}, ${c.logo?.bytes ?? null}, ${c.logo?.contentType ?? null},
			${c.logo?.sha256 ?? null}, ${tx.json([...c.contactEmails])}, ${tx.json({ ...c.metadata })},
			${tx.json(c.warnings.map((w) => ({ ...w })))}
		)`;
}

/** Serialises the creation of the demo client's company until the transaction ends. */
export async function lockDemoCompany(tx: Tx): Promise<void> {
	await tx`select pg_advisory_xact_lock(${LOCKS.demoCompany})`;
}

const companyColumns = (sql: Sql | Tx) => sql`
	tenant_id as "tenantId", owner_id as "ownerId", environment, authority_environment as "authorityEnvironment", rnc, name,
	trade_name as "tradeName", email, phone, address, economic_activity as "economicActivity", status, plan, registry, settings,
	octet_length(logo) as "logoBytes", logo_content_type as "logoContentType", logo_sha256 as "logoSha256",
	contact_emails as "contactEmails", metadata, warnings, version, created_at as "createdAt", updated_at as "updatedAt",
	clock_ahead_seconds as "clockAheadSeconds", revision`;

/** `revision` counts its changes. */
type StoredCompany = CompanyRow & { readonly revision: number };

export async function findCompany(sql: Sql | Tx, tenantId: string): Promise<CompanyRow | undefined> {
	const [row] = await selectCompanies(sql, sql`where tenant_id = ${tenantId}`);
	return row;
}

/** A company that was stored before a setting existed has its default. */
async function selectCompanies(sql: Sql | Tx, which: ReturnType<Sql>): Promise<StoredCompany[]> {
	const rows = await sql<StoredCompany[]>`select ${companyColumns(sql)} from companies ${which}`;
	return rows.map((row) => ({ ...row, settings: { ...defaultSettings(row.environment), ...row.settings } }));
}

export async function findCompanies(sql: Sql, tenantIds: readonly string[]): Promise<StoredCompany[]> {
	return selectCompanies(sql, sql`where tenant_id = any(${[...tenantIds]}::uuid[])`);
}

export type Letterhead = {
	/** As uploaded. */
	readonly logo: Uint8Array | null;
	readonly printFormat: CompanyRow["settings"]["printFormat"];
};

export async function findLetterhead(sql: Sql, tenantId: string): Promise<Letterhead | undefined> {
	const [row] = await sql<Letterhead[]>`
		select logo, settings ->> 'printFormat' as "printFormat" from companies where tenant_id = ${tenantId}`;
	return row;
}

/** Companies of one owner, or those of them that a key opens, oldest first, after a cursor. One more than `limit` shows that there are more. */
export async function findCompaniesOf(
	sql: Sql,
	{ ownerId, companyIds }: Pick<Principal, "companyIds"> & { readonly ownerId: string },
	after: string | undefined,
	limit: number,
): Promise<CompanyRow[]> {
	const bound = companyIds ? sql`and tenant_id = any(${[...companyIds]}::uuid[])` : sql``;
	const afterCursor = after ? sql`and tenant_id > ${after}` : sql``;
	return selectCompanies(
		sql,
		sql`where owner_id = ${ownerId} ${bound} ${afterCursor} order by tenant_id limit ${limit + 1}`,
	);
}

/** Companies of owners, or those of them that are named, and those with the ids, by name. Null is the owner of what the demo key makes. */
export async function listCompaniesOf(
	sql: Sql,
	memberships: readonly { readonly ownerId: string | null; readonly tenantIds: readonly string[] | null }[],
	limit: number,
	alsoIds: readonly string[] = [],
): Promise<Pick<CompanyRow, "tenantId" | "ownerId" | "rnc" | "name" | "status">[]> {
	const which = memberships.map(
		({ ownerId, tenantIds }) =>
			sql`owner_id is not distinct from ${ownerId} ${tenantIds ? sql`and tenant_id = any(${[...tenantIds]}::uuid[])` : sql``}`,
	);
	if (alsoIds.length > 0) which.push(sql`tenant_id = any(${[...alsoIds]}::uuid[])`);
	const rows = await Promise.all(
		which.map(
			(one) => sql<Pick<CompanyRow, "tenantId" | "ownerId" | "rnc" | "name" | "status">[]>`
				select tenant_id as "tenantId", owner_id as "ownerId", rnc, name, status from companies
				where ${one} order by name, tenant_id limit ${limit}`,
		),
	);
	// Each list is in order; those of several owners are put together, and a company of two lists stands once.
	return [...new Map(rows.flat().map((row) => [row.tenantId, row])).values()]
		.sort((a, b) => a.name.localeCompare(b.name, "es"))
		.slice(0, limit);
}

export type TenantRow = Pick<
	CompanyRow,
	"tenantId" | "ownerId" | "rnc" | "name" | "status" | "plan" | "authorityEnvironment" | "createdAt"
>;

/** Companies of all owners, newest first, after a cursor. One more than `limit` shows that there are more. */
export async function listTenants(
	sql: Sql,
	{
		q,
		status,
		after,
	}: { readonly q?: string | undefined; readonly status?: string | undefined; readonly after?: string | undefined },
	limit: number,
): Promise<TenantRow[]> {
	return sql<TenantRow[]>`
		select tenant_id as "tenantId", owner_id as "ownerId", rnc, name, status, plan, authority_environment as "authorityEnvironment",
			created_at as "createdAt"
		from companies
		where true
			${q === undefined ? sql`` : sql`and (starts_with(rnc, ${q.replaceAll("-", "")}) or position(lower(${q}) in lower(name)) > 0)`}
			${status === undefined ? sql`` : sql`and status = ${status}`} ${after === undefined ? sql`` : sql`and tenant_id < ${after}`}
		order by tenant_id desc limit ${limit + 1}`;
}

export async function findAllCompanies(sql: Sql): Promise<CompanyRow[]> {
	return selectCompanies(sql, sql`order by created_at`);
}

export async function findByRnc(
	sql: Sql | Tx,
	rnc: string,
	environment: Environment,
): Promise<Pick<CompanyRow, "tenantId" | "ownerId" | "status"> | undefined> {
	const [row] = await sql<Pick<CompanyRow, "tenantId" | "ownerId" | "status">[]>`
		select tenant_id as "tenantId", owner_id as "ownerId", status from companies where rnc = ${rnc} and environment = ${environment}`;
	return row;
}

/** What a change writes; `logo` only if it changes. */
export type CompanyChange = Pick<
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
	| "warnings"
> & { readonly logo?: Logo | null };

/** Writes a company as its next version, which is returned. Call it under the company's lock. */
export async function updateCompany(tx: Tx, tenantId: string, c: CompanyChange): Promise<number> {
	const { logo } = c;
	const logoColumns =
		logo === undefined
			? tx``
			: tx`logo = ${logo?.bytes ?? null}, logo_content_type = ${logo?.contentType ?? null}, logo_sha256 = ${logo?.sha256 ?? null},`;
	const [row] = await tx<{ version: number }[]>`
		update companies set name = ${c.name}, trade_name = ${c.tradeName}, email = ${c.email}, phone = ${c.phone},
			address = ${c.address && tx.json(c.address)}, economic_activity = ${c.economicActivity},
			authority_environment = ${c.authorityEnvironment}, settings = ${tx.json(c.settings)}, ${logoColumns}
			contact_emails = ${tx.json([...c.contactEmails])}, metadata = ${tx.json({ ...c.metadata })},
			warnings = ${tx.json(c.warnings.map((w) => ({ ...w })))}, version = version + 1, updated_at = now()
		where tenant_id = ${tenantId} returning version`;
	if (!row) throw new Error("a locked company does not exist");
	return row.version;
}

/** Writes a company's status as its next version. Call it under the company's lock. */
export async function updateStatus(tx: Tx, tenantId: string, status: CompanyRow["status"]): Promise<void> {
	await tx`
		update companies set status = ${status}, version = version + 1, updated_at = now() where tenant_id = ${tenantId}`;
}

/** Writes a company's plan as its next version; returns the former one, undefined without a company. */
export async function updatePlan(tx: Tx, tenantId: string, plan: Plan): Promise<Plan | undefined> {
	const [row] = await tx<{ before: Plan }[]>`
		update companies c set plan = ${plan}, version = version + 1, updated_at = now()
		from (select tenant_id, plan from companies where tenant_id = ${tenantId} for update) former
		where c.tenant_id = former.tenant_id returning former.plan as before`;
	return row?.before;
}

/** Whether a company may issue. Fixed until the transaction ends. */
export async function isActive(tx: Tx, tenantId: string): Promise<boolean> {
	const [row] = await tx<{ status: CompanyRow["status"] }[]>`
		select status from companies where tenant_id = ${tenantId} for share`;
	return row?.status === "active";
}

/** Whether any of a company's documents has no verdict yet. */
export async function hasPendingInvoices(sql: Sql | Tx, tenantId: string): Promise<boolean> {
	const rows = await sql`
		select 1 from open_documents where tenant_id = ${tenantId} and status = 'p'
		union all
		select 1 from documents d
		where d.tenant_id = ${tenantId}
			and not exists (select from verdicts v where v.tenant_id = d.tenant_id and v.doc_id = d.doc_id)
			and not exists (select from open_documents o where o.tenant_id = d.tenant_id and o.doc_id = d.doc_id)
		limit 1`;
	return rows.length > 0;
}

/** Whether any void of a company is undecided. */
export async function hasPendingVoids(sql: Sql | Tx, tenantId: string): Promise<boolean> {
	const rows = await sql`select 1 from sequence_voids where tenant_id = ${tenantId} and status = 'pending' limit 1`;
	return rows.length > 0;
}

/** Advances a company's test clock and locks its row. Returns the new offset, undefined without a company. */
export async function moveClock(tx: Tx, tenantId: string, seconds: number): Promise<number | undefined> {
	const [row] = await tx<{ aheadSeconds: number }[]>`
		update companies set clock_ahead_seconds = clock_ahead_seconds + ${seconds}, version = version + 1 where tenant_id = ${tenantId}
		returning clock_ahead_seconds as "aheadSeconds"`;
	return row?.aheadSeconds;
}

/** How far a company's test clock is ahead, in seconds. */
export async function findClockAhead(sql: Sql | Tx, tenantId: string): Promise<number> {
	const [row] = await sql<{ aheadSeconds: number }[]>`
		select clock_ahead_seconds as "aheadSeconds" from companies where tenant_id = ${tenantId}`;
	return row?.aheadSeconds ?? 0;
}

/** Since when a company is here, and how far its test clock is ahead; undefined without a company. */
export async function findTimes(
	sql: Sql | Tx,
	tenantId: string,
): Promise<{ readonly createdAt: Date; readonly aheadSeconds: number } | undefined> {
	const [row] = await sql<{ createdAt: Date; aheadSeconds: number }[]>`
		select created_at as "createdAt", clock_ahead_seconds as "aheadSeconds" from companies where tenant_id = ${tenantId}`;
	return row;
}

/** SQL for a tenant's day (UTC-4) at an instant, by its test clock. */
export function dayOfTenant(sql: Sql | Tx, tenantId: string, now: Date): ReturnType<Sql> {
	return dayAhead(
		sql,
		now,
		sql`coalesce((select clock_ahead_seconds from companies where tenant_id = ${tenantId}), 0)`,
	);
}

/** SQL for the day (UTC-4) at an instant by a clock that is ahead by an SQL expression in seconds. */
export function dayAhead(sql: Sql | Tx, now: Date, aheadSeconds: ReturnType<Sql>): ReturnType<Sql> {
	return sql`((${now}::timestamptz + make_interval(secs => ${aheadSeconds})) at time zone interval '-04:00')::date`;
}

/** A tenant's day (`YYYY-MM-DD`, UTC-4) at an instant, by a test clock that is ahead. */
export function tenantsDay(now: Date, aheadSeconds: number): string {
	return toLocalIsoDate(new Date(now.getTime() + aheadSeconds * 1_000));
}

/** Waits for documents that are being stored, and blocks others until this transaction ends. */
export async function waitForDocuments(tx: Tx, tenantId: string): Promise<void> {
	await tx`select pg_advisory_xact_lock(${LOCKS.storingDocuments}, hashtext(${tenantId}))`;
}

/** The same for a move; during it others are refused. */
export async function beginMove(tx: Tx, tenantId: string): Promise<void> {
	await tx`select pg_advisory_xact_lock(${LOCKS.companyEnvironment}, hashtext(${tenantId}))`;
	await waitForDocuments(tx, tenantId);
}

/** SQL that takes a share of the lock against moves until the transaction ends; false while the company is moving. */
export function hasNoMove(sql: Sql | Tx, tenantId: string): ReturnType<Sql> {
	return sql`pg_try_advisory_xact_lock_shared(${LOCKS.companyEnvironment}, hashtext(${tenantId}))`;
}
