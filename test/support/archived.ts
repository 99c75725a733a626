/** A document of a company with a row in every table that is written once, and what is to be seen of such rows. */
import { insertArchiveObjects } from "../../src/archive";
import { type Sql, WRITTEN_ONCE } from "../../src/platform/database";
import { type Environment, newId } from "../../src/platform/values";
import { addInvoice, decide } from "./submission";

export type Archived = { readonly tenantId: string; readonly docId: string; readonly objectKey: string };

export async function addArchived(sql: Sql, environment: Environment): Promise<Archived> {
	const tenantId = newId();
	const rnc = String(100_000_000 + Math.floor(Math.random() * 899_999_999));
	await sql`
		insert into companies (tenant_id, environment, authority_environment, rnc, name, plan, registry, settings)
		values (${tenantId}, ${environment}, 'test', ${rnc}, 'FERRETERIA', 'free', '{}', '{}')`;
	const { docId } = await addInvoice(sql, tenantId);
	await sql`insert into steps (tenant_id, doc_id, n, body) values (${tenantId}, ${docId}, 1, ${Buffer.from([1])})`;
	await decide(sql, [{ tenantId, docId }]);
	await sql`
		insert into events (tenant_id, sequence, id, doc_id, event, body, endpoint_ids)
		values (${tenantId}, 1, ${newId()}, ${docId}, 'invoice.accepted', '{}', '{}')`;
	await sql`
		insert into audit (id, at, tenant_id, address, action, subject, details)
		values (${newId()}, now(), ${tenantId}, '127.0.0.1', 'test', ${tenantId}, '{}')`;
	const received = newId();
	await sql`
		insert into received_documents (id, tenant_id, issuer_rnc, issuer_name, buyer_rnc, type, encf, issue_date, subtotal, tax, grand_total, segment,
			sha256, signer, security_code, signed_at_text, signature_valid, acknowledgement, source, received_at)
		values (${received}, ${tenantId}, '101010101', 'PROVEEDOR', ${rnc}, '31', 'E310000000001', '2026-11-20', 100, 18, 118, 'testecf',
			${Buffer.alloc(32)}, 'IDCDO-00112345678', 'a1B2c3', '20-11-2026 10:20:00', true, 'received', 'peer', now())`;
	await sql`
		insert into received_papers (tenant_id, id, xml, arecf)
		values (${tenantId}, ${received}, ${Buffer.from("<ECF/>")}, ${Buffer.from("<ARECF/>")})`;
	await sql`insert into received_standings (document_id, tenant_id) values (${received}, ${tenantId})`;
	const approval = newId();
	await sql`
		insert into approvals (id, tenant_id, direction, received_document_id, issuer_rnc, buyer_rnc, encf, issue_date, total, decision, decided_at,
			created_at)
		values (${approval}, ${tenantId}, 'out', ${received}, '101010101', ${rnc}, 'E310000000001', '2026-11-20', 118, 'approved', now(), now())`;
	await sql`
		insert into approval_papers (tenant_id, approval_id, n, kind, receiver, operation, body, sha256)
		values (${tenantId}, ${approval}, 0, 'document', null, null, ${Buffer.from("<ACECF/>")}, ${Buffer.alloc(32)}),
			(${tenantId}, ${approval}, 1, 'intent', 'issuer', null, null, null),
			(${tenantId}, ${approval}, 2, 'answer', null, 'approval', ${Buffer.from("{}")}, null)`;
	await sql`insert into approval_deliveries (approval_id, receiver, tenant_id) values (${approval}, 'issuer', ${tenantId})`;
	const [decidedAt, retainUntil] = [new Date("2026-11-20T14:20:00.902Z"), new Date("2036-11-20T14:20:00.902Z")];
	const sha256 = docId.replaceAll("-", "").repeat(2);
	const objectKey = `${tenantId}/2026/${docId}-${sha256.slice(0, 16)}.zip`;
	await insertArchiveObjects(sql, [{ docId, tenantId, sha256, bytes: 7, decidedAt, retainUntil, versionId: null }]);
	return { tenantId, docId, objectKey };
}

/** The tables of the list that this database has. */
export async function listWrittenOnce(sql: Sql): Promise<string[]> {
	const rows = await sql<{ name: string }[]>`
		select tablename as name from pg_tables where schemaname = 'public' and tablename = any(${[...WRITTEN_ONCE]}::text[])`;
	return rows.map(({ name }) => name);
}

/** All rows that are written once, the rules that keep them, and whose the tables are: a digest for each table. */
export async function photograph(owner: Sql): Promise<Record<string, string>> {
	const seen: Record<string, string> = {};
	for (const table of [...(await listWrittenOnce(owner)), "companies", "schema_migrations"]) {
		const [row] = await owner<{ digest: string }[]>`
			select md5((select coalesce(string_agg(t::text, '|' order by t::text), '') from ${owner(table)} t)
				|| (select string_agg(g::text, '|' order by g.oid) from pg_trigger g where g.tgrelid = c.oid)
				|| (select string_agg(a::text, '|' order by a.attnum) from pg_attribute a where a.attrelid = c.oid)
				|| c.relowner || coalesce(c.relacl::text, '') || c.relrowsecurity || c.relhasrules) as digest
			from pg_class c where c.oid = ${table}::regclass`;
		seen[table] = row?.digest ?? "gone";
	}
	return seen;
}
