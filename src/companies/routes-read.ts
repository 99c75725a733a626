/** The operations that read companies: all of an owner, and one. */
import { Type } from "@sinclair/typebox";
import { NEEDS_BOTH, type Operation, pageParameters, pageSchema } from "../platform/operation";
import { ETAG, idParameter, TAG } from "./parameters";
import { getCompany, listCompanies, type ReadDeps } from "./read-companies";
import { CompanyRecord } from "./record";

export function readOperations(deps: ReadDeps): Operation[] {
	return [
		{
			id: "listCompanies",
			method: "GET",
			path: "/v1/company",
			tag: TAG,
			summary: "List the companies of the API key's owner",
			credentials: NEEDS_BOTH,
			scope: "company:read",
			parameters: pageParameters(),
			answers: {
				200: {
					description: "A page of companies.",
					schema: pageSchema(CompanyRecord),
				},
			},
			problems: ["validation-error"],
			handle: (call) => listCompanies(deps, call),
		},
		{
			id: "getCompany",
			method: "GET",
			path: "/v1/company/{id}",
			tag: TAG,
			summary: "Read a company",
			credentials: NEEDS_BOTH,
			scope: "company:read",
			parameters: [
				idParameter,
				{
					name: "If-None-Match",
					in: "header",
					required: false,
					description: "The version that is known, as `ETag` told it. What the clock alone changes is no new version.",
					schema: Type.String(),
				},
			],
			answers: {
				200: { description: "The company.", schema: CompanyRecord, headers: ETAG },
				304: { description: "It has not changed since that version.", headers: ETAG },
			},
			problems: ["validation-error", "not-found"],
			handle: (call) => getCompany(deps, call),
		},
	];
}
