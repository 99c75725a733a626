/** Every client library behaves as `data/examples/sdk-scenario.json` says. The form of cases and runners: README.md beside this file. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import scenario from "../../data/examples/sdk-scenario.json";
import { get, sharedService, type Tenant, type TestService } from "../support/service";
import { reportSkip } from "../support/skips";
import { type Fault, type FaultProxy, type SeenRequest, startFaultProxy } from "./fault-proxy";
import { createIssuer, createWorld, type World } from "./world";

type Runner = { readonly needs: string; readonly command: readonly string[] };
const RUNNERS: Readonly<Record<string, Runner>> = {
	typescript: { needs: process.execPath, command: [process.execPath, join(import.meta.dir, "runners/typescript.ts")] },
	"npm package": { needs: "node", command: [process.execPath, join(import.meta.dir, "runners/node-package.ts")] },
	python: { needs: "python3", command: ["python3", join(import.meta.dir, "runners/python.py")] },
	php: { needs: "php", command: ["php", join(import.meta.dir, "runners/php.php")] },
};

type Case = {
	readonly name: string;
	readonly client?: unknown;
	readonly faults?: readonly Fault[];
	readonly call: string;
	readonly args?: readonly unknown[];
	readonly options?: unknown;
	readonly take?: number;
	readonly repeat?: number;
	readonly expect: Expectation;
};
type Expectation = {
	readonly value?: unknown;
	readonly error?: unknown;
	readonly waits?: readonly (readonly [number, number])[];
	readonly requests?: number;
	readonly tokens?: number;
	readonly sameIdempotencyKey?: true;
	readonly idempotencyKeys?: readonly (string | null)[];
	readonly sent?: unknown;
	readonly documents?: number;
};
type Result = {
	readonly value?: unknown;
	readonly error?: Readonly<Record<string, unknown>>;
	readonly waits: readonly number[];
};
type Prepared = {
	readonly case: Case;
	readonly job: unknown;
	readonly expected: Expectation;
	readonly tenant: Tenant;
	readonly seen: readonly SeenRequest[];
};

const CASES = scenario.cases as unknown as readonly Case[];
const DEFAULT_CLIENT = { apiKey: "$apiKey", clientId: "$clientId", clientSecret: "$clientSecret" };
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let service: TestService;
let proxy: FaultProxy;

beforeAll(async () => {
	service = await sharedService();
	proxy = await startFaultProxy(service.url);
});
afterAll(() => proxy.stop());

const missing = Object.values(RUNNERS).filter(({ needs }) => Bun.which(needs) === null);
for (const { needs } of missing) reportSkip(`the scenario of the client libraries needs ${needs}`);

for (const [language, runner] of Object.entries(RUNNERS)) {
	test.skipIf(missing.includes(runner))(
		`the ${language} library behaves as the scenario says`,
		async () => {
			const prepared: Prepared[] = [];
			// Of its own, since cases change it.
			const world = await createWorld(service);
			for (const one of CASES) prepared.push(await prepare(one, world));
			const results = await run(
				runner.command,
				prepared.map(({ job }) => job),
			);
			const wrong: string[] = [];
			for (const [i, one] of prepared.entries()) {
				const result = results[i];
				if (!result) throw new Error(`${language} gave ${results.length} results for ${prepared.length} jobs`);
				wrong.push(...(await judge(one, result)).map((sentence) => `${one.case.name}: ${sentence}`));
			}
			expect(wrong).toEqual([]);
		},
		60_000,
	);
}

test("the scenario has at least forty cases with names of their own", () => {
	expect(CASES.length).toBeGreaterThanOrEqual(40);
	expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
});

/** Gives a case its company, its faults and the values of its names. */
async function prepare(one: Case, world: World): Promise<Prepared> {
	const tenant = one.expect.documents === undefined ? world.tenant : await createIssuer(service);
	const values = world.valuesOf(tenant);
	const { baseUrl, seen } = proxy.open(one.faults ?? []);
	const { name, call, args = [], options = {}, take, repeat } = one;
	const client = { baseUrl, ...(one.client ?? DEFAULT_CLIENT) };
	const job = fill({ name, client, call, args, options, take, repeat }, values);
	return { case: one, job, expected: fill(one.expect, values) as Expectation, tenant, seen };
}

/** The value with `$names` replaced. */
function fill(value: unknown, values: Readonly<Record<string, unknown>>): unknown {
	if (typeof value === "string" && value.startsWith("$")) {
		const found = values[value.slice(1)];
		if (found === undefined) throw new Error(`the scenario names ${value}, which world.ts does not have`);
		return found;
	}
	if (Array.isArray(value)) return value.map((one) => fill(one, values));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner, values)]));
}

async function run(command: readonly string[], jobs: readonly unknown[]): Promise<Result[]> {
	const child = Bun.spawn([...command], {
		stdin: new Blob([JSON.stringify({ jobs })]),
		stdout: "pipe",
		stderr: "inherit",
		env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
	});
	const text = await new Response(child.stdout).text();
	if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} ended with ${child.exitCode}`);
	return JSON.parse(text);
}

/** One sentence for each expectation that does not hold. */
async function judge({ expected, tenant, seen }: Prepared, result: Result): Promise<string[]> {
	const requests = seen.filter(({ isToken }) => !isToken);
	const keys = requests.map(({ headers }) => headers["idempotency-key"] ?? null);
	const { value, error, waits, sent, documents, idempotencyKeys } = expected;
	const wrong: (string | undefined)[] = [
		error === undefined && result.error ? `threw ${JSON.stringify(result.error)}` : undefined,
		"value" in expected && !result.error ? differ("value", value, result.value) : undefined,
		error === undefined ? undefined : differ("error", error, result.error ?? result.value),
		sent === undefined ? undefined : differ("sent", sent, requests.at(-1)),
		differ("requests", expected.requests, requests.length),
		differ("tokens", expected.tokens, seen.length - requests.length),
		idempotencyKeys === undefined ? undefined : differ("idempotencyKeys", idempotencyKeys, keys),
	];
	if (
		waits &&
		(waits.length !== result.waits.length || waits.some(([least, most], i) => !within(result.waits[i], least, most)))
	) {
		wrong.push(`waits are ${JSON.stringify(result.waits)}, not ${JSON.stringify(waits)}`);
	}
	if (expected.sameIdempotencyKey) {
		const all = [...keys, ...(result.error?.idempotencyKey === undefined ? [] : [result.error.idempotencyKey])];
		const isSame = all.every((key) => key === keys[0]) && UUID_V4.test(keys[0] ?? "");
		if (!isSame) wrong.push(`idempotency keys are ${JSON.stringify(all)}`);
	}
	if (documents !== undefined) {
		const answer = await get(service, "/v1/invoices?limit=100", tenant.headers);
		wrong.push(differ("documents", documents, ((await answer.json()) as { items: unknown[] }).items.length));
	}
	return wrong.filter((sentence) => sentence !== undefined);
}

const within = (wait: number | undefined, least: number, most: number) =>
	wait !== undefined && wait >= least && wait <= most;

/** A sentence when `found` does not have what is expected of it. */
function differ(path: string, expected: unknown, found: unknown): string | undefined {
	if (expected === undefined) return undefined;
	const sentence = `${path} is ${JSON.stringify(found)?.slice(0, 400)}, not ${JSON.stringify(expected)}`;
	if (expected === "*") return found === undefined || found === null ? sentence : undefined;
	if (typeof expected === "string" && expected.startsWith("~")) {
		return typeof found === "string" && found.includes(expected.slice(1)) ? undefined : sentence;
	}
	if (typeof expected !== "object" || expected === null) return Object.is(expected, found) ? undefined : sentence;
	if (typeof found !== "object" || found === null) return sentence;
	if (Array.isArray(expected) && (!Array.isArray(found) || found.length !== expected.length)) return sentence;
	for (const [name, inner] of Object.entries(expected)) {
		const difference = differ(`${path}.${name}`, inner, (found as Readonly<Record<string, unknown>>)[name]);
		if (difference) return difference;
	}
	return undefined;
}
