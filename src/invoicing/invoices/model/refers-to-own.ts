/** Whether a note modifies a document of its own issuer, in SQL: the same as `findOtherIssuer` says of a request. */
import type { Sql, Tx } from "../../../platform/database";

/** `request` is a stored one, as JSON. True or not true; null is not true. */
export function refersToOwn(sql: Sql | Tx, request: ReturnType<Sql>): ReturnType<Sql> {
	const named = sql`${request} #>> '{reference,customer_rnc}'`;
	const digits = (path: string) => sql`regexp_replace(${request} #>> ${path}::text[], '\\D', '', 'g')`;
	return sql`(${named} is null or ${named} in (${digits("{company,rnc}")}, ${digits("{customer,rnc}")}))`;
}
