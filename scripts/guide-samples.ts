/**
 * Runs the examples of the guides and the samples of the reference against a fresh service, and shows each that does not answer as it should.
 *
 *     bun scripts/guide-samples.ts                      all guides, and the reference
 *     bun scripts/guide-samples.ts --only NAME,NAME     some guides; `reference` is the reference
 *     bun scripts/guide-samples.ts --url URL            the guides against a new sandbox that runs already; some pass only once
 *
 * The guides run one after another, since they share the demo's company; each is one program. The reference runs beside them with a company of its
 * own. See `scripts/samples/guides.ts` for the form of examples.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runAdmin, startService } from "../test/support/processes";
import { startReceiver } from "../test/support/webhook-receiver";
import { demoVariables, readGuides } from "./samples/guides";
import { runSamples } from "./samples/program";
import { runReference } from "./samples/reference";

const { values: options } = parseArgs({ options: { only: { type: "string" }, url: { type: "string" } } });
const wanted = options.only?.split(",");
const isWanted = (name: string) => wanted === undefined || wanted.includes(name);

/** Without the service's folder, commands on its database are left out. */
async function runGuides(baseUrl: string, dataDir?: string): Promise<string[]> {
	const violations: string[] = [];
	const demo = demoVariables(baseUrl);
	const shell = { BASE: baseUrl, KEY: demo.api_key ?? "", TOKEN: await getToken(baseUrl, demo) };
	for (const { name, samples } of readGuides(demo).filter((page) => isWanted(page.name))) {
		const shown = samples.filter(({ code }) => dataDir !== undefined || !/\bbun run admin\b/.test(code));
		const found = await runSamples(shown, dataDir === undefined ? shell : { ...shell, DATA_DIR: dataDir });
		console.log(`${name}: ${shown.length} examples, ${found.length} wrong`);
		violations.push(...found);
	}
	return violations;
}

async function getToken(baseUrl: string, { client_id = "", client_secret = "" }: Readonly<Record<string, string>>) {
	const body = new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret });
	const answer = await fetch(`${baseUrl}/v1/auth/token`, { method: "POST", body, headers: { accept: "text/plain" } });
	return await answer.text();
}

async function runOnFreshService(): Promise<string[]> {
	const folder = mkdtempSync(join(tmpdir(), "sello-guides-"));
	const receiver = await startReceiver();
	const settings = { PORT: "0", DATA_DIR: join(folder, "data"), WEBHOOK_ALLOW: receiver.host };
	const service = startService(settings, join(folder, "service.log"));
	const runWithSettings = (args: readonly string[]) => runAdmin(args, settings);
	try {
		const url = await service.ready;
		const reference = isWanted("reference")
			? runReference({ url, receiverHost: receiver.host, runAdmin: runWithSettings })
			: undefined;
		const [ofGuides, ofReference] = await Promise.all([runGuides(url, settings.DATA_DIR), reference]);
		if (ofReference) console.log(`reference: ${ofReference.count} samples, ${ofReference.violations.length} wrong`);
		return [...ofGuides, ...(ofReference?.violations ?? [])];
	} finally {
		service.kill("SIGTERM");
		await service.ended;
		receiver.stop();
		rmSync(folder, { recursive: true });
	}
}

const violations = await (options.url ? runGuides(options.url) : runOnFreshService());
for (const violation of violations) console.log(`\n${violation}`);
process.exit(violations.length > 0 ? 1 : 0);
