import { beforeAll, expect, test } from "bun:test";
import type { Plan } from "../../../src/platform/operation";
import { createTenant, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { takeActiveCompany } from "../support/companies";
import { expectProblem } from "../support/problem";
import { createWebhook, listWebhooks, postWebhook, urlAt } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test.each<[string, Record<string, unknown>, readonly string[]]>([
	["no URL", { url: undefined }, ["/url required"]],
	["a rate of nothing", { rateLimitPerSecond: 0 }, ["/rateLimitPerSecond too-small"]],
	["a rate as text", { rateLimitPerSecond: "20" }, ["/rateLimitPerSecond wrong-type"]],
	["no events at all", { events: [] }, ["/events too-few"]],
	["an event that is never sent", { events: ["invoice.*", "invoice.acepted"] }, ["/events/1 not-in-list"]],
	["a family without a member", { events: ["bill.*"] }, ["/events/0 not-in-list"]],
	["an unknown recovery", { recovery: "never" }, ["/recovery not-in-list"]],
	["an unknown member", { secret: "mine" }, ["/secret unknown-field"]],
])("%s is refused", async (_, over, faults) => {
	await expectProblem(postWebhook(service, tenant, over), 400, "validation-error", faults);
});

test("a fifty-first webhook is refused, also when several are added at once", async () => {
	const own = await createTenant(service, {
		company: { webhookUrls: Array.from({ length: 49 }, (_, n) => urlAt(service, `many/${n}`)) },
	});
	const answers = await Promise.all([1, 2, 3, 4].map(() => postWebhook(service, own)));
	expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
	expect(await listWebhooks(service, own)).toHaveLength(50);
	await expectProblem(postWebhook(service, own), 400, "validation-error", [" too-many-webhooks"]);
});

test.each<[Plan, number]>([
	["demo", 0],
	["free", 2],
	["starter", 5],
])("the plan %s has %i webhooks, with those of the registration", async (plan, maximum) => {
	const wish = (n: number) => ({ webhookUrls: Array.from({ length: n }, (_, i) => urlAt(service, `${plan}/${i}`)) });
	const apiKey = await service.createKey({ plan });
	const { rnc } = await takeActiveCompany();
	const tooMany = await post(service, "/v1/company", { "x-api-key": apiKey }, { rnc, ...wish(maximum + 1) });
	const problem = await expectProblem(tooMany, 400, "validation-error", ["/webhooks too-many-webhooks"]);
	expect(problem.errors).toMatchObject([{ maximum }]);
	const own = await createTenant(service, { apiKey, company: wish(maximum) });
	await expectProblem(postWebhook(service, own), 400, "validation-error", [" too-many-webhooks"]);
});

test("another company's webhooks do not count", async () => {
	expect((await createWebhook(service, tenant)).version).toBe(1);
});
