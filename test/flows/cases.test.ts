/** The cases of `data/examples/cases.json`: a request each, and the exact answer, e-CF and verdict. They depend on each other in their order. */
import { beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import cases from "../../data/examples/cases.json";
import { toLocalIsoDate } from "../../src/platform/values";
import { findJudge } from "../support/judges";
import {
	createTenant,
	get,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
	untilDecided,
} from "../support/service";

type Json = Record<string, unknown>;
type Expected = {
	readonly status: number;
	readonly warnings?: readonly string[];
	/** IndicadorFacturacion of the items, in order. */
	readonly indicators?: readonly number[];
	/** First text of an element. */
	readonly xml?: Readonly<Record<string, string>>;
	readonly absent?: readonly string[];
	readonly items?: number;
	readonly arithmetic?: string;
	/** Name of a parameter that the QR address lacks. */
	readonly qrWithout?: string;
	readonly channel?: string;
	/** The warning about the buyer's name carries the registry's. */
	readonly registryName?: boolean;
	readonly authority?: { readonly code: string; readonly status: string; readonly sequenceConsumed: boolean };
	/** Of a refusal. */
	readonly slug?: string;
	readonly code?: string;
	readonly pointer?: string;
	readonly authorityCode?: string;
	readonly expected?: unknown;
};
type Variant = {
	/** `strict` sends `Prefer: handling=strict`; `production` is a company that refuses known rejections, as in production. */
	readonly mode?: "strict" | "production";
	/** Members that replace those of the case; null removes one. */
	readonly request?: Json;
	readonly repeatFirstLine?: number;
	readonly expect: Expected;
};
type Case = Variant & {
	readonly id: string;
	readonly title: string;
	readonly settings?: Json;
	/** Documents that the authority accepts before. */
	readonly before?: readonly Json[];
	readonly request: Json;
	readonly variants?: readonly Variant[];
};
type Warning = { readonly code: string; readonly registryName?: string };
type Refusal = { readonly slug?: string; readonly type: string; readonly errors?: readonly Json[] };

const TIMEOUT_MS = 60_000;
const HANDLING = { strict: { prefer: "handling=strict" }, production: {} } as const;
/** What the authority's schema rejects and the authority accepts or never sees. */
const BEYOND_SCHEMA = ["C18", "C23"];

let service: TestService;
let tenants: { readonly sandbox: Tenant; readonly production: Tenant; readonly strict: Tenant };
const folder = mkdtempSync(join(tmpdir(), "sello-cases-"));
const validate = findJudge("validate-ecf");
const verify = findJudge("verify-signature");

beforeAll(async () => {
	service = await sharedService();
	const [sandbox, production, strict] = await Promise.all([
		createTenant(service),
		createTenant(service, { company: { settings: { knownRejections: "refuse" } } }),
		createTenant(service, { company: { settings: { strictValidation: true } } }),
	]);
	tenants = { sandbox, production, strict };
	return () => rmSync(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

function fillIn(tenant: Tenant, { request, repeatFirstLine }: Pick<Case, "request" | "repeatFirstLine">): Json {
	const today = new Date();
	const days: Json = {
		$today: toLocalIsoDate(today),
		$yesterday: toLocalIsoDate(new Date(today.getTime() - 86_400_000)),
	};
	const text = JSON.stringify(request, (_, value) => (typeof value === "string" ? (days[value] ?? value) : value));
	const body = { ...(JSON.parse(text) as Json), company: { rnc: tenant.rnc, name: tenant.name } } as Json;
	for (const [name, value] of Object.entries(body)) if (value === null) delete body[name];
	const [line] = body.lines as Json[];
	if (repeatFirstLine) {
		body.lines = Array.from({ length: repeatFirstLine }, (_, i) => ({ ...line, line_number: i + 1 }));
	}
	return body;
}

const textsOf = (xml: string, name: string) =>
	[...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text]) => text);

async function expectAccepted(id: string, tenant: Tenant, answer: Json, expected: Expected): Promise<void> {
	const { docId, warnings, print } = answer as { docId: string; warnings: Warning[]; print: { qrUrl: string } };
	if (expected.warnings) expect(warnings.map(({ code }) => code)).toEqual([...expected.warnings]);
	const bytes = new Uint8Array(await (await get(service, `/v1/invoices/${docId}/xml`, tenant.headers)).arrayBuffer());
	const xml = new TextDecoder().decode(bytes);
	for (const [name, text] of Object.entries(expected.xml ?? {}))
		expect([name, textsOf(xml, name)[0]]).toEqual([name, text]);
	for (const name of expected.absent ?? []) expect([name, textsOf(xml, name)]).toEqual([name, []]);
	const indicators = textsOf(xml, "IndicadorFacturacion").map(Number);
	if (expected.indicators) expect(indicators).toEqual([...expected.indicators]);
	if (expected.items) expect(indicators).toHaveLength(expected.items);
	if (expected.qrWithout) expect(print.qrUrl).not.toContain(expected.qrWithout);
	if (expected.registryName) expect(warnings[0]?.registryName).toBeTruthy();
	if (expected.channel) expect(new URL(print.qrUrl).pathname.toLowerCase()).toContain("consultatimbrefc");
	if (expected.arithmetic) {
		const record = (await (await get(service, `/v1/fiscal-invoices/${docId}`, tenant.headers)).json()) as Json;
		expect((record.validation as Json).arithmetic).toBe(expected.arithmetic);
	}
	writeFileSync(join(folder, `${id}.xml`), bytes);
	if (expected.authority) {
		const { code, status, sequenceConsumed } = expected.authority;
		const decided = await untilDecided(service, tenant, docId);
		expect(decided).toMatchObject({ status, authority: { code, sequenceConsumed } });
	}
}

function expectRefused(answer: Refusal, expected: Expected): void {
	const { slug, code, pointer, authorityCode } = expected;
	if (slug) expect(answer.type).toEndWith(`/${slug}`);
	const wanted = {
		...(code ? { code } : {}),
		...(pointer ? { pointer } : {}),
		...(authorityCode ? { authorityCode } : {}),
	};
	const fault = answer.errors?.find((one) => one.code === code) ?? answer.errors?.[0];
	expect(fault).toMatchObject(wanted);
	if (expected.expected === undefined) return;
	expect(fault?.expected).toEqual(expected.expected === "$today" ? toLocalIsoDate(new Date()) : expected.expected);
}

async function carryOut(one: Case, variant: Variant): Promise<void> {
	const mode = variant.mode ?? "sandbox";
	const tenant = one.settings?.strictValidation
		? tenants.strict
		: mode === "production"
			? tenants.production
			: tenants.sandbox;
	for (const before of one.before ?? []) await accept(tenant, before);
	const body = fillIn(tenant, {
		repeatFirstLine: one.repeatFirstLine,
		...variant,
		request: { ...one.request, ...variant.request },
	});
	// A variant that is accepted needs a number of its own.
	if (variant !== one && variant.expect.status === 202) body.encf = `E${body.type}00000008${one.id.slice(1)}`;
	const sent = await postInvoice(service, tenant, body, variant.mode ? HANDLING[variant.mode] : {});
	const answer = (await sent.json()) as Json;
	expect([sent.status, answer]).toMatchObject([variant.expect.status, {}]);
	if (sent.status === 202) await expectAccepted(one.id, tenant, answer, variant.expect);
	else expectRefused(answer as unknown as Refusal, variant.expect);
}

/** Issues a document that later ones refer to, once. */
async function accept(tenant: Tenant, request: Json): Promise<void> {
	const sent = await postInvoice(service, tenant, fillIn(tenant, { request }));
	if (sent.status === 202) await untilDecided(service, tenant, ((await sent.json()) as { docId: string }).docId);
}

const [first] = cases as unknown as readonly Case[];
beforeAll(async () => {
	if (first) await accept(tenants.production, first.request);
}, TIMEOUT_MS);

describe.each((cases as unknown as readonly Case[]).map((one) => [`${one.id}, ${one.title},`, one] as const))(
	"%s",
	(_, one) => {
		test("has the right answer", () => carryOut(one, one), TIMEOUT_MS);

		test.each(
			(one.variants ?? []).map((variant, i) => [variant.mode ?? `another request (${i + 1})`, variant] as const),
		)("has the right answer as %s", (_name, variant) => carryOut(one, variant), TIMEOUT_MS);
	},
);

const judged = () => readdirSync(folder).filter((file) => file.endsWith(".xml"));

test.skipIf(!verify)(
	"the signature of each case is verified by another program",
	async () => {
		for (const file of judged())
			expect([file, await verify?.(join(folder, file))]).toMatchObject([file, { exitCode: 0 }]);
	},
	TIMEOUT_MS,
);

test.skipIf(!validate)(
	"each case has the form of the authority's schema",
	async () => {
		for (const file of judged().filter((one) => !BEYOND_SCHEMA.includes(one.slice(0, 3)))) {
			expect([file, await validate?.(join(folder, file))]).toMatchObject([file, { exitCode: 0 }]);
		}
	},
	TIMEOUT_MS,
);
