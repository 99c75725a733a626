/** Keys that cannot be made as they are asked for. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { listKeys, makeKey, postKey, postRotation, withKey } from "../support/api-keys";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const refused: [string, Record<string, unknown>, string[]][] = [
	["no label", { label: undefined }, ["/label required"]],
	["an empty label", { label: "" }, ["/label too-short"]],
	["a line break in the label", { label: "a\nb" }, ["/label illegal-character"]],
	["no scope at all", { scopes: [] }, ["/scopes too-few"]],
	["an unknown scope", { scopes: ["invoices"] }, ["/scopes/0 not-in-list"]],
	["an unknown member", { plan: "enterprise", ownerId: "x" }, ["/plan unknown-field", "/ownerId unknown-field"]],
	["an end without a zone", { expiresAt: "2099-01-01T00:00:00" }, ["/expiresAt invalid-instant"]],
	["a day that there is not", { expiresAt: "2099-02-30T00:00:00Z" }, ["/expiresAt invalid-instant"]],
	["an end that is past", { expiresAt: "2020-01-01T00:00:00Z" }, ["/expiresAt not-to-come"]],
	["what is no e-mail address", { contactEmails: ["dev"] }, ["/contactEmails/0 invalid-email"]],
	[
		"ranges that are none",
		{ ipAllowList: ["10.0.0.0/33", "home", "10.0.0.1", "::ffff:10.0.0.1", "1.2.3", "fe80::1%eth0", "::/129"] },
		[0, 1, 3, 4, 5, 6].map((i) => `/ipAllowList/${i} invalid-address`),
	],
];

test.each(refused)("%s", async (_, over, faults) => {
	await expectProblem(postKey(service, tenant, over), 400, "validation-error", faults);
});

test("what is no JSON, and a key for idempotency that is none", async () => {
	await expectProblem(post(service, "/v1/api-keys", { ...tenant.headers }, "{"), 400, "malformed-json");
	const header = { "idempotency-key": "1" };
	const faults = ["#/headers/idempotency-key invalid-format"];
	await expectProblem(postKey(service, tenant, {}, header), 400, "validation-error", faults);
});

test("an end and addresses beyond those of the key that makes it", async () => {
	const bound = { expiresAt: "2099-01-01T00:00:00.000Z", ipAllowList: ["127.0.0.0/8"] };
	const lender = withKey(tenant, (await makeKey(service, tenant, bound)).key);
	const cases: [Record<string, unknown>, string[]][] = [
		[{ expiresAt: null }, ["/expiresAt beyond-own-end"]],
		[{ expiresAt: "2099-01-01T00:00:01Z" }, ["/expiresAt beyond-own-end"]],
		[{ ipAllowList: [] }, ["/ipAllowList beyond-own-list"]],
		[
			{ ipAllowList: ["127.0.0.1", "0.0.0.0/0", "::1"] },
			["/ipAllowList/1 beyond-own-list", "/ipAllowList/2 beyond-own-list"],
		],
	];
	for (const [over, faults] of cases) {
		await expectProblem(postKey(service, lender, over), 400, "validation-error", faults);
	}
});

test("more than a hundred keys at the same time, however many ask at once", async () => {
	const owner = await createTenant(service);
	const { id } = await makeKey(service, owner);
	await service.sql`
		insert into api_keys (id, owner_id, prefix, digest, label, plan, scopes, environment, created_at)
		select gen_random_uuid(), owner_id, prefix, sha256(n::text::bytea || digest), label, plan, scopes, environment, now()
		from api_keys, generate_series(1, 96) n where id = ${id}`;
	const answers = await Promise.all(Array.from({ length: 6 }, () => postKey(service, owner)));
	expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400, 400, 400]);
	await expectProblem(postKey(service, owner), 400, "validation-error", [" too-many-keys"]);
	await expectProblem(postRotation(service, owner, id), 400, "validation-error", [" too-many-keys"]);
	expect((await listKeys(service, owner, "?limit=100")).count).toBe(100);
});
