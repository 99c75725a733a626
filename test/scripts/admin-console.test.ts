/** What the operator does with people, as an operator types it, against a service that runs. */
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { makePerson, openBrowser, ownerOf, signIn } from "../identity/sessions/support/browser";
import { createTenant, sharedService, type TestService } from "../support/service";
import { until } from "../support/until";

const ROOT = join(import.meta.dir, "../..");
let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

type Printed = { readonly link?: string; readonly ended?: number; readonly disabled?: boolean };

async function admin(...words: string[]) {
	const running = Bun.spawn([process.execPath, "scripts/admin.ts", "console", ...words, "--json"], {
		cwd: ROOT,
		env: { ...process.env, DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir, BASE_URL: service.url },
		...{ stdout: "pipe", stderr: "pipe" },
	});
	const [stdout, stderr] = await Promise.all([
		new Response(running.stdout).text(),
		new Response(running.stderr).text(),
	]);
	const data = stdout === "" ? undefined : (JSON.parse(stdout) as Printed);
	return { exitCode: await running.exited, data, stderr };
}

const tokenIn = (link = "") => link.slice(link.indexOf("#") + 1);

test("an invited person accepts with the printed link, and is reset and closed out", async () => {
	const tenant = await createTenant(service);
	const ownerId = await ownerOf(service, tenant);
	const email = "eva.operadora@example.do";
	const invited = await admin("invite", "--email", email.toUpperCase(), "--owner", ownerId, "--role", "accountant");
	expect(invited.data).toMatchObject({ email, role: "accountant", ownerId });
	expect(invited.data?.link).toStartWith(service.url.replace("127.0.0.1", "localhost"));
	const browser = openBrowser(service);
	const body = { token: tokenIn(invited.data?.link), name: "Eva" };
	expect((await browser.send("POST", "/v1/team/invitations:accept", { body })).status).toBe(200);
	const me = (await (await browser.send("GET", "/v1/me")).json()) as { user: { id: string }; memberships: object[] };
	expect(me.memberships).toMatchObject([{ tenantId: tenant.tenantId, role: "accountant" }]);

	const { data } = await admin("reset", me.user.id);
	await until(async () => (await browser.send("GET", "/v1/me")).status === 401);
	const recovery = { method: "recovery", token: tokenIn(data?.link) };
	expect((await browser.send("POST", "/v1/session", { body: recovery })).status).toBe(201);
	expect(await admin("disable", me.user.id)).toMatchObject({ exitCode: 0, data: { disabled: true } });
	await until(async () => (await browser.send("GET", "/v1/me")).status === 401);
	expect(await admin("disable", me.user.id)).toMatchObject({ exitCode: 1, data: { disabled: false } });
});

test("all sessions of a person end at once, and a link opens a local sandbox", async () => {
	const person = await makePerson(service);
	const browser = await signIn(service, person);
	expect((await admin("sessions", "end", person.userId)).data).toEqual({ id: person.userId, ended: 1 } as Printed);
	await until(async () => (await browser.send("GET", "/v1/me")).status === 401);
	const body = { method: "link", token: tokenIn((await admin("link")).data?.link) };
	expect((await browser.send("POST", "/v1/session", { body })).status).toBe(201);
});

test("an invitation names either an owner that exists and a role, or the operator", async () => {
	const wrong = [
		[],
		["--operator", "--owner", "0192f0a0-7a00-7b11-9c22-334455667788", "--role", "viewer"],
		["--owner", "0192f0a0-7a00-7b11-9c22-334455667788", "--role", "viewer"],
	];
	const answers = await Promise.all(wrong.map((words) => admin("invite", "--email", "eva@example.do", ...words)));
	expect(answers.map(({ exitCode, stderr }) => [exitCode, stderr.trim()])).toEqual([
		[2, "expected either --owner ID --role ROLE or --operator"],
		[2, "expected either --owner ID --role ROLE or --operator"],
		[2, "no owner has the id 0192f0a0-7a00-7b11-9c22-334455667788; see keys list"],
	]);
});
