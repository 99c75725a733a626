/** The PHP library beside the common scenario: its invoices, its guide and its package. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packZip } from "../../scripts/sdk/pack";
import { buildPhp } from "../../scripts/sdk/php";
import { buildInvoice, type InvoiceInput } from "../../src/sdk/typescript/build-invoice";
import { sharedService } from "../support/service";
import { reportSkip } from "../support/skips";
import { createIssuer } from "./world";

const ROOT = join(import.meta.dir, "../..");
const INVOICES = 500;

const hasPhp = Bun.which("php") !== null;
if (!hasPhp) reportSkip("the PHP library needs php");
const folder = mkdtempSync(join(tmpdir(), "sello-php-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Repeatable: Lehmer's generator with the parameters of MINSTD. */
function createRandom(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (state * 48_271) % 2_147_483_647;
		return state % below;
	};
}

const random = createRandom(20_261_127);
const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;
const decimal = (wholeDigits: number): string => {
	const whole = String(random(10 ** random(wholeDigits + 1)));
	const decimals = random(7);
	return decimals === 0 ? whole : `${whole}.${String(random(10 ** decimals)).padStart(decimals, "0")}`;
};

function randomInvoice(): InvoiceInput {
	const lines = Array.from({ length: 1 + random(6) }, () => ({
		description: pick(["Café molido 1 lb", "Cemento gris", "Ñame"]),
		quantity: pick([decimal(3), 1 + random(9)]),
		unitPrice: pick([decimal(9), random(1_000)]),
		taxRate: pick(["18", "16", "0", "exempt", 18] as const),
		...(random(4) === 0 ? { discount: decimal(2) } : {}),
		...(random(4) === 0 ? { surcharge: decimal(3) } : {}),
	}));
	return {
		type: "32",
		company: { rnc: "990000131", name: "EMPRESA DE DEMOSTRACION SRL" },
		prices: pick(["net", "gross"]),
		lines,
		...(random(5) === 0 ? { legal_tip: decimal(2) } : {}),
	} as InvoiceInput;
}

/** Undefined where the invoice is refused, such as for a discount of more than the line. */
function tryToBuild(input: InvoiceInput): unknown {
	try {
		return buildInvoice(input);
	} catch {
		return undefined;
	}
}

/** Both compute with decimals of their own; the service accepts the bodies of the other. */
test.skipIf(!hasPhp)("random invoices come out of both libraries alike", async () => {
	const inputs = Array.from({ length: INVOICES }, randomInvoice);
	const jobs = inputs.map((input) => ({ call: "buildInvoice", args: [input] }));
	const child = Bun.spawn(["php", join(import.meta.dir, "runners/php.php")], {
		stdin: new Blob([JSON.stringify({ jobs })]),
		stdout: "pipe",
	});
	const results = (await new Response(child.stdout).json()) as { value?: unknown; error?: { class: string } }[];
	const expected = inputs.map(tryToBuild);
	expect(expected.filter((one) => one === undefined).length).toBeLessThan(INVOICES / 4);
	expect(results.map(({ value, error }) => value ?? error?.class ?? "")).toEqual(expected.map((one) => one ?? "Other"));
});

test.skipIf(!hasPhp)("PHP accepts every file of the library", () => {
	const files = [...new Bun.Glob("**/*.php").scanSync({ cwd: join(ROOT, "src/sdk/php"), absolute: true })];
	expect(files.length).toBeGreaterThan(10);
	// Before version 8.3 it reads only the first of several.
	const wrong = files.filter((file) => Bun.spawnSync(["php", "-l", file]).exitCode !== 0);
	expect(wrong).toEqual([]);
});

test.skipIf(!hasPhp)("the unit tests of the PHP library pass", async () => {
	const child = Bun.spawn(["php", "-d", "error_reporting=-1", join(import.meta.dir, "php-unit.php")], {
		stdout: "pipe",
	});
	expect(await new Response(child.stdout).text()).toBe("");
	expect(await child.exited).toBe(0);
});

test.skipIf(!hasPhp)(
	"the guide's examples run as one program",
	async () => {
		const service = await sharedService();
		const issuer = await createIssuer(service);
		const page = readFileSync(join(ROOT, "data/docs/en/sdk-php.md"), "utf8");
		const examples = [...page.matchAll(/^```php tab=php\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
		const program = examples
			.join("\n")
			.replace("vendor/autoload.php", join(ROOT, "src/sdk/php/autoload.php"))
			.replaceAll("{{company_rnc}}", issuer.rnc);
		const file = join(folder, "guide.php");
		await Bun.write(file, program);
		const child = Bun.spawn(["php", "-d", "error_reporting=-1", "-d", "zend.assertions=1", file], {
			cwd: folder,
			env: {
				...{ PATH: process.env.PATH ?? "", SELLO_URL: service.url, SELLO_API_KEY: issuer.apiKey },
				...{ SELLO_CLIENT_ID: issuer.clientId, SELLO_CLIENT_SECRET: issuer.clientSecret },
			},
			stdout: "pipe",
			stderr: "pipe",
		});
		const output = await new Response(child.stdout).text();
		expect(output).toMatch(/^E32\d{10} accepted https?:/);
		expect(output).toContain("invoice.accepted");
		expect(output).not.toMatch(/\b(?:Warning|Notice|Deprecated|Fatal error):/);
		expect(await child.exited).toBe(0);
	},
	60_000,
);

test("the same sources give the same package, byte by byte", async () => {
	const pack = async (name: string) => {
		await buildPhp(join(folder, name), "1.2.3");
		return packZip(join(folder, name));
	};
	const [one, other] = [await pack("one"), await pack("other")];
	expect(Buffer.from(one).equals(other)).toBe(true);
});
