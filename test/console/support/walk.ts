/** A walk through all pages of a company, in each of their states: waiting for answers, refused, and answered. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page, Route } from "playwright-core";
import { ROOT } from "../../support/processes";
import { until } from "../../support/until";

const PAGES_FILE = join(ROOT, "src/console/web/app/pages.ts");

/** Values of a path's parameters by name. */
export type Places = Readonly<Record<string, string>>;

/**
 * The addresses of all pages below the company's; of those that belong to no company, below the console's, after `~`. Throws an Error for a
 * parameter without a value.
 */
export function listPaths(places: Places): string[] {
	const [ofCompany = "", ofOperators = ""] = readFileSync(PAGES_FILE, "utf8").split("export const OPERATOR_PAGES");
	const pathsOf = (text: string) => [...text.matchAll(/^\t\tpath: "([^"]+)"/gm)].map(([, path = ""]) => path);
	const paths = [...pathsOf(ofCompany), ...pathsOf(ofOperators).map((path) => `~/operator${path}`), "~/account"];
	return paths.map((path) =>
		path.replace(/:(\w+)/g, (_, name: string) => {
			const value = places[name];
			if (value === undefined) throw new Error(`${path}: give ${name} a value`);
			return value;
		}),
	);
}

/** The address of a path, from that of the company. */
export function urlOf(company: string, path: string): string {
	return path.startsWith("~") ? company.replace(/\/c\/.*$/, path.slice(1)) : company.replace(/\/?$/, path);
}

const STATES = ["loading", "error", "answered"] as const;
export type State = (typeof STATES)[number];

const REFUSAL = {
	status: 400,
	headers: { "content-type": "application/problem+json", "x-request-id": "request-of-test" },
	json: {
		type: "https://sello.example/errors/validation-error",
		title: "Solicitud inválida",
		...{ status: 400, detail: "Una parte de la solicitud no es válida.", requestId: "request-of-test" },
	},
};

/** Opens a page of the console three times in one, and has each state looked at. All calls but that for the session wait, then are refused. */
export async function walkStates(
	page: Page,
	url: string,
	look: (state: State) => Promise<void>,
): Promise<{ readonly calls: number }> {
	const held: Route[] = [];
	let mode: State = "loading";
	let calls = 0;
	const answer = async (route: Route) => {
		if (mode === "answered" || new URL(route.request().url()).pathname === "/v1/session") return route.continue();
		calls++;
		if (mode === "error") return route.fulfill(REFUSAL);
		held.push(route);
	};
	await page.route("**/v1/**", answer);
	try {
		// A tab behind another one does not move, so nothing in it can be clicked.
		await page.bringToFront();
		await page.goto(url);
		await page.locator("main :is(h1, .skeleton)").first().waitFor();
		await look("loading");
		mode = "error";
		for (const route of held.splice(0)) await route.fulfill(REFUSAL).catch(() => undefined);
		await untilAnswered(page);
		await look("error");
		mode = "answered";
		await retryAll(page);
		await look("answered");
	} finally {
		await page.unroute("**/v1/**", answer);
	}
	return { calls };
}

async function retryAll(page: Page): Promise<void> {
	const retry = page.locator(".notice-actions button").filter({ hasText: /Intentar de nuevo|Try again/ });
	await until(async () => {
		await untilAnswered(page);
		if ((await retry.count()) === 0) return true;
		// A block that another's retry has renewed is gone before the click.
		await retry
			.first()
			.click({ timeout: 500 })
			.catch(() => undefined);
		return false;
	});
}

export async function untilAnswered(page: Page): Promise<void> {
	await until(async () => (await page.locator(".skeleton").count()) === 0);
}

const STEPS_MAX = 400;

/** Goes through the page by Tab alone. One sentence for each control that is not reached, or whose focus cannot be seen. */
export async function walkByKeyboard(page: Page): Promise<string[]> {
	await page.evaluate(`{
		const isShown = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest("[inert]") && one.getClientRects().length > 0;
		const isStop = (one) => one.tabIndex >= 0 && !one.disabled && !(one.type === "radio" && !one.checked);
		const controls = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]");
		globalThis.controlsLeft = new Set([...controls].filter((one) => isShown(one) && isStop(one)));
		document.activeElement?.blur();
	}`);
	const faults = new Set<string>();
	for (let step = 0; step < STEPS_MAX; step++) {
		await page.keyboard.press("Tab");
		const { name, isSeen, left } = (await page.evaluate(`(() => {
			const one = document.activeElement;
			controlsLeft.delete(one);
			const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
			const isSeen = one === document.body || (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
			return { name: one.outerHTML.slice(0, 120), isSeen, left: controlsLeft.size };
		})()`)) as { name: string; isSeen: boolean; left: number };
		if (!isSeen) faults.add(`the focus cannot be seen: ${name}`);
		if (left === 0) break;
	}
	const left = (await page.evaluate("[...controlsLeft].map((one) => one.outerHTML.slice(0, 120))")) as string[];
	return [...faults, ...left.map((name) => `not reached by Tab: ${name}`)];
}
