/** The package managers install the client libraries from the service while no public registry can be reached. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reportSkip } from "../../support/skips";
import { type Served, serveDeclared } from "../support/declared-operations";

const UNREACHABLE = "http://127.0.0.1:1";
const LIMIT_MS = 60_000;

const missing = ["npm", "composer", "pip3"].filter((program) => Bun.which(program) === null);
for (const program of missing) reportSkip(`installing a client library needs ${program}`);

let served: Served;
let folder: string;
beforeAll(() => {
	served = serveDeclared();
	folder = mkdtempSync(join(tmpdir(), "sello-install-"));
});
afterAll(async () => {
	await served.stop();
	rmSync(folder, { recursive: true });
});

/** A command in the test's folder, with caches of its own and without the machine's settings. Returns what it prints; throws if it fails. */
async function run(...command: string[]): Promise<string> {
	const child = Bun.spawn(command, {
		cwd: folder,
		env: {
			...{ PATH: process.env.PATH ?? "", HOME: folder, TMPDIR: folder, COMPOSER_ALLOW_SUPERUSER: "1" },
			...{ npm_config_registry: UNREACHABLE, npm_config_fetch_retries: "0", npm_config_update_notifier: "false" },
			...{ PIP_INDEX_URL: UNREACHABLE, PIP_RETRIES: "0", PIP_DISABLE_PIP_VERSION_CHECK: "1" },
		},
		stdout: "pipe",
		stderr: "pipe",
	});
	const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed:\n${out}${err}`);
	return out;
}

type Item = { readonly library: string; readonly version: string; readonly url: string };
async function newest(library: string): Promise<Item> {
	const answer = await fetch(`${served.url}/sdk`, { headers: { accept: "application/json" } });
	const found = ((await answer.json()) as { items: Item[] }).items.find((one) => one.library === library);
	if (!found) throw new Error(`there is no archive of ${library}`);
	return found;
}

test.skipIf(missing.includes("npm"))(
	"npm installs the newest archive by its address, and from the service as a registry",
	async () => {
		const { version, url } = await newest("typescript");
		const folders = { "by-npm": `${served.url}/sdk/sello.tgz`, "by-registry": "@sello/sdk" };
		for (const [path, source] of Object.entries(folders)) {
			await Bun.write(join(folder, path, "package.json"), "{}");
			const scope = `--@sello:registry=${served.url}/sdk/npm/`;
			await run("npm", "install", "--prefix", path, "--no-audit", "--no-fund", scope, source);
			const installed = await Bun.file(join(folder, path, "node_modules/@sello/sdk/package.json")).json();
			expect(installed.version).toBe(version);
		}
		const lock = await Bun.file(join(folder, "by-registry/package-lock.json")).json();
		expect(lock.packages["node_modules/@sello/sdk"].resolved).toBe(url);
	},
	LIMIT_MS,
);

test.skipIf(missing.includes("composer"))(
	"composer installs from the service as from any repository",
	async () => {
		const { version } = await newest("php");
		const sello = { type: "composer", url: `${served.url}/sdk/php` };
		const manifest = { repositories: [sello, { "packagist.org": false }], config: { "secure-http": false } };
		writeFileSync(join(folder, "composer.json"), JSON.stringify(manifest));
		await run("composer", "require", "--no-interaction", "sello/sdk:@dev");
		const program =
			"require 'vendor/autoload.php'; new Sello\\Client(baseUrl: 'http://a'); echo Sello\\Client::VERSION;";
		expect(await run("php", "-r", program)).toBe(version);
	},
	LIMIT_MS,
);

test.skipIf(missing.includes("pip3"))(
	"pip installs the wheel by its address, and by the page of archives",
	async () => {
		const { url, version } = await newest("python");
		await run("pip3", "install", "--target", "by-address", url);
		await run("pip3", "install", "--target", "by-page", "--no-index", "--find-links", `${served.url}/sdk`, "sello-ecf");
		for (const path of ["by-address", "by-page"]) {
			const program = `import sys; sys.path.insert(0, "${path}"); import sello_ecf; print(sello_ecf.__version__)`;
			expect((await run("python3", "-c", program)).trim()).toBe(version.replace("-dev.", ".dev0+"));
		}
	},
	LIMIT_MS,
);
