/** The alert rules for operators: they use existing metrics, are complete, and fire when they should. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OUTBOX_KINDS } from "../../src/platform/outbox";

import { createMetrics } from "../../src/platform/telemetry";
import { findJudge } from "../support/judges";
import { findFreePort } from "../support/processes";
import { buildInvoice, createTenant, openServiceIn, postInvoice, untilDecided } from "../support/service";
import { until } from "../support/until";

const promtool = findJudge("promtool");

type Rule = {
	readonly alert: string;
	readonly expr: string;
	readonly labels: { readonly severity?: string };
	readonly annotations: { readonly summary?: string; readonly description?: string };
};
const path = join(import.meta.dir, "../../data/alerts/sello.rules.yml");
const { groups } = Bun.YAML.parse(readFileSync(path, "utf8")) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

/** The selector of a rule: a metric and the matchers of its labels. */
type Selector = {
	readonly name: string;
	readonly matchers: readonly { label: string; operator: string; value: string }[];
};
const selectors: readonly Selector[] = rules.flatMap(({ expr }) =>
	[...expr.matchAll(/\b(sello_\w+)(?:\{([^}]*)\})?/g)].map(([, name = "", inside = ""]) => ({
		name,
		matchers: [...inside.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(([, label = "", operator = "", value = ""]) => ({
			...{ label, operator, value },
		})),
	})),
);

let service: Awaited<ReturnType<typeof openServiceIn>>;
let port: number;
/** The metrics after a document was accepted and the authority was probed. */
let metrics: string;
beforeAll(async () => {
	port = await findFreePort();
	service = await openServiceIn("sandbox", { METRICS_PORT: String(port) });
	const tenant = await createTenant(service);
	const { docId } = (await (await postInvoice(service, tenant, buildInvoice(tenant))).json()) as { docId: string };
	await untilDecided(service, tenant, docId);
	await until(async () => {
		metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
		return ["sello_authority_status{", "sello_outside_calls_total{"].every((one) => metrics.includes(one));
	});
}, 120_000);
afterAll(() => service.stop(), 120_000);

/** Of each line of a metric, its labels. */
const linesOf = (name: string) =>
	[...metrics.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? \\S+$`, "gm"))].map(([, inside = ""]) =>
		Object.fromEntries([...inside.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = "", value = ""]) => [label, value])),
	);

test("every rule has a unique name, a severity, a cause and an action", () => {
	expect(rules.length).toBeGreaterThan(10);
	expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
	for (const { alert, labels, annotations } of rules) {
		expect({ alert, severity: labels.severity }).toEqual({ alert, severity: expect.stringMatching(/^(page|ticket)$/) });
		expect({ alert, summary: annotations.summary }).toEqual({ alert, summary: expect.stringMatching(/^.{20,}$/) });
		expect({ alert, isLong: (annotations.description ?? "").length > 40 }).toEqual({ alert, isLong: true });
	}
});

test("every metric that a rule names exists", () => {
	const unknown = selectors.filter(({ name }) => !metrics.includes(`# HELP ${name} `));
	expect(selectors.length).toBeGreaterThanOrEqual(rules.length);
	expect(unknown).toEqual([]);
});

test("every label that a rule names belongs to its metric", async () => {
	const labelsOf = new Map(
		Object.values(createMetrics()).flatMap((one) =>
			typeof one === "object" && "labelNames" in one && "name" in one
				? [[String(one.name), one.labelNames as readonly string[]] as const]
				: [],
		),
	);
	expect(labelsOf.get("sello_authority_status")).toEqual(["environment", "service", "status"]);
	for (const { name, matchers } of selectors)
		for (const { label } of matchers)
			expect({ name, label, labels: labelsOf.get(name) }).toMatchObject({
				labels: expect.arrayContaining([label]) as never,
			});
	for (const { alert, expr } of rules) {
		const known = [...expr.matchAll(/\b(sello_\w+)/g)].flatMap(([, name = ""]) => labelsOf.get(name) ?? []);
		const left = [...expr.matchAll(/without \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(", "));
		// Who scrapes adds the instance.
		expect({ alert, unknown: left.filter((label) => label !== "instance" && !known.includes(label)) }).toEqual({
			...{ alert, unknown: [] },
		});
	}
});

test("every label value that a rule selects exists, even for a gauge of zero", () => {
	const isGauge = (name: string) => metrics.includes(`# TYPE ${name} gauge`);
	const wanted = selectors.flatMap(({ name, matchers }) =>
		matchers.flatMap(({ label, operator, value }) => {
			const values = operator === "=" ? [value] : operator === "=~" ? value.split("|") : [];
			return values.map((each) => ({ name, label, value: each }));
		}),
	);
	const missing = wanted.filter(
		({ name, label, value }) => isGauge(name) && !linesOf(name).some((labels) => labels[label] === value),
	);
	expect(wanted.length).toBeGreaterThan(5);
	expect(missing).toEqual([]);
});

test("every kind of message that a rule names exists", () => {
	const kinds: readonly string[] = [OUTBOX_KINDS.submitInvoice, OUTBOX_KINDS.buildExport, OUTBOX_KINDS.advanceTestSet];
	const named = selectors.flatMap(({ matchers }) =>
		matchers.flatMap(({ label, value }) => (label === "kind" ? value.replaceAll("[.]", ".").split("|") : [])),
	);
	expect([...new Set(named)].sort()).toEqual([...kinds].sort());
});

test("every metric whose help says when to alert has a rule", () => {
	const asked = [...metrics.matchAll(/^# HELP (sello_\w+) .*\balert (?:on|above)\b/gm)].map(([, name = ""]) => name);
	expect(asked.length).toBeGreaterThan(4);
	expect(asked.filter((name) => !selectors.some((one) => one.name === name))).toEqual([]);
});

test.skipIf(!promtool)("they fire exactly when they should, checked by Prometheus", async () => {
	for (const args of [
		["check", "rules", path],
		["test", "rules", join(import.meta.dir, "sello.rules.test.yml")],
	]) {
		const verdict = await promtool?.(...args);
		expect({ args, ...verdict }).toMatchObject({ exitCode: 0 });
	}
});
