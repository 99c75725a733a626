/**
 * Webhooks that point to internal addresses, checked when stored and when called. This machine's loopback addresses must never be connected
 * to.
 *
 *   forms        POST and PATCH refuse each and store nothing; written to its row by SQL, its delivery is refused unsent
 *   once saved   webhooks allowed when stored are refused after the operator revokes the permission
 *   rebinding    a name resolves to a public address first and to a private one from the second query on
 *   mixed        a name resolves to a public and to private addresses at once
 *   redirects    a receiver redirects to an internal address: a failure like any other
 *
 * The service queries our name server (`WEBHOOK_RESOLVER`). The public address is in 2d00::/8, which is unassigned: it passes the check and
 * is
 * dialled, but never answers. A name that resolves to the receiver shows that our server is used. At the end the canaries are called, to
 * show that they count.
 */
import { startDnsStub } from "../../../test/support/dns-stub";
import type { HarnessTenant } from "../../../test/support/tenants";
import type { ScenarioContext } from "../run-scenarios";
import { listForms } from "./address-forms";
import { type Canaries, startCanaries } from "./canaries";
import { type Environment, openEnvironment, send } from "./environment";
import { type AttemptFact, readAttempts, receiptsOf, until, untilThrough } from "./outcome";

const FORMS_MIN = 80;
const PER_COMPANY = 20;
const REBINDINGS = 20;
const REDIRECTS = [301, 302, 303, 307, 308];
/** What a name resolves to from the second query on. */
const INSIDE = [
	...[
		"127.0.0.1",
		"127.0.0.2",
		"127.0.0.3",
		"127.0.0.4",
		"127.0.0.5",
		"127.0.0.6",
		"127.0.0.7",
		"127.0.0.8",
		"127.0.0.9",
	],
	...["::1", "::ffff:127.0.0.1", "::ffff:7f00:2", "64:ff9b::7f00:1", "::", "0.0.0.0", "169.254.169.254", "10.0.0.1"],
	...["fe80::1", "fd00:ec2::254", "192.168.1.1"],
];
const MIXED = [
	["127.0.0.2", "2d00::1"],
	["2d00::2", "127.0.0.3"],
	["127.0.0.4", "10.0.0.1", "2d00::3", "::1"],
	["169.254.169.254", "127.0.0.5", "::ffff:127.0.0.6", "2d00::4"],
	["127.0.0.7", "127.0.0.8", "::1", "64:ff9b::7f00:1"],
];
const REFUSALS = ["validation-error", "webhook-url-not-allowed"];

export async function ssrfScenario(context: ScenarioContext) {
	const { violate } = context;
	const canaries = await startCanaries();
	context.atEnd(canaries.stop);
	const names = await startDnsStub(({ name, nth }) => {
		const [kind, n] = name.split(/[-.]/);
		if (kind === "mixed") return MIXED[Number(n)] ?? [];
		if (kind === "rebinding" && nth === 1) return [`2d00::${n}`];
		if (kind === "rebinding") return [INSIDE[Number(n) % INSIDE.length] ?? "127.0.0.1"];
		// The receiver, and anything else that should not be queried.
		return ["127.0.0.1"];
	});
	context.atEnd(names.stop);
	const environment = await openEnvironment(context, {
		settings: { WEBHOOK_MAX_RETRIES: "1", WEBHOOK_RESOLVER: names.server },
		allow: canaries.addresses.map((address) => `${address.includes(":") ? `[${address}]` : address}:${canaries.port}`),
	});
	const saved = await environment.register(
		...canaries.addresses.map((address) => ({ at: toUrl(address, canaries.port) })),
	);
	const { port } = new URL(`http://${environment.receiver.host}`);
	environment.service().kill("SIGTERM");
	await environment.service().ended;
	await environment.start({ WEBHOOK_ALLOW: `${environment.receiver.host},receiver.scenario.example:${port}` }).ready;

	const forms = listForms(canaries.port);
	if (forms.length < FORMS_MIN) violate(`${forms.length} forms, expected ${FORMS_MIN}`);
	const refusals = await saveForms(context, environment, forms);
	const dispatched = await dispatchForms(context, environment, forms, saved);
	const rebound = await rebind(context, environment, canaries, port);
	const redirects = await redirect(context, environment, canaries);

	const hits = canaries.hits();
	if (hits > 0) violate(`${hits} connections at the canaries`);
	await canaries.callAll();
	if (canaries.hits() !== hits + canaries.addresses.length) violate("the canaries do not count their callers");
	const counts = { ...refusals, ...dispatched, ...rebound, ...redirects };
	return { forms: forms.length, ...counts, canaries: canaries.addresses.length, "connections at them": hits };
}

/** Each form, as a new webhook and as the new URL of an existing one. */
async function saveForms({ violate }: ScenarioContext, environment: Environment, forms: readonly string[]) {
	const tenant = await environment.register({ at: "/stays" });
	const headers = await tenant.freshHeaders();
	const webhooks = `${environment.url}/v1/webhooks`;
	const before = JSON.stringify((await send("GET", webhooks, headers)).body);
	let refused = 0;
	for (const url of forms) {
		for (const [method, address] of [
			["POST", webhooks],
			["PATCH", `${webhooks}/${tenant.webhooks[0]?.id}`],
		] as const) {
			const { status, body } = await send(method, address, headers, { url });
			const slug = (body as { type?: string }).type?.split("/").at(-1) ?? "";
			if (status >= 400 && status < 500 && REFUSALS.includes(slug)) refused++;
			else violate(`${method} of ${JSON.stringify(url)} was answered with ${status} ${slug}`);
		}
	}
	if (JSON.stringify((await send("GET", webhooks, headers)).body) !== before)
		violate("something was stored of a refused form");
	return { "refused when saved": refused };
}

/** Each form in its row, and the formerly allowed webhooks: by an event, and by the company's test operation. */
async function dispatchForms(
	context: ScenarioContext,
	environment: Environment,
	forms: readonly string[],
	saved: HarnessTenant,
) {
	const { violate } = context;
	const companies = [saved];
	const urlOf = new Map(saved.webhooks.map(({ id, url }) => [id, url]));
	for (let i = 0; i < forms.length; i += PER_COMPANY) {
		const part = forms.slice(i, i + PER_COMPANY);
		const tenant = await environment.register(...part.map((_, n) => ({ at: `/form-${i + n}` })));
		for (const [n, { id }] of tenant.webhooks.entries()) {
			const url = part[n] ?? "";
			urlOf.set(id, url);
			await environment.sql`update webhook_endpoints set url = ${url} where id = ${id}`;
		}
		companies.push(tenant);
	}
	for (const tenant of companies) await environment.issue(tenant, 1);
	await untilThrough(environment, companies);
	const attempts = Map.groupBy(await readAttempts(environment, companies), ({ webhookId }) => webhookId);
	for (const [id, url] of urlOf) checkBlocked(context, JSON.stringify(url), attempts.get(id) ?? []);
	let tested = 0;
	for (const tenant of companies) {
		const { body } = await send("POST", `${environment.url}/v1/webhooks/test`, await tenant.freshHeaders(), {});
		const { deliveries = [] } = body as { deliveries?: { webhookId: string; error: string | null }[] };
		tested += deliveries.length;
		// The caller does not learn whether the address is blocked, refuses or has no name.
		for (const { webhookId, error } of deliveries)
			if (error !== "unreachable") violate(`the test of ${urlOf.get(webhookId)} ended with ${error}`);
	}
	if (tested !== urlOf.size) violate(`${tested} of ${urlOf.size} webhooks were tested`);
	if (receiptsOf(environment, companies).length > 0) violate("something came although no URL led to the receiver");
	return { "refused when called": attempts.size, "refused when tested": tested };
}

/** Names that resolve differently on the second query, to several addresses, and to the receiver. */
async function rebind(context: ScenarioContext, environment: Environment, canaries: Canaries, receiverPort: string) {
	const at = (name: string) => ({ at: `http://${name}.scenario.example:${canaries.port}/hook` });
	const rebinding = Array.from({ length: REBINDINGS }, (_, n) => at(`rebinding-${n}`));
	const mixed = MIXED.map((_, n) => at(`mixed-${n}`));
	const reached = { at: `http://receiver.scenario.example:${receiverPort}/by-name` };
	const tenant = await environment.register(...rebinding, ...mixed, reached);
	await environment.issue(tenant, 1);
	await untilThrough(environment, [tenant]);
	const isByName = () =>
		receiptsOf(environment, [tenant]).some(({ path, main }) => path === "/by-name" && main === "first");
	await until("the name server's own name is called", isByName);
	const attempts = Map.groupBy(await readAttempts(environment, [tenant]), ({ webhookId }) => webhookId);
	let dialled = 0;
	for (const { id, url } of tenant.webhooks.slice(0, -1)) {
		const made = attempts.get(id) ?? [];
		if (made.some(({ responseStatus, error }) => responseStatus !== null || error === null))
			context.violate(`${url} got an answer: ${JSON.stringify(made)}`);
		if (made[0] && made[0].error !== "blocked-address") dialled++;
		// From the second query on every rebinding name resolves to an internal address.
		if (url.includes("rebinding")) checkBlocked(context, url, made.slice(1));
	}
	return { rebindings: REBINDINGS, "mixed answers": MIXED.length, "of both, public address dialled": dialled };
}

async function redirect(context: ScenarioContext, environment: Environment, { port }: Canaries) {
	const targets = [
		`http://127.0.0.2:${port}/`,
		`//127.0.0.3:${port}/`,
		`http://localhost:${port}/`,
		`http://[::1]:${port}/`,
	];
	const wishes = REDIRECTS.flatMap((status) =>
		targets.map((location, n) => ({ at: `/redirect-${status}-${n}`, status, location })),
	);
	const tenant = await environment.register(...wishes.map(({ at }) => ({ at })));
	for (const { at: path, status, location } of wishes)
		await environment.receiver.order({ path, conduct: { kind: "answer", status, location } });
	await environment.issue(tenant, 1);
	await untilThrough(environment, [tenant]);
	const attempts = Map.groupBy(await readAttempts(environment, [tenant]), ({ webhookId }) => webhookId);
	for (const [i, { id, url }] of tenant.webhooks.entries()) {
		const made = attempts.get(id) ?? [];
		if (made.length < 2 || made.some(({ responseStatus }) => responseStatus !== wishes[i]?.status))
			context.violate(`${url}: ${JSON.stringify(made)}`);
	}
	return { redirects: wishes.length };
}

function checkBlocked({ violate }: ScenarioContext, url: string, attempts: readonly AttemptFact[]): void {
	const isBlocked = attempts.every(
		({ error, responseStatus }) => error === "blocked-address" && responseStatus === null,
	);
	if (!isBlocked || attempts.length === 0) violate(`${url} was not refused when called: ${JSON.stringify(attempts)}`);
}

function toUrl(address: string, port: number): string {
	return `http://${address.includes(":") ? `[${address}]` : address}:${port}/saved`;
}
