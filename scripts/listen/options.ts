/** Options of `bun run listen`: the command line, and the company's credentials in the environment. */
import { parseArgs } from "node:util";

export type ListenOptions = {
	readonly url: string;
	/** URL that events are posted to; undefined only prints them. */
	readonly forward: string | undefined;
	readonly types: string | undefined;
	readonly after: string | undefined;
	readonly secret: string | undefined;
	readonly credentials: { readonly apiKey: string; readonly clientId: string; readonly clientSecret: string };
};

export const USAGE = `bun run listen [--forward http://localhost:8080/hooks] [options]

  --forward URL     posts each event, signed, to a local receiver (default: only prints events)
  --url URL         service URL (default: http://127.0.0.1:3000)
  --types LIST      such as invoice.*,certificate.* (default: all)
  --after SEQUENCE  start after this event (default: now)
  --secret whsec_…  signing secret of forwarded events (default: generated and printed)

The company's credentials come from the environment: SELLO_API_KEY, the key that registered it; SELLO_CLIENT_ID and
SELLO_CLIENT_SECRET, from the answer of POST /v1/company.`;

/** Wrong options. The message is shown to the user. */
export class UsageError extends Error {}

/** Undefined if only help is requested. Throws: UsageError listing everything wrong or missing. */
export function readOptions(
	args: readonly string[],
	env: Readonly<Record<string, string | undefined>>,
): ListenOptions | undefined {
	const { help, url, ...values } = parse(args);
	if (help) return undefined;
	const wrong = findWrong({ url, ...values });
	const { SELLO_API_KEY: apiKey, SELLO_CLIENT_ID: clientId, SELLO_CLIENT_SECRET: clientSecret } = env;
	if (apiKey && clientId && clientSecret && wrong.length === 0) {
		return {
			...{ url, forward: values.forward, types: values.types, after: values.after, secret: values.secret },
			credentials: { apiKey, clientId, clientSecret },
		};
	}
	const given = { SELLO_API_KEY: apiKey, SELLO_CLIENT_ID: clientId, SELLO_CLIENT_SECRET: clientSecret };
	const missing = Object.entries(given).flatMap(([name, value]) => (value ? [] : [name]));
	const absent = missing.length > 0 ? [`expected ${missing.join(", ")} in the environment`] : [];
	throw new UsageError([...absent, ...wrong].join("\n"));
}

/** Messages about values that would only fail later, with each event. */
function findWrong(values: { readonly url: string; readonly forward?: string; readonly secret?: string }): string[] {
	const addresses = [
		["--url", values.url],
		["--forward", values.forward],
	] as const;
	const wrong = addresses.flatMap(([option, text]) =>
		text === undefined || isAddress(text) ? [] : [`expected ${option} http://… or https://…, got ${text}`],
	);
	// The value is a secret and is not repeated.
	if (values.secret !== undefined && !values.secret.startsWith("whsec_"))
		wrong.push("expected --secret whsec_…, whole");
	return wrong;
}

/** `localhost:8080/hooks` is a valid URL too, with the scheme `localhost`. */
function isAddress(text: string): boolean {
	return /^https?:\/\//i.test(text) && URL.canParse(text);
}

function parse(args: readonly string[]) {
	try {
		return parseArgs({
			args: [...args],
			options: {
				help: { type: "boolean", short: "h" },
				url: { type: "string", default: "http://127.0.0.1:3000" },
				forward: { type: "string" },
				types: { type: "string" },
				after: { type: "string" },
				secret: { type: "string" },
			},
		}).values;
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
}
