/** The dashboards for Grafana use metrics and labels of the service. */
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createMetrics } from "../../src/platform/telemetry";
import { findJudge } from "../support/judges";

type Panel = {
	readonly id: number;
	readonly title: string;
	readonly description: string;
	readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
	readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
};
type Dashboard = { readonly uid: string; readonly title: string; readonly panels: readonly Panel[] };

const folder = join(import.meta.dir, "../../data/dashboards");
const files = readdirSync(folder);
const dashboards = files.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Dashboard);
const targets = dashboards.flatMap(({ panels }) => panels.flatMap((panel) => panel.targets));

/** The parts of a histogram are metrics of their own. */
const nameOf = (series: string) => series.replace(/_(?:bucket|sum|count)$/, "");
const BY_SCRAPE = ["job", "instance"];
const OF_REQUESTS = ["operation", "status", "le"];

test("every panel has a title, a description and a place of its own", () => {
	expect(dashboards.map(({ uid }) => `${uid}.json`)).toEqual(files.map((name) => basename(name)));
	for (const { panels } of dashboards) {
		expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
		for (const { title, description } of panels) expect([title, description.length > 10]).toEqual([title, true]);
		const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
			Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`),
		);
		expect(new Set(cells).size).toBe(cells.length);
		expect(panels.filter(({ gridPos }) => gridPos.x + gridPos.w > 24)).toEqual([]);
	}
});

test("every metric of a dashboard exists", async () => {
	const share = (await createMetrics({ process: true }).share()) as readonly { readonly name: string }[];
	const known = new Set(share.map(({ name }) => name));
	const named = targets.flatMap(({ expr }) =>
		[...expr.matchAll(/\b(?:sello|process|nodejs)_\w+/g)].map(([one]) => one),
	);
	expect(named.length).toBeGreaterThan(30);
	expect(named.filter((one) => !known.has(one) && !known.has(nameOf(one)))).toEqual([]);
});

test("every label of a dashboard belongs to its metric", () => {
	const labels = new Map(
		Object.values(createMetrics()).flatMap((one) =>
			typeof one === "object" && "labelNames" in one && "name" in one
				? [[String(one.name), one.labelNames as readonly string[]] as const]
				: [],
		),
	);
	for (const { expr, legendFormat } of targets) {
		const ofMetrics = [...expr.matchAll(/\b(?:sello|process|nodejs)_\w+/g)].flatMap(
			([name]) => labels.get(name) ?? (name.startsWith("sello_http_") ? OF_REQUESTS : []),
		);
		const selected = [...expr.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = ""]) => label);
		const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(", "));
		const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
		const used = [...selected, ...grouped, ...shown];
		const unknown = used.filter((label) => ![...BY_SCRAPE, ...ofMetrics].includes(label));
		expect({ expr, unknown }).toEqual({ expr, unknown: [] });
	}
});

const promtool = findJudge("promtool");
test.skipIf(!promtool)("Prometheus reads every expression of a dashboard", async () => {
	const work = mkdtempSync(join(tmpdir(), "sello-dashboards-"));
	const rules = targets.map(({ expr }, i) => ({
		record: `panel:${i}`,
		expr: expr.replaceAll("$__rate_interval", "1m").replaceAll("$job", ".*"),
	}));
	const path = join(work, "rules.yml");
	writeFileSync(path, JSON.stringify({ groups: [{ name: "panels", rules }] }));
	const verdict = await promtool?.("check", "rules", path);
	rmSync(work, { recursive: true });
	expect(verdict).toMatchObject({ exitCode: 0 });
});
