/** What every command of `sello` works with: its arguments, the terminal, the account, and a client of the service. */
import { Sello } from "../sdk/typescript";
import { type Args, UsageError } from "./arguments";
import { type Profile, readProfile } from "./profile";
import { EXIT } from "./take-order";
import type { Terminal } from "./terminal";

/** A command ends without having done what it was for. The message is one line. */
export class Refusal extends Error {
	readonly exitCode: number;

	constructor(message: string, exitCode: number = EXIT.refused) {
		super(message);
		this.exitCode = exitCode;
	}
}

/** `data` is printed with `--json`, else `lines`. */
export type Result = { readonly data: unknown; readonly lines: readonly string[]; readonly exitCode?: number };

/** Without a result the command has printed by itself. */
export type Run = (context: Context) => Promise<Result | undefined>;

export type Account = Profile & { readonly url: string; readonly profileName: string };

export type Context = Terminal & {
	readonly args: Args;
	readonly env: Readonly<Record<string, string | undefined>>;
	/** The version of this program. */
	readonly version: string;
	readonly account: Account;
	/** A client with the account's credentials, or with others. Throws: Refusal without a key. */
	readonly connect: (credentials?: Profile) => Sello;
	/** A client for what is public. */
	readonly connectPublic: () => Sello;
	/** Asks before a write in production. Throws: Refusal if the answer is no, UsageError without a terminal. */
	readonly confirm: (what: string) => Promise<void>;
};

const DEFAULT_URL = "http://127.0.0.1:3000";

/** Throws: UsageError, ProfileError. */
export function createContext(terminal: Terminal, args: Args, version: string): Context {
	const { env } = process;
	const account = readAccount(env, args, terminal);
	const options = { baseUrl: account.url, language: terminal.language };
	return {
		...terminal,
		...{ args, env, version, account },
		connectPublic: () => new Sello(options),
		connect: ({ apiKey, clientId, clientSecret } = account) => {
			if (!apiKey)
				throw new Refusal(terminal.t("no credentials: sello login", "sin credenciales: sello login"), EXIT.credentials);
			return new Sello({ ...options, apiKey, ...(clientId && clientSecret ? { clientId, clientSecret } : {}) });
		},
		confirm: async (what) => {
			if (!account.apiKey?.startsWith("ak_live_") || args.has("yes")) return;
			if (!terminal.isInteractive)
				throw new UsageError(terminal.t(`${what} in production needs --yes`, `${what} en producción necesita --yes`));
			const answer = await terminal.ask(terminal.t(`${what} in production? (y/N) `, `¿${what} en producción? (s/N) `));
			if (!/^[ysí]/i.test(answer)) throw new Refusal(terminal.t("not done", "no se hizo"));
		},
	};
}

/** Options win over the environment, which wins over the profile. Credentials of the two are never mixed. */
function readAccount(env: Context["env"], args: Args, { t }: Terminal): Account {
	const { name, profile } = readProfile(env, args.text("profile"));
	const given = { apiKey: env.SELLO_API_KEY, clientId: env.SELLO_CLIENT_ID, clientSecret: env.SELLO_CLIENT_SECRET };
	const isGiven = Object.values(given).some(Boolean);
	const url = args.text("url") ?? (env.SELLO_URL || undefined) ?? profile.url ?? DEFAULT_URL;
	checkAddress("--url", url, t);
	return { ...(isGiven ? given : profile), url: url.replace(/\/+$/, ""), profileName: name };
}

/** `localhost:8080/hooks` is a valid URL too, with the scheme `localhost`. Throws: UsageError. */
export function checkAddress(option: string, text: string, t: Terminal["t"]): void {
	if (/^https?:\/\//i.test(text) && URL.canParse(text)) return;
	throw new UsageError(
		t(
			`expected ${option} http://… or https://…, got ${text}`,
			`se esperaba ${option} http://… o https://…, se recibió ${text}`,
		),
	);
}

/** The reason of a failed fetch, which hides it in its cause. */
export function reasonOf(error: unknown): string {
	const { cause, message } = error as { readonly cause?: unknown; readonly message?: string };
	if (cause !== undefined) return reasonOf(cause);
	return message || (error as { readonly code?: string }).code || String(error);
}

/** The id of a document, company or prepared invoice. Throws: UsageError. */
export function needId({ args, t }: Context, position = 0): string {
	const id = args.operands[position] ?? "";
	if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return id;
	throw new UsageError(t(`expected an id, got ${id}`, `se esperaba un id, se recibió ${id}`));
}
