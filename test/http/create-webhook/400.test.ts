import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
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
	["a member nobody knows", { secret: "mine" }, ["/secret unknown-field"]],
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

test("another company's webhooks do not count", async () => {
	expect((await createWebhook(service, tenant)).version).toBe(1);
});
