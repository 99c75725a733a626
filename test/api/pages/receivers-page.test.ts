/** The page for receivers, and its samples: each that can run here verifies a real delivery and refuses what was changed. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EVENT_NAMES } from "../../../src/events/catalogue";
import { verifySignature } from "../../../src/events/webhooks";
import { createTenant, get, sharedService, type TestService } from "../../support/service";
import { sendVerdict } from "../support/deliveries";
import { createWebhook } from "../support/webhooks";

const SAMPLES = join(import.meta.dir, "../../../data/examples/webhooks");
const folder = mkdtempSync(join(tmpdir(), "sello-samples-"));

/** Runs a sample: prints `true` or `false` for SECRET, HEADER, NEXT HEADER, the time, and the body on standard input. */
type Run = {
	readonly needs: string;
	readonly file: string;
	readonly main: string;
	readonly command: readonly string[];
};

const RUNS: Readonly<Record<string, Run>> = {
	TypeScript: {
		...{ needs: process.execPath, file: "verify.ts", command: [process.execPath, "main.ts"] },
		main: `import { verify } from "./verify";
const [secret = "", header, next, now] = process.argv.slice(2);
console.log(verify(secret, [header, next], new Uint8Array(await Bun.stdin.arrayBuffer()), Number(now)));`,
	},
	Python: {
		...{ needs: "python3", file: "verify.py", command: ["python3", "main.py"] },
		main: `import sys
from verify import verify
secret, header, other, now = sys.argv[1:]
print(str(verify(secret, [header, other], sys.stdin.buffer.read(), int(now))).lower())`,
	},
	PHP: {
		...{ needs: "php", file: "verify.php", command: ["php", "main.php"] },
		main: `<?php require 'verify.php'; [, $secret, $header, $next, $now] = $argv;
echo json_encode(verify($secret, [$header, $next], file_get_contents('php://stdin'), (int) $now));`,
	},
	Java: {
		...{
			needs: "javac",
			file: "Webhook.java",
			command: ["sh", "-c", '[ -f Main.class ] || javac -d . *.java && java Main "$@"', "sh"],
		},
		main: `public class Main { public static void main(String[] a) throws Exception {
System.out.println(Webhook.verify(a[0], java.util.List.of(a[1], a[2]), System.in.readAllBytes(), Long.parseLong(a[3]))); } }`,
	},
	Go: {
		...{
			needs: "go",
			file: "verify.go",
			command: ["sh", "-c", 'go mod init webhook 2>/dev/null; go run ./cmd "$@"', "sh"],
		},
		main: `package main
import ("fmt"; "io"; "os"; "strconv"; "time"; "webhook")
func main() { body, _ := io.ReadAll(os.Stdin); now, _ := strconv.ParseInt(os.Args[4], 10, 64)
fmt.Println(webhook.Verify(os.Args[1], os.Args[2:4], body, time.Unix(now, 0))) }`,
	},
};
const MAINS: Readonly<Record<string, string>> = {
	PHP: "main.php",
	Python: "main.py",
	TypeScript: "main.ts",
	Java: "Main.java",
	Go: "cmd/main.go",
};

let service: TestService;
let secret = "";
let header = "";
let body: Buffer = Buffer.alloc(0);

beforeAll(async () => {
	service = await sharedService();
	const tenant = await createTenant(service);
	const webhook = await createWebhook(service, tenant);
	secret = webhook.secret;
	await sendVerdict(service, tenant);
	const received = service.receiver.received.find(({ path }) => webhook.url.endsWith(path));
	header = received?.headers["x-service-signature"] ?? "";
	body = received?.body ?? body;
});
afterAll(() => rmSync(folder, { recursive: true }));

test("the page shows each sample as it stands in its file", async () => {
	const answer = await get(service, "/docs/webhooks");
	expect(answer.headers.get("content-type")).toContain("text/html");
	const page = await answer.text();
	for (const file of ["verify.ts", "verify.py", "verify.php", "Verify.cs", "Webhook.java", "verify.go"]) {
		const code = (await Bun.file(join(SAMPLES, file)).text()).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
		expect(page).toContain(code.replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;"));
	}
});

test("the page is in the reader's language, with each event explained in it", async () => {
	const read = async (language: string) => {
		const answer = await get(service, "/docs/webhooks", { "accept-language": language });
		expect(answer.headers.get("content-language")).toBe(language.slice(0, 2));
		return answer.text();
	};
	const [english, spanish] = [await read("en"), await read("es-DO")];
	expect(english).toContain("Verify the signature first.");
	expect(spanish).toContain("Primero verifique la firma.");
	const rows = (page: string) =>
		[...page.slice(page.indexOf('id="events"')).matchAll(/<tr>.*<\/tr>/g)].map(([row]) => row);
	expect(rows(spanish).length).toBe(rows(english).length);
	expect(rows(spanish).filter((row) => rows(english).includes(row))).toEqual([]);
});

test("the page lists every event, and its example verifies with its secret", async () => {
	const page = await (await get(service, "/docs/webhooks")).text();
	for (const name of EVENT_NAMES) expect(page).toContain(`<code>${name}</code>`);
	const shown = page.slice(page.indexOf('id="example"'), page.indexOf('id="events"')).replaceAll("&quot;", '"');
	const [, key = ""] = /<code>(whsec_[^<]+)<\/code>/.exec(shown) ?? [];
	const [, t = "", digest] = /X-Service-Signature: (?:t=(\d+),v1=([0-9a-f]{64}))/.exec(shown) ?? [];
	const [text = ""] = /\{"event".*\}/.exec(shown) ?? [];
	expect(verifySignature(key, `t=${t},v1=${digest}`, Buffer.from(text), Number(t))).toBe(true);
	expect(JSON.parse(text)).toMatchObject({ event: "invoice.accepted", sequence: expect.any(Number) });
});

// Compilers of five languages are much to ask of a machine, in CI too: only the samples whose program is here are tests.
const isHere = ({ needs }: Run) => Bun.which(needs) !== null;
const runs = Object.entries(RUNS);
for (const [language, run] of runs.filter(([, run]) => !isHere(run)))
	console.warn(`There is no ${run.needs} here: the sample in ${language} is not run.`);

test.each(runs.filter(([, run]) => isHere(run)))(
	"the sample in %s verifies a real delivery, and nothing else",
	async (language, run) => {
		const place = join(folder, language);
		await Bun.write(join(place, MAINS[language] ?? "main"), run.main);
		copyFileSync(join(SAMPLES, run.file), join(place, run.file));
		const t = Number(/t=(\d+)/.exec(header)?.[1]);
		const changed = Buffer.from(body);
		changed[changed.length - 2] = (changed[changed.length - 2] ?? 0) ^ 1;
		const ask = async (headers: readonly [string, string], sent: Uint8Array, now: number, key = secret) => {
			const file = join(place, "body");
			writeFileSync(file, sent);
			const child = Bun.spawn([...run.command, key, ...headers, String(now)], {
				cwd: place,
				stdin: Bun.file(file),
				stdout: "pipe",
				stderr: "inherit",
			});
			return (await new Response(child.stdout).text()).trim();
		};
		expect(await ask([header, ""], body, t + 300)).toBe("true");
		expect(await ask(["", header], body, t - 300)).toBe("true");
		expect(await ask([header, ""], body, t + 301)).toBe("false");
		expect(await ask([header, ""], changed, t)).toBe("false");
		expect(await ask([header, ""], body, t, `${secret}x`)).toBe("false");
		expect(await ask([header.toUpperCase(), `${header},v1=00`], body, t)).toBe("false");
	},
	// Compilers take their time on a busy machine.
	300_000,
);
