/** The record of an erasure over HTTP, and the receipt that proves it to others. */
import { beforeAll, expect, test } from "bun:test";
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet } from "jose";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { takeActiveCompany } from "../support/companies";
import { expectUnauthorised } from "../support/problem";
import { createOfficer, purgeAs } from "../support/purges";

let service: TestService;
let officer: Tenant;
beforeAll(async () => {
	service = await sharedService();
	officer = await createOfficer(service);
});

const purge = (document: string) => purgeAs(service, officer, document);
const key = () => ({ "x-api-key": officer.apiKey });

test("the record is the answer without number and receipt, with what was retained", async () => {
	const { rnc } = await takeActiveCompany();
	const { document: _, receipt: __, ...rest } = await purge(rnc);
	const answer = await get(service, rest._links.self, key());
	expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
	const record = (await answer.json()) as Record<string, unknown>;
	expect(record).toEqual({
		...rest,
		effects: { ...(rest.effects as object), snapshots: expect.stringMatching(/^(next-run|cleared)$/) },
		retained: {
			issued_invoices: expect.stringMatching(/not touched.*tax law.*10 years/),
		},
	} as never);
});

test("the record shows when the machine's files are cleared", async () => {
	const { rnc } = await takeActiveCompany();
	const { _links, effects } = await purge(rnc);
	expect(effects).toMatchObject({ snapshots: "next-run" });
	await until(async () => {
		const record = (await (await get(service, _links.self, key())).json()) as { effects: { snapshots: string } };
		return record.effects.snapshots === "cleared";
	});
});

test("the receipt verifies with the published keys and matches the answer", async () => {
	const { rnc } = await takeActiveCompany();
	const { receipt, effects: _, _links: __, ...rest } = await purge(rnc);
	const published = (await (await get(service, "/.well-known/jwks.json")).json()) as JSONWebKeySet;
	const ofRegistry = (await (await get(service, "/.well-known/registry-keys.json")).json()) as JSONWebKeySet;
	await compactVerify(receipt, createLocalJWKSet(ofRegistry));
	const { payload, protectedHeader } = await compactVerify(receipt, createLocalJWKSet(published));
	expect(protectedHeader).toEqual({
		alg: "EdDSA",
		kid: decodeProtectedHeader(receipt).kid ?? "",
		typ: "receipt+jws",
	});
	const claims = new TextDecoder().decode(payload);
	expect(JSON.parse(claims)).toEqual(rest);
	expect(claims).not.toContain(rnc);
	const [head, , signature] = receipt.split(".");
	const forged = Buffer.from(JSON.stringify({ ...rest, purge_id: "another" })).toString("base64url");
	await expect(compactVerify(`${head}.${forged}.${signature}`, createLocalJWKSet(published))).rejects.toThrow(
		"signature verification failed",
	);
	// It proves an erasure and grants no access.
	await expectUnauthorised(get(service, "/v1/invoices", { ...key(), authorization: `Bearer ${receipt}` }));
});
