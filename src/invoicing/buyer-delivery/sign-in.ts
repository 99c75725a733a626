/** Whose certificate signs in at another taxpayer's receiver for a document. */
import { type Signatory, toWho, type Who } from "../../authority/client";
import { findIdentityBehind } from "../../companies";
import type { Sql } from "../../platform/database";

/**
 * The document's own: a receiver may want a token of whoever signed what comes under it, as ours does, and the company may sign with another
 * person's certificate by now. What signs now where that one has ended, or its key was destroyed.
 */
export async function asSignerOf(
	sql: Sql,
	xml: Uint8Array,
	sender: Who<Signatory>,
	now: Date,
): Promise<Who<Signatory>> {
	const { identity, profile } = sender.identity;
	const own = await findIdentityBehind(sql, identity, xml, now);
	return own ? toWho(sender.segment, own, profile) : sender;
}
