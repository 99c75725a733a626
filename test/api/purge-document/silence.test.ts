/**
 * Nothing can be learned about an erased entry. Two services differ in one thing: the source of one held the entry,
 * which was then erased, and that of the other never did. Both must answer every request alike.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { entries, entry, temporaryFolder, toText } from "../../registry/build";
import { type RegistryService, startRegistryService } from "../../support/registry-service";
import { until } from "../../support/until";

const ERASED = "990000777";
/** Words that no other entry has, in each field, so that an index that still held them would reveal them. */
const erased = entry({
	rnc: ERASED,
	name: "QUERELLANTE ZUTANO SRL",
	trade_name: "CHICHARRONERIA",
	economic_activity: "ACARREO DE TRASTOS",
});
const others = [
	...entries(150),
	entry({ rnc: "990000776", name: "ALMACENES PERENGANO SRL" }),
	entry({ rnc: "990000778", name: "FERRETERIA PERENGANO SRL" }),
];
const folder = temporaryFolder();
let held: RegistryService;
let never: RegistryService;
let keys: Map<RegistryService, Readonly<Record<string, string>>>;
/** The answer before the erasure. */
let known: Response;

beforeAll(async () => {
	// One key for both, because cursors are sealed under it.
	const settings = { KEK_FILE: folder.write("kek", Buffer.from(Buffer.alloc(32, 7).toString("base64"))) };
	held = await startRegistryService(folder.write("held.txt", toText([...others, erased])), settings);
	never = await startRegistryService(folder.write("never.txt", toText(others)), settings);
	keys = new Map([
		[held, await held.createOfficer()],
		[never, await never.createOfficer()],
	]);
	for (const service of [held, never]) {
		const made = (await (await ask(service, "POST", "/v1/authority/reconcile-links", { body: {} })).json()) as Link;
		links.set(service, made.url.slice(service.url.length));
	}
	// Results from before must not be remembered, above all the words of a misspelt search.
	known = await ask(held, "GET", `/v1/authority/document/${ERASED}`);
	for (const path of searches) expect((await ask(held, "GET", path)).status).toBe(200);
}, 120_000);
afterAll(async () => {
	await held?.stop();
	await never?.stop();
	folder.remove();
}, 120_000);

type Link = { readonly url: string };
/** The path of a link for reconciliation, which the requests below call `LINK`. */
const links = new Map<RegistryService, string>();

type Options = { body?: unknown; headers?: Readonly<Record<string, string>> };

function ask(service: RegistryService, method: string, path: string, { body, headers }: Options = {}) {
	return fetch(`${service.url}${path.replace("LINK", links.get(service) ?? "")}`, {
		method,
		headers: { ...keys.get(service), "content-type": "application/json", "x-request-id": "request-1", ...headers },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
}

const search = (field: string, q: string, more = "") =>
	`/v1/authority/document:search?field=${field}&q=${encodeURIComponent(q)}${more}`;
const textFields = ["name", "trade_name", "economic_activity"];
const searches = [
	...["990", "99000077", ERASED].map((q) => search("document", q, "&limit=100")),
	...textFields.flatMap((field) =>
		["querellante", "zutano", "chicharroneria", "acarreo", "trastos", "srl", "perengano", "comercial numero 1"].flatMap(
			(q) => [search(field, q), search(field, q, "&mode=smart"), search(field, q, "&type=rnc&status=ACTIVO&limit=1")],
		),
	),
	// Misspelt: only remaining words may be suggested.
	...["kerellante", "sutano", "zutamo", "chicharoneria", "acareo", "trasto", "perengamo"].flatMap((q) =>
		textFields.flatMap((field) => [search(field, q), search(field, q, "&mode=smart")]),
	),
	...["99000077", "zutano", "ac", "sutano", "chicharon eria", "comercialnumero"].map(
		(q) => `/v1/authority/document:suggest?q=${encodeURIComponent(q)}`,
	),
];
const body = {
	...{ legal_basis: "arco-cancellation", request_reference: "ARCO-1" },
	...{ requested_by: "dpo@example.do", reason: "Data subject request" },
};
const names = ["Querellante Zutano", "QUERELLANTE ZUTANO SRL", "Chicharroneria", "Ferreteria Perengano"];

const toJson = (value: unknown) => encodeURIComponent(JSON.stringify(value));
const requests: [string, string, string, Options?][] = [
	["look-up", "GET", `/v1/authority/document/${ERASED}`],
	["look-up with hyphens", "GET", `/v1/authority/document/9-90-00077-7`],
	["HEAD", "HEAD", `/v1/authority/document/${ERASED}`],
	...searches.map((path): [string, string, string] => [path.replace(/^.*\?/, "search "), "GET", path]),
	["batch", "POST", "/v1/authority/document:batch", { body: { documents: [ERASED, "990000001", "999999999", "12"] } }],
	["match", "POST", "/v1/authority/document:match", { body: { names } }],
	["match, whatever the score", "POST", "/v1/authority/document:match", { body: { names, min_score: 0 } }],
	["changes", "GET", "/v1/authority/registry/changes"],
	["reconciled names", "GET", `LINK?queries=${toJson({ ...[...names, ERASED].map((query) => ({ query })) })}`],
	["columns", "GET", `LINK?extend=${toJson({ ids: [ERASED], properties: [{ id: "name" }] })}`],
	["suggested entities", "GET", "LINK/suggest/entity?prefix=zutano"],
	["preview", "GET", `LINK/preview?id=${ERASED}`],
];

/** Everything that a caller sees, except for what identifies the service, its runs, feed positions and the time. */
async function fingerprint(service: RegistryService, answer: Response): Promise<unknown> {
	const runId = (await ask(service, "GET", "/v1/authority/registry/status").then((one) => one.json())) as {
		run_id: string;
	};
	const neutral = (text: string) =>
		text
			.replaceAll(runId.run_id, "<run>")
			.replaceAll(service.url, "<service>")
			// Sealed with random values of each run.
			.replace(/"next":"[A-Za-z0-9_-]{70}"/, '"next":"<cursor>"');
	const text = await answer.text();
	// The ETag and the compressed length of a page that names its run depend on that too.
	const differs = text.includes('"run_id"') ? ["date", "etag", "content-length"] : ["date"];
	const headers = [...answer.headers]
		.filter(([name]) => !differs.includes(name))
		.map(([name, value]) => [name, neutral(value)]);
	return { status: answer.status, headers: headers.sort(), body: neutral(text) };
}

async function expectAlike(): Promise<void> {
	for (const [name, method, path, options] of requests) {
		const [ours, theirs] = await Promise.all(
			[held, never].map(async (service) => fingerprint(service, await ask(service, method, path, options))),
		);
		expect({ name, answer: ours }).toEqual({ name, answer: theirs });
	}
}

describe("an erased entry cannot be distinguished from one that never existed", () => {
	test("while the entry exists, the two services differ", async () => {
		expect(known.status).toBe(200);
		const path = search("name", "querellante");
		const [ours, theirs] = await Promise.all([held, never].map(async (one) => (await ask(one, "GET", path)).text()));
		expect(ours).not.toBe(theirs);
	});

	test("at once and after clearing, in look-up, search, batch, match and changes", async () => {
		const answer = await ask(held, "POST", `/v1/authority/document/${ERASED}:purge`, { body });
		expect(answer.status).toBe(200);
		const { _links } = (await answer.json()) as { _links: { self: string } };
		await expectAlike();
		await until(async () => {
			const record = (await (await ask(held, "GET", _links.self)).json()) as { effects: { snapshots: string } };
			return record.effects.snapshots === "cleared";
		});
		await expectAlike();
	}, 120_000);

	test("by conditional requests for what was known before", async () => {
		const headers = { "if-none-match": known.headers.get("etag") ?? "" };
		const path = `/v1/authority/document/${ERASED}`;
		const answer = await ask(held, "GET", path, { headers });
		expect(answer.status).toBe(404);
		expect(await fingerprint(held, answer)).toEqual(
			await fingerprint(never, await ask(never, "GET", path, { headers })),
		);
	});

	test("by erasing it again, before or after", async () => {
		const masked = async (service: RegistryService) => {
			const answer = await ask(service, "POST", `/v1/authority/document/${ERASED}:purge`, { body });
			const headers = [...answer.headers].filter(([name]) => name !== "date").sort();
			return { status: answer.status, headers, members: Object.keys((await answer.json()) as object) };
		};
		expect(await masked(held)).toEqual(await masked(never));
		await expectAlike();
	});
});

describe("caches cannot store", () => {
	test.each<[number, string, Options]>([
		[404, `/v1/authority/document/${ERASED}`, {}],
		[400, "/v1/authority/document/123", {}],
		[400, "/v1/authority/document:search?q=a&field=name", {}],
		[401, `/v1/authority/document/990000001`, { headers: { "x-api-key": "ak_test_0000000000000000000000_000000" } }],
		[401, "/v1/authority/document:search?q=abc&field=name", { headers: { "x-api-key": "" } }],
		[404, "/v1/authority/documentsearch", {}],
	])("a %i of %s", async (status, path, options) => {
		const answer = await ask(held, "GET", path, options);
		expect([answer.status, answer.headers.get("cache-control")]).toEqual([status, "no-store"]);
	});
});
