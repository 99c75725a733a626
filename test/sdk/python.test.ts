/** The Python SDK beside the common scenario: its unit tests, its types, its guide and its package. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packZip } from "../../scripts/sdk/pack";
import { buildPython } from "../../scripts/sdk/python";
import { buildInvoice, type InvoiceInput } from "../../src/sdk/typescript";
import { createChance } from "../support/chance";
import { findJudge } from "../support/judges";
import { sharedService } from "../support/service";
import { createIssuer } from "./world";

/** By hand: SDK_INVOICES=2000. */
const INVOICES = Number(process.env.SDK_INVOICES ?? 200);
const ROOT = join(import.meta.dir, "../..");
const SOURCES = join(ROOT, "src/sdk/python");
const folder = mkdtempSync(join(tmpdir(), "sello-python-"));
afterAll(() => rmSync(folder, { recursive: true }));

const python = findJudge("python3");
const mypy = findJudge("mypy");

/** The examples of the guide as one program. */
const guide = join(folder, "guide.py");
const page = readFileSync(join(ROOT, "data/docs/en/sdk-python.md"), "utf8");
const examples = [...page.matchAll(/^```python tab=python\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
const writeGuide = (rnc: string) => Bun.write(guide, examples.join("\n").replaceAll("{{company_rnc}}", rnc));

test.skipIf(!python)("the unit tests of the Python library pass", async () => {
	expect(await python?.(join(import.meta.dir, "python-unit.py"))).toMatchObject({ exitCode: 0 });
});

test.skipIf(!mypy)(
	"mypy finds no fault in the Python library, and every marked mistake",
	async () => {
		const paths = [join(SOURCES, "sello_ecf"), join(import.meta.dir, "python-usage.py"), guide];
		await writeGuide("990000131");
		expect(await mypy?.("--strict", "--python-version", "3.9", "--cache-dir", folder, ...paths)).toEqual({
			exitCode: 0,
			output: expect.stringContaining("no issues found"),
		});
	},
	60_000,
);

test.skipIf(!python)(
	"the guide's examples run as one program",
	async () => {
		const service = await sharedService();
		const issuer = await createIssuer(service);
		await writeGuide(issuer.rnc);
		const child = Bun.spawn(["python3", guide], {
			cwd: folder,
			env: {
				...{ PATH: process.env.PATH ?? "", PYTHONPATH: SOURCES, PYTHONDONTWRITEBYTECODE: "1" },
				...{ SELLO_URL: service.url, SELLO_API_KEY: issuer.apiKey },
				...{ SELLO_CLIENT_ID: issuer.clientId, SELLO_CLIENT_SECRET: issuer.clientSecret },
			},
			stdout: "pipe",
			stderr: "pipe",
		});
		const [output, complaint] = await Promise.all([
			new Response(child.stdout).text(),
			new Response(child.stderr).text(),
		]);
		expect(complaint).toBe("");
		expect(output).toMatch(/^E32\d{10} accepted https?:/);
		expect(output).toContain("invoice.accepted");
	},
	30_000,
);

/** Whatever the TypeScript library builds passes the service's checks, so equality is enough. */
test.skipIf(!python)("both libraries build the same invoice from the same lines", async () => {
	const chance = createChance(32);
	const amount = (units: number, decimals: number) => (chance.whole(1, units) / 10 ** decimals).toFixed(decimals);
	const inputs = Array.from({ length: INVOICES }, (): InvoiceInput => {
		const type = chance.pick(["31", "32", "33", "34", "41", "44"] as const);
		const lines = Array.from({ length: chance.whole(1, 20) }, () => ({
			...{ description: "Café", quantity: amount(50_000, 2), unitPrice: amount(9_000_000, chance.whole(0, 4)) },
			...(type === "44" ? {} : { taxRate: chance.pick(["18", "16", "0", "exempt"] as const) }),
			...(chance.percent(20) ? { discount: "0.01" } : {}),
			...(chance.percent(20) ? { surcharge: amount(10_000, 2) } : {}),
		}));
		const prices = type !== "44" && chance.percent(60) ? "gross" : "net";
		return { type, company: { rnc: "990000131", name: "X" }, lines, prices, legal_tip: amount(1_000, 2) };
	});
	const jobs = inputs.map((input) => ({ name: "", client: {}, call: "buildInvoice", args: [input] }));
	const child = Bun.spawn(["python3", join(import.meta.dir, "runners/python.py")], {
		stdin: new Blob([JSON.stringify({ jobs })]),
		stdout: "pipe",
		stderr: "inherit",
	});
	const results = (await new Response(child.stdout).json()) as { readonly value: unknown }[];
	expect(results.map(({ value }) => value)).toEqual(inputs.map((input) => buildInvoice(input)));
});

test("the same sources give the same package, byte by byte", async () => {
	const [one, other] = [join(folder, "one"), join(folder, "other")];
	await buildPython(one, "1.2.0");
	await buildPython(other, "1.2.0");
	expect(Buffer.from(packZip(one)).equals(packZip(other))).toBe(true);
});
