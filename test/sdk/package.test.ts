/** The npm package as its users get it: its size, its declarations, and its module in a browser. Node.js runs the scenario with it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { SDK_BUILDERS } from "../../scripts/sdk";
import { packTarball } from "../../scripts/sdk/pack";
import { findBrowser, openBrowser } from "../support/browser";
import { postInvoice, sharedService } from "../support/service";
import { createIssuer } from "./world";

const KIB = 1024;
const TARBALL_MAX = 90 * KIB;
const BROWSER_MAX = 12 * KIB;

const folder = mkdtempSync(join(tmpdir(), "sello-package-"));
const sdk = join(folder, "node_modules/@sello/sdk");
const chromium = findBrowser();
let browserModule = "";

beforeAll(async () => {
	mkdirSync(sdk, { recursive: true });
	await SDK_BUILDERS.typescript(sdk, "1.2.3");
	const built = await Bun.build({ entrypoints: [join(sdk, "dist/index.js")], target: "browser", minify: true });
	browserModule = (await built.outputs[0]?.text()) ?? "";
});
afterAll(() => rmSync(folder, { recursive: true }));

test("the package and its module for browsers are as small as promised", async () => {
	const tarball = (await packTarball(sdk)).length;
	const browser = gzipSync(browserModule).length;
	console.log(`tarball ${tarball} bytes, in browsers ${browser} bytes with gzip`);
	expect(browserModule).not.toBe("");
	expect(tarball).toBeLessThan(TARBALL_MAX);
	expect(browser).toBeLessThan(BROWSER_MAX);
	expect(browserModule).toContain("1.2.3");
});

test.skipIf(Bun.which("node") === null)("its program runs on Node.js, without colour in a pipe", async () => {
	const service = await sharedService();
	const env = { PATH: process.env.PATH ?? "", HOME: folder, SELLO_URL: service.url };
	const run = (...words: string[]) => Bun.spawn(["node", join(sdk, "dist/cli.js"), ...words], { env, stdout: "pipe" });
	expect(await new Response(run("--version").stdout).text()).toBe("1.2.3\n");
	const explained = await new Response(run("explain", "614", "--lang", "es").stdout).text();
	expect(explained).toStartWith("614 El eNCF modificado no ha sido emitido\n");
	const manifest = JSON.parse(readFileSync(join(sdk, "package.json"), "utf8")) as { bin: Record<string, string> };
	expect(manifest.bin).toEqual({ sello: "./dist/cli.js" });
});

/** Compiles only if each line after `@ts-expect-error` is wrong. */
const USAGE = `import { ApiError, buildInvoice, RejectedError, Sello, type WebhookEvent } from "@sello/sdk";
const sello = new Sello({ baseUrl: "https://sello.example", apiKey: "k", clientId: "c", clientSecret: "s", language: "es" });
const company = { rnc: "990000131", name: "EMPRESA DE DEMOSTRACION SRL" };
const body = buildInvoice({ type: "32", company, lines: [{ description: "Café", quantity: 1, unitPrice: "1.00", taxRate: "18" }] });
// @ts-expect-error An amount is no floating-point type of rate.
buildInvoice({ type: "32", company, lines: [{ description: "Café", quantity: 1, unitPrice: "1.00", taxRate: "13" }] });
// @ts-expect-error There is no such type.
buildInvoice({ ...body, type: "99", lines: [] });
const ack = await sello.invoices.create(body, { wait: 10, scenario: "reject" });
const encf: string = ack.encf;
const xml: string = (await sello.invoices.create(body, { dry_run: true })).document.xml;
// @ts-expect-error An acknowledgement has no XML.
(await sello.invoices.create(body)).document;
// @ts-expect-error A misspelt option.
await sello.invoices.create(body, { idempotencykey: "x" });
for await (const invoice of sello.invoices.list({ status: "rejected", limit: 50 })) console.log(invoice.encf);
// @ts-expect-error No such status.
sello.invoices.list({ status: "lost" });
const next: string | null = (await sello.invoices.list()).next;
const verdict: string = (await sello.invoices.waitFor(ack.docId, { timeoutMs: 60_000 })).status;
await (await sello.invoices.pdf(ack.docId, { format: "a4" })).save("f.pdf");
for await (const event of sello.events.stream({ after: "latest" })) console.log(event.id);
// @ts-expect-error A search needs its words.
sello.registry.search();
const event: WebhookEvent = await Sello.webhooks.verify("{}", new Headers(), ["whsec_"]);
if (event.event === "invoice.accepted") console.log(event.encf);
try {
	await sello.invoices.get("x");
} catch (error) {
	if (error instanceof RejectedError) console.log(error.authorityCode, error.docId);
	else if (error instanceof ApiError) console.log(error.slug, error.errors[0]?.pointer);
}
export { encf, next, verdict, xml };
`;

/** What the compiler says about a program that uses the package; `platform` names the types of where it runs. */
async function compile(file: string, resolution: string, platform?: string): Promise<string> {
	const compiler = Bun.spawn(
		[
			...[process.execPath, "x", "--no-install", "tsc", "--ignoreConfig", "--noEmit", "--strict"],
			...(platform === undefined ? ["--types", ""] : ["--types", platform, "--skipLibCheck"]),
			...["--target", "es2023", "--lib", "es2023,dom,dom.iterable"],
			...["--module", resolution === "nodenext" ? "nodenext" : "esnext", "--moduleResolution", resolution, file],
		],
		{ cwd: join(import.meta.dir, "../.."), stdout: "pipe" },
	);
	return new Response(compiler.stdout).text();
}

test.each(["nodenext", "bundler"])(
	"its types hold with the resolution %p",
	async (resolution) => {
		writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
		writeFileSync(join(folder, "usage.ts"), USAGE);
		expect(await compile(join(folder, "usage.ts"), resolution)).toBe("");
	},
	60_000,
);

test("the guide's examples hold by their types and run as one program", async () => {
	const service = await sharedService();
	const issuer = await createIssuer(service);
	const page = readFileSync(join(import.meta.dir, "../../data/docs/en/sdk-typescript.md"), "utf8");
	const examples = [...page.matchAll(/^```ts tab=typescript\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
	const program = examples.join("\n").replaceAll("{{company_rnc}}", issuer.rnc);
	const guide = join(folder, "guide.ts");
	// The last lines use what the examples only declare.
	writeFileSync(guide, `${program}\nreceiver.close();\nconsole.log(xml.length, answer);\n`);
	expect(await compile(guide, "bundler", "node")).toBe("");
	const run = Bun.spawn([process.execPath, guide], {
		cwd: folder,
		env: {
			...{ PATH: process.env.PATH ?? "", SELLO_URL: service.url, SELLO_API_KEY: issuer.apiKey },
			...{ SELLO_CLIENT_ID: issuer.clientId, SELLO_CLIENT_SECRET: issuer.clientSecret },
		},
		stdout: "pipe",
		stderr: "pipe",
	});
	const [output, complaint] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
	expect({ exitCode: await run.exited, complaint }).toEqual({ exitCode: 0, complaint: "" });
	expect(output).toMatch(/^E32\d{10} accepted http/);
	expect(output).toContain("\n614 ");
	expect(output).toContain("invoice.accepted");
	expect(readFileSync(join(folder, "factura.pdf"), "latin1")).toStartWith("%PDF-");
}, 60_000);

test.skipIf(!chromium)(
	"a page reads with a token and refuses to hold a key or secret",
	async () => {
		const service = await sharedService();
		const tenant = await createIssuer(service);
		const issued = await postInvoice(service, tenant, {
			...{ type: "32", encf: "auto", company: { rnc: tenant.rnc, name: tenant.name } },
			lines: [
				{ line_number: 1, description: "Café", quantity: "1", unit_price: "1.00", subtotal: "1.00", tax_rate: "18" },
			],
			totals: { subtotal: "1.00", tax: "0.18", grand_total: "1.18" },
		});
		const { docId } = (await issued.json()) as { docId: string };
		const host = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch: (request) => {
				const { pathname } = new URL(request.url);
				if (pathname === "/") return new Response("<!doctype html>", { headers: { "content-type": "text/html" } });
				if (pathname === "/sdk.js")
					return new Response(browserModule, { headers: { "content-type": "text/javascript" } });
				return fetch(`${service.url}${pathname}`, {
					headers: { authorization: request.headers.get("authorization") ?? "" },
				});
			},
		});
		const { context, close } = await openBrowser(chromium ?? "");
		try {
			const page = await context.newPage();
			await page.goto(`http://127.0.0.1:${host.port}/`);
			const found = await page.evaluate(
				async ([baseUrl, token, id]) => {
					const path = "/sdk.js";
					const { Sello, SelloError } = await import(path);
					const refusals = [{ apiKey: "k" }, { clientId: "c", clientSecret: "s" }].map((given) => {
						try {
							new Sello({ baseUrl, ...given });
							return false;
						} catch (error) {
							return error instanceof SelloError;
						}
					});
					const status = await new Sello({ baseUrl, accessToken: token }).invoices.getStatus(id);
					return { refusals, docId: status.docId };
				},
				[`http://127.0.0.1:${host.port}`, tenant.token, docId] as const,
			);
			expect(found).toEqual({ refusals: [true, true], docId });
		} finally {
			await close();
			await host.stop(true);
		}
	},
	60_000,
);
