/** SQL of what operators may read: companies, each for a while and for a reason that its owner sees. */
import type { Sql, Tx } from "../../platform/database";

export type OperatorAccess = {
	readonly id: string;
	readonly tenantId: string;
	readonly userId: string;
	readonly reason: string;
	readonly createdAt: Date;
	readonly expiresAt: Date;
};

const columns = (sql: Sql | Tx) => sql`
	id, tenant_id as "tenantId", user_id as "userId", reason, created_at as "createdAt", expires_at as "expiresAt"`;

export async function insertAccess(tx: Tx, one: OperatorAccess): Promise<void> {
	await tx`
		insert into operator_accesses (id, tenant_id, user_id, reason, created_at, expires_at)
		values (${one.id}, ${one.tenantId}, ${one.userId}, ${one.reason}, ${one.createdAt}, ${one.expiresAt})`;
}

/** Those of a person that have not ended. */
export async function listAccessesOf(sql: Sql | Tx, userId: string, now: Date): Promise<OperatorAccess[]> {
	return [
		...(await sql<OperatorAccess[]>`
			select ${columns(sql)} from operator_accesses where user_id = ${userId} and expires_at > ${now} order by id`),
	];
}

/** Those to a company, newest first. */
export async function listAccessesTo(sql: Sql, tenantId: string, limit: number): Promise<OperatorAccess[]> {
	return [
		...(await sql<OperatorAccess[]>`
			select ${columns(sql)} from operator_accesses
			where tenant_id = ${tenantId} order by created_at desc limit ${limit}`),
	];
}
