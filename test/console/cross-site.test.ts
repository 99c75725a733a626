/** Pages of an attacker, on another port and on another host, in the browser of a person who is signed in. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { findBrowser } from "../support/browser";
import { until } from "../support/until";
import { type OpenConsole, openConsole } from "./support/open-console";

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)("an attacker's page", () => {
	let opened: OpenConsole;
	let service: string;
	const attacker = Bun.serve({
		...{ port: 0, hostname: "127.0.0.1" },
		fetch: () => new Response("<!doctype html><title>attack</title>", { headers: { "content-type": "text/html" } }),
	});
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
		service = opened.service.url.replace("127.0.0.1", "localhost");
	}, 60_000);
	afterAll(async () => {
		await opened.close();
		await attacker.stop(true);
	});

	const codes = async () => (await opened.service.sql`select 1 from user_recovery_codes`).length;
	const sessionsLeft = async () =>
		(await opened.service.sql`select 1 from user_sessions where ended_at is null`).length;

	const clients = async () => (await opened.service.sql`select 1 from oauth_clients`).length;

	async function visit(host: string): Promise<Page> {
		const page = await opened.context.newPage();
		await page.goto(`http://${host}:${attacker.port}/`);
		return page;
	}

	// The cookie's site is the host without its port: only the port differs on the first.
	for (const host of ["localhost", "127.0.0.1"])
		test(`on ${host} changes nothing by fetch and by form, and reads nothing`, async () => {
			const before = [await codes(), await sessionsLeft(), await clients()];
			const credentials = `/v1/company/${opened.tenant.tenantId}/credentials`;
			const page = await visit(host);
			const answered = await page.evaluate(`(async () => {
				const results = [];
				for (const path of ["/v1/me", "/v1/me/recovery-codes", "/v1/session", "${credentials}"]) {
					for (const mode of ["cors", "no-cors"]) {
						const init = { method: path === "/v1/me" ? "GET" : "POST", mode, credentials: "include" };
						const text = await fetch("${service}" + path, init).then((answer) => answer.text(), () => "");
						if (text !== "") results.push(path + ": " + text);
					}
				}
				await fetch("${service}/v1/session", { method: "DELETE", credentials: "include" }).catch(() => undefined);
				return results.filter((text) => !text.includes("cross-site-request"));
			})()`);
			expect(answered).toEqual([]);
			await page.evaluate(`(() => {
				const form = document.createElement("form");
				form.method = "post";
				form.enctype = "text/plain";
				form.action = "${service}/v1/me/recovery-codes";
				document.body.append(form);
				form.submit();
			})()`);
			await until(() => page.url().startsWith(service));
			expect(await page.locator("body").textContent()).toMatch(/cross-site-request|session-expired/);
			expect([await codes(), await sessionsLeft(), await clients()]).toEqual(before);
			await page.close();
		});

	test("shows no page of the console in a frame", async () => {
		const page = await visit("localhost");
		const blocked = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
		await page.evaluate(`(() => {
			const frame = document.createElement("iframe");
			frame.src = "${service}/console";
			document.body.append(frame);
		})()`);
		await blocked;
		await page.close();
	});

	test("has no part in the person's own page, which goes on", async () => {
		const page = await opened.openPage("");
		await page.goto(page.url().replace(/\/c\/.*/, "/account"));
		await page.getByRole("button", { name: "Crear códigos nuevos" }).click();
		await page.getByRole("dialog").waitFor();
		expect(await codes()).toBeGreaterThanOrEqual(10);
		await page.close();
	});
});
