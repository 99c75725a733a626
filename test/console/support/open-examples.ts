/**
 * The console with the examples of the interface in place of a service: the same answers, the same instant and the same font wherever it is opened,
 * so that its pictures can be compared.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page, Route } from "playwright-core";
import { createBundle } from "../../../src/console";
import { scopesOf } from "../../../src/identity/users";
import { createLog } from "../../../src/platform/telemetry";
import { serveDeclared } from "../../api/support/declared-operations";
import { openBrowser } from "../../support/browser";
import { ROOT } from "../../support/processes";
import { until } from "../../support/until";
import type { Look } from "./open-console";
import { untilAnswered } from "./walk";

export type OpenExamples = {
	/** Opens a path below the console, such as `/c/{tenantId}/invoices`, and waits for its answers. */
	readonly openPage: (path: string, look: Required<Look>) => Promise<Page>;
	readonly close: () => Promise<void>;
};

/** Of the examples. */
const NOW = new Date("2026-11-20T15:00:00Z");
const HEIGHT = 900;
/** What makes letters look the same on all machines. */
const FLAGS = [
	"--font-render-hinting=none",
	"--disable-lcd-text",
	"--force-color-profile=srgb",
	"--hide-scrollbars",
	"--lang=en-US",
];

export async function openExamples(browserPath: string): Promise<OpenExamples> {
	const folder = mkdtempSync(join(tmpdir(), "sello-examples-"));
	const served = serveDeclared(createBundle({ dataDir: folder, log: createLog("silent", "test") }));
	await until(async () => (await fetch(`${served.url}/console`)).status === 200);
	const answers = await readExamples(served.url);
	writeFileSync(join(folder, "fonts.conf"), writeFonts(folder));
	const { context, close } = await openBrowser(browserPath, {
		...{ args: FLAGS, env: { FONTCONFIG_FILE: join(folder, "fonts.conf"), LANGUAGE: "en", TZ: "UTC" } },
	});
	await context.route("**/v1/**", (route) => answer(route, answers));
	return {
		openPage: async (path, { language, theme, width }) => {
			const page = await context.newPage();
			await page.clock.setFixedTime(NOW);
			await page.setViewportSize({ width, height: HEIGHT });
			await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
			await page.addInitScript({ content: `localStorage?.setItem("sello-language", "${language}")` });
			await page.goto(`${served.url}/console${path}`);
			await page.locator("main h1").first().waitFor();
			await untilAnswered(page);
			await until(async () => (await page.getByText(/Comprobando…|Checking…/).count()) === 0);
			return page;
		},
		close: async () => {
			await close();
			await served.stop();
			rmSync(folder, { recursive: true });
		},
	};
}

/** The project's font is the only one. */
function writeFonts(cache: string): string {
	return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>${join(ROOT, "data/fonts")}</dir><cachedir>${cache}</cachedir>
<match target="font"><edit name="hinting"><bool>false</bool></edit><edit name="antialias"><bool>true</bool></edit>
<edit name="rgba"><const>none</const></edit></match></fontconfig>`;
}

type Answer = { readonly name: string; readonly pattern: RegExp; readonly example: unknown };
type Media = { readonly example?: unknown; readonly examples?: Readonly<Record<string, { readonly value?: unknown }>> };
type Response = { readonly $ref?: string; readonly content?: Readonly<Record<string, Media>> };
type Document = {
	readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Record<string, Response> }>>>>;
	readonly components: { readonly responses: Readonly<Record<string, Response>> };
};

async function readExamples(url: string): Promise<Answer[]> {
	const { paths, components } = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
	return Object.entries(paths).flatMap(([path, operations]) =>
		Object.entries(operations).flatMap(([method, { responses }]) => {
			const declared = Object.entries(responses ?? {}).find(([status]) => status.startsWith("2"))?.[1];
			const shared = declared?.$ref?.split("/").at(-1);
			const content = (shared === undefined ? declared : components.responses[shared])?.content ?? {};
			const media = content["application/json"];
			const example = media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
			if (example === undefined) return [];
			const pattern = new RegExp(`^${path.replace(/[.*+?()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, "[^/]+")}$`);
			return [{ name: `${method.toUpperCase()} ${path}`, pattern, example }];
		}),
	);
}

/** What has no example is not there; a stream ends with that. */
function answer(route: Route, answers: readonly Answer[]): Promise<void> {
	const request = route.request();
	const { pathname } = new URL(request.url());
	const isStream = request.headers().accept === "text/event-stream";
	const found = answers.filter(
		({ name, pattern }) => !isStream && name.startsWith(`${request.method()} `) && pattern.test(pathname),
	);
	// A path without parameters before one with them.
	const [best] = found.sort((a, b) => a.name.split("{").length - b.name.split("{").length);
	if (!best)
		return route.fulfill({ status: 404, json: { type: "https://x/errors/not-found", title: "", status: 404 } });
	return route.fulfill({ json: FULLER[best.name]?.(best.example) ?? best.example });
}

type Item = Readonly<Record<string, unknown>>;
type List = { readonly items: readonly Item[] };

/** A list with one item for each change of its first one. */
const repeat = (list: unknown, changes: readonly Item[]) => {
	const { items } = list as List;
	return { ...(list as List), items: changes.map((change) => ({ ...items[0], ...change })), count: changes.length };
};
const cycle = <T>(values: readonly T[], at: number): T => values[at % values.length] as T;
const CUSTOMERS = ["FARMACIA CENTRAL SRL", "CLÍNICA DEL NORTE SRL", "COLMADO LA FE", "HOTEL BAHÍA PRÍNCIPE SAS"];

/** Examples that show too little of a page: by operation, what a busy company would have. */
const FULLER: Readonly<Record<string, (example: unknown) => unknown>> = {
	"GET /v1/session": (example) => {
		const { session, me } = example as { readonly session: Item; readonly me: Item & { readonly memberships: Item[] } };
		const rights = { role: "owner", scopes: [...scopesOf("owner", "sandbox")] };
		return { session, me: { ...me, memberships: me.memberships.map((one) => ({ ...one, ...rights })) } };
	},
	"GET /v1/invoices": (list) =>
		repeat(
			list,
			Array.from({ length: 14 }, (_, n) => ({
				docId: `0192f110-7a00-7b11-9c22-3344556677${String(n).padStart(2, "0")}`,
				...{
					encf: `E31000000${String(1_200 - n).padStart(4, "0")}`,
					status: cycle(["accepted", "accepted", "rejected", "pending"], n),
				},
				customer: { rnc: `99000000${n % 10}`, name: cycle(CUSTOMERS, n) },
				totals: { subtotal: "0.00", tax: "0.00", grand_total: `${(n * 7_919) % 90_000}.50` },
			})),
		),
	"GET /v1/overview": (example) => {
		const { authority, sequences, ...rest } = example as { readonly authority: Item; readonly sequences: Item[] };
		const dayOf = (n: number) => new Date(Date.UTC(2026, 9, 22 + n)).toISOString().slice(0, 10);
		return {
			...rest,
			...{ from: dayOf(0), to: dayOf(29) },
			days: Array.from({ length: 30 }, (_, n) => ({
				...{ day: dayOf(n), accepted: (n * 37) % 90, rejected: n % 7 === 3 ? 4 : 0, failed: 0, sales: "0.00" },
			})),
			authority: {
				...authority,
				states: Array.from({ length: 96 }, (_, n) => (n > 40 && n < 46 ? "degraded" : "operational")),
			},
			sequences: ["31", "32", "34"].map((type) => ({ ...sequences[0], type })),
		};
	},
	// A draft's dry run.
	"POST /v1/invoices": () => ({
		...{ dryRun: true, type: "31", encf: "E310000001201", duplicateOf: null, road: "normal", issueDate: "2026-11-20" },
		...{ sequenceExpiresOn: "2027-12-31", totals: { taxedBase: "4500.00", itbis: "810.00", total: "5310.00" } },
		...{ registry: { issuer: null, buyer: null, runId: null }, warnings: [] },
	}),
	"GET /v1/received-documents": (list) =>
		repeat(
			list,
			CUSTOMERS.map((name, n) => ({
				...{ id: `0192f140-7a00-7b11-9c22-3344556677${n}0`, encf: `E31000000432${n}` },
				issuer: { rnc: `10101010${n}`, name },
			})),
		),
	"GET /v1/sequences": (list) =>
		repeat(
			list,
			["31", "32", "33", "34", "41"].map((type) => ({
				...{
					id: `0192f1a0-7a00-7b11-9c22-3344556677${type}`,
					type,
					from: `E${type}0000000001`,
					to: `E${type}0000010000`,
				},
				next: `E${type}0000005251`,
			})),
		),
};
