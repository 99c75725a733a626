/**
 * Credentials that a login keeps, in `$XDG_CONFIG_HOME/sello/config.json` or `~/.config/sello/config.json`, which only its owner may read.
 *
 *     { "current": "default", "profiles": { "default": { "url", "apiKey", "clientId", "clientSecret", "tenantId", "rnc", "name" } } }
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

export type Profile = {
	readonly url?: string;
	readonly apiKey?: string;
	readonly clientId?: string;
	readonly clientSecret?: string;
	readonly tenantId?: string;
	readonly rnc?: string;
	readonly name?: string;
};

type Stored = { readonly current?: string; readonly profiles: Readonly<Record<string, Profile>> };
type Environment = Readonly<Record<string, string | undefined>>;

/** The file is there and cannot be used. */
export class ProfileError extends Error {}

const DEFAULT = "default";
const MEMBERS = ["url", "apiKey", "clientId", "clientSecret", "tenantId", "rnc", "name"] as const;

export function profileFile(env: Environment): string {
	return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config"), "sello", "config.json");
}

/** The named profile, or that of the last login. Throws: ProfileError. */
export function readProfile(env: Environment, name?: string): { readonly name: string; readonly profile: Profile } {
	const stored = readStored(env);
	const chosen = name ?? stored.current ?? DEFAULT;
	return { name: chosen, profile: stored.profiles[chosen] ?? {} };
}

/** Keeps a profile and makes it the current one; undefined removes it. Throws: ProfileError. */
export function keepProfile(env: Environment, name: string, profile: Profile | undefined): void {
	const file = profileFile(env);
	const { [name]: _, ...others } = readStored(env).profiles;
	const profiles = profile === undefined ? others : { ...others, [name]: profile };
	const current = profile === undefined ? Object.keys(others)[0] : name;
	try {
		mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
		const unfinished = `${file}.${process.pid}`;
		writeFileSync(unfinished, `${JSON.stringify({ current, profiles }, undefined, "\t")}\n`, { mode: 0o600 });
		chmodSync(unfinished, 0o600);
		renameSync(unfinished, file);
	} catch (error) {
		throw new ProfileError(`${file}: ${(error as Error).message}`);
	}
}

function readStored(env: Environment): Stored {
	const file = profileFile(env);
	let text: string;
	try {
		text = readFileSync(file, "utf8");
	} catch (error) {
		if ((error as { code?: unknown }).code === "ENOENT") return { profiles: {} };
		throw new ProfileError(`${file}: ${(error as Error).message}`);
	}
	try {
		const { current, profiles } = JSON.parse(text) as { current?: unknown; profiles?: Record<string, unknown> };
		const read = Object.entries(profiles ?? {}).map(([name, value]) => [name, readMembers(value)] as const);
		return { profiles: Object.fromEntries(read), ...(typeof current === "string" ? { current } : {}) };
	} catch (error) {
		throw new ProfileError(`${file}: ${(error as Error).message}`);
	}
}

function readMembers(value: unknown): Profile {
	const given = (value ?? {}) as Record<string, unknown>;
	return Object.fromEntries(MEMBERS.flatMap((name) => (typeof given[name] === "string" ? [[name, given[name]]] : [])));
}
