/** SQL for approval rules and purchase orders. */
import type { Sql, Tx } from "../../platform/database";

export type RuleRow = { readonly isEnabled: boolean; readonly tolerance: string; readonly updatedAt: Date };

export type OrderRow = {
	readonly number: string;
	readonly issuerRnc: string;
	readonly amount: string | null;
	readonly isReusable: boolean;
	readonly status: "open" | "used" | "closed";
	readonly approvalId: string | null;
	readonly createdAt: Date;
	readonly updatedAt: Date;
};

export async function findRule(sql: Sql | Tx, tenantId: string): Promise<RuleRow | undefined> {
	const [row] = await sql<RuleRow[]>`
		select is_enabled as "isEnabled", tolerance::text as tolerance, updated_at as "updatedAt" from approval_rules
		where tenant_id = ${tenantId}`;
	return row;
}

export async function saveRule(tx: Tx, tenantId: string, rule: Omit<RuleRow, "updatedAt">): Promise<void> {
	const { isEnabled, tolerance } = rule;
	await tx`
		insert into approval_rules (tenant_id, is_enabled, tolerance) values (${tenantId}, ${isEnabled}, ${tolerance})
		on conflict (tenant_id) do update set is_enabled = excluded.is_enabled, tolerance = excluded.tolerance, updated_at = now()`;
}

const columns = (sql: Sql | Tx) => sql`
	o.number, o.issuer_rnc as "issuerRnc", o.amount::text as amount, o.is_reusable as "isReusable", o.status,
	o.approval_id as "approvalId", o.created_at as "createdAt", o.updated_at as "updatedAt"`;

export async function findOrder(sql: Sql | Tx, tenantId: string, number: string): Promise<OrderRow | undefined> {
	const [row] = await sql<OrderRow[]>`
		select ${columns(sql)} from purchase_orders o where o.tenant_id = ${tenantId} and o.number = ${number}`;
	return row;
}

/** An order, locked until the transaction ends. */
export async function lockOrder(tx: Tx, tenantId: string, number: string): Promise<OrderRow | undefined> {
	const [row] = await tx<OrderRow[]>`
		select ${columns(tx)} from purchase_orders o where o.tenant_id = ${tenantId} and o.number = ${number} for update`;
	return row;
}

/** An open order, locked until the transaction ends. */
export async function lockOpenOrder(tx: Tx, tenantId: string, number: string): Promise<OrderRow | undefined> {
	const [row] = await tx<OrderRow[]>`
		select ${columns(tx)} from purchase_orders o
		where o.tenant_id = ${tenantId} and o.number = ${number} and o.status = 'open' for update`;
	return row;
}

export async function useOrder(tx: Tx, tenantId: string, number: string, approvalId: string): Promise<void> {
	await tx`
		update purchase_orders set approval_id = ${approvalId}, updated_at = now(),
			status = case when is_reusable then status else 'used' end
		where tenant_id = ${tenantId} and number = ${number}`;
}

/** Returns whether it is new. */
export async function saveOrder(
	tx: Tx,
	tenantId: string,
	o: Pick<OrderRow, "number" | "issuerRnc" | "amount" | "isReusable"> & { readonly status: "open" | "closed" | null },
): Promise<boolean> {
	const [row] = await tx<{ isNew: boolean }[]>`
		insert into purchase_orders as o (tenant_id, number, issuer_rnc, amount, is_reusable, status)
		values (${tenantId}, ${o.number}, ${o.issuerRnc}, ${o.amount}, ${o.isReusable}, coalesce(${o.status}, 'open'))
		on conflict (tenant_id, number) do update set
			issuer_rnc = excluded.issuer_rnc, amount = excluded.amount, is_reusable = excluded.is_reusable,
			status = coalesce(${o.status}, o.status), updated_at = now()
		returning xmax = 0 as "isNew"`;
	return row?.isNew ?? false;
}

/** By number. One more than `limit` shows that there are more. */
export async function findOrders(
	sql: Sql,
	tenantId: string,
	f: { readonly status: string | undefined; readonly after: string | undefined },
	limit: number,
): Promise<OrderRow[]> {
	return sql<OrderRow[]>`
		select ${columns(sql)} from purchase_orders o
		where o.tenant_id = ${tenantId}
			${f.status === undefined ? sql`` : sql`and o.status = ${f.status}`}
			${f.after === undefined ? sql`` : sql`and o.number > ${f.after}`}
		order by o.number limit ${limit + 1}`;
}
