/** Runs `sello` as a program, with a configuration folder of its own. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Tenant, TestService } from "../../support/service";

const MAIN = join(import.meta.dir, "../../../src/cli/main.ts");

export type RunningSello = {
	readonly printed: () => string;
	readonly errors: () => string;
	/** The exit code, once everything is read. */
	readonly exited: Promise<number>;
	readonly stop: () => Promise<void>;
	/** As Ctrl+C does. */
	readonly interrupt: () => void;
	readonly write: (text: string) => void;
};

export function startSello(
	words: readonly string[],
	env: Readonly<Record<string, string>> = {},
	cwd = tmpdir(),
): RunningSello {
	const child = Bun.spawn([process.execPath, MAIN, ...words], {
		env: { PATH: process.env.PATH ?? "", LC_ALL: "C", XDG_CONFIG_HOME: join(tmpdir(), "sello-test-no-config"), ...env },
		...{ cwd, stdin: "pipe", stdout: "pipe", stderr: "pipe" },
	});
	const texts = { printed: "", errors: "" };
	const read = async (stream: ReadableStream<Uint8Array>, name: keyof typeof texts) => {
		const decoder = new TextDecoder();
		for await (const chunk of stream) texts[name] += decoder.decode(chunk, { stream: true });
	};
	const reading = Promise.all([read(child.stdout, "printed"), read(child.stderr, "errors")]);
	const exited = Promise.all([child.exited, reading]).then(([code]) => code);
	return {
		printed: () => texts.printed,
		errors: () => texts.errors,
		exited,
		stop: async () => {
			child.kill();
			await exited;
		},
		interrupt: () => child.kill("SIGINT"),
		write: (text) => {
			child.stdin.write(text);
			child.stdin.end();
		},
	};
}

export function credentialsOf(
	{ url }: TestService,
	{ apiKey, clientId, clientSecret }: Tenant,
): Record<string, string> {
	return { SELLO_URL: url, SELLO_API_KEY: apiKey, SELLO_CLIENT_ID: clientId, SELLO_CLIENT_SECRET: clientSecret };
}

export function makeConfigFolder(): string {
	return mkdtempSync(join(tmpdir(), "sello-test-config-"));
}
