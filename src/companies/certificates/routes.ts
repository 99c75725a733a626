/** The operations on a company's signing certificates: upload, list, activate, remove. */
import { Type } from "@sinclair/typebox";
import { actorOf } from "../../identity/audit-log";
import { answerOnce, idempotencyKeyParameter } from "../../platform/idempotency";
import {
	type Call,
	companyParameter,
	cutPage,
	idFrom,
	JSON_BYTES_MAX,
	json,
	NEEDS_BOTH,
	type Operation,
	PRIVATE_NO_STORE,
	pageParameters,
	pageSchema,
	pathParameter,
	readPageQuery,
} from "../../platform/operation";
import { activateCertificate, addCertificate, type CertificateContext, removeCertificate } from "./change";
import { CertificateForm, CertificateUpload, readUpload } from "./read-upload";
import { CertificateRecord, toCertificateRecords } from "./record";
import { listCertificates } from "./store";

const TAG = "Companies";

const companyId = companyParameter("id");
const certificateId = pathParameter("cid", "The certificate's id.", "0192f0e0-7a00-7b11-9c22-334455667788");

const UploadedCertificate = Type.Composite([
	CertificateRecord,
	Type.Object({
		probe: Type.Object({ signed: Type.Boolean(), verified: Type.Boolean() }),
		warnings: Type.Array(Type.Object({ code: Type.String(), pointer: Type.String(), detail: Type.String() })),
	}),
]);

/** Finds the caller's company, to be read or changed. Throws: not-found, forbidden. */
export type FindTenant = (call: Call, purpose: "read" | "change") => Promise<string>;

export function certificateOperations(deps: CertificateContext, findTenant: FindTenant): Operation[] {
	return [
		{
			id: "putCertificate",
			sdk: "certificates.upload",
			method: "PUT",
			path: "/v1/company/{id}/certificate",
			tag: TAG,
			summary: "Upload a signing certificate",
			description:
				"A PKCS#12 container with one RSA key of at least 2048 bits and its certificate, which belongs to a person (`CA:FALSE`). It " +
				"is opened, checked and signs a probe before its key is sealed and stored. With `activateAt` it waits while the present one " +
				"continues; two may overlap. Production and staging refuse one that leads to none of the operator's authorities, has no SERIALNUMBER " +
				"or is for TLS servers; the sandboxes warn. Neither container nor password is kept, and no answer contains the key.",
			credentials: NEEDS_BOTH,
			confirms: true,
			scope: "company:write",
			parameters: [companyId],
			body: {
				schema: CertificateUpload,
				limitBytes: JSON_BYTES_MAX,
				required: true,
				mediaTypes: ["application/json", "multipart/form-data"],
				example: {
					pkcs12: "MIIKWQIBAzCC…",
					password: "the container's password",
					activateAt: "2026-12-01T00:00:00-04:00",
				},
				otherForms: {
					"multipart/form-data": {
						schema: CertificateForm,
						example: { file: "(the file)", password: "the container's password" },
					},
				},
			},
			answers: { 201: { description: "The certificate, active or scheduled.", schema: UploadedCertificate } },
			problems: [
				...(["malformed-json", "validation-error", "forbidden", "not-found"] as const),
				...(["certificate-invalid", "certificate-untrusted", "service-unavailable"] as const),
			],
			handle: async (call) => {
				const tenantId = await findTenant(call, "change");
				const { record, warnings } = await addCertificate(deps, tenantId, await readUpload(call), actorOf(call));
				return json(201, { ...record, probe: { signed: true, verified: true }, warnings }, PRIVATE_NO_STORE);
			},
		},
		{
			id: "listCertificates",
			sdk: "certificates.list",
			method: "GET",
			path: "/v1/company/{id}/certificates",
			tag: TAG,
			summary: "List a company's certificates",
			description: "Certificates with validity and status. Containers and passwords are never returned.",
			credentials: NEEDS_BOTH,
			scope: "company:read",
			parameters: [companyId, ...pageParameters()],
			answers: {
				200: {
					description: "One page of certificates, newest first, including those without a key.",
					schema: pageSchema(CertificateRecord),
				},
			},
			problems: ["validation-error", "not-found"],
			handle: async (call) => {
				const { limit, query } = readPageQuery(call);
				const rows = await listCertificates(deps.sql, await findTenant(call, "read"));
				const records = toCertificateRecords(rows, deps.clock.now());
				const { after } = query;
				const behind = records.filter(({ id }) => after === undefined || id < after);
				const { page, place } = cutPage(behind, limit, ({ id }) => id);
				return json(200, { items: page, ...place }, PRIVATE_NO_STORE);
			},
		},
		{
			id: "activateCertificate",
			sdk: "certificates.activate",
			method: "POST",
			path: "/v1/company/{id}/certificates/{cid}/activate",
			tag: TAG,
			summary: "Sign with this certificate from now on",
			description:
				"For a roll-back, or to activate a scheduled certificate early. The previous one becomes `retired`. An expired certificate is " +
				"refused, even if it is the active one.",
			credentials: NEEDS_BOTH,
			confirms: true,
			scope: "company:write",
			parameters: [companyId, certificateId, idempotencyKeyParameter()],
			answers: {
				200: {
					description: "The certificate that signs now. A repeat of an idempotency key gets the first answer.",
					schema: CertificateRecord,
				},
			},
			problems: ["validation-error", "forbidden", "not-found", "certificate-invalid", "idempotency-in-progress"],
			handle: async (call) => {
				const tenantId = await findTenant(call, "change");
				const id = idFrom(call, "cid");
				return answerOnce(
					deps.sql,
					call,
					async (tx) => {
						const doer = { actor: actorOf(call), at: deps.clock.now() };
						const record = await activateCertificate(tx, tenantId, id, doer);
						return { status: 200, body: record, headers: PRIVATE_NO_STORE };
					},
					{ scopeId: tenantId },
				);
			},
		},
		{
			id: "removeCertificate",
			sdk: "certificates.delete",
			method: "DELETE",
			path: "/v1/company/{id}/certificates/{cid}",
			tag: TAG,
			summary: "Destroy a certificate's key",
			description:
				"Irreversible. The certificate stays listed, since documents were signed with it. Without an active certificate new invoices " +
				"are refused with `tenant-config-missing`.",
			credentials: NEEDS_BOTH,
			confirms: true,
			scope: "company:write",
			parameters: [companyId, certificateId],
			answers: { 200: { description: "The certificate without its key.", schema: CertificateRecord } },
			problems: ["forbidden", "not-found"],
			handle: async (call) => {
				const tenantId = await findTenant(call, "change");
				return json(200, await removeCertificate(deps, tenantId, idFrom(call, "cid"), actorOf(call)), PRIVATE_NO_STORE);
			},
		},
	];
}
