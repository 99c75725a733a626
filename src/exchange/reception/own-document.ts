/** What the operations on one received document share: the path's id, and the document of the caller's own tenant. */
import { Type } from "@sinclair/typebox";
import { retryOnFailure, type Sql } from "../../platform/database";
import { type Call, idFrom, type Parameter, tenantOf } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import type { ReceivedDocument } from "./received-document";
import { findReceivedDocument } from "./store";

export const TAG = "Received documents";
/** Answers about documents belong to one caller and change with what the authority says. */

export const idParameter: Parameter = {
	name: "id",
	in: "path",
	required: true,
	description: "The received document's id.",
	schema: Type.String(),
	example: "0192f140-7a00-7b11-9c22-334455667788",
};

export const conditionalParameter: Parameter = {
	name: "If-None-Match",
	in: "header",
	required: false,
	description: "ETag of an answer that you have: 304 without a body while nothing has changed.",
	schema: Type.String(),
};

/** Throws: not-found, the same for a foreign id, an absent one and one that is no id at all. */
export async function findOwnDocument(sql: Sql, call: Call): Promise<ReceivedDocument> {
	const [tenantId, id] = [tenantOf(call), idFrom(call)];
	const document = await retryOnFailure(() => findReceivedDocument(sql, tenantId, id));
	if (!document) throw new Problem("not-found");
	return document;
}
