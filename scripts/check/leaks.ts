/** Finds what must not be published: keys, tokens and paths of a developer's machine. */
import { createHash } from "node:crypto";

export type Leak = { readonly kind: string; readonly value: string; readonly line: number };

type Pattern = { readonly kind: string; readonly form: RegExp };

/** The forms of secrets. Ours are long enough that a shortened example does not match. */
const SECRETS: readonly Pattern[] = [
	{
		kind: "private key",
		form: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----(?:\\[nr]|[\s"'`+,])*[A-Za-z0-9+/=]{40,}/g,
	},
	// API keys, client secrets and refresh tokens. Those of the sandboxes give no access.
	{ kind: "secret of the service", form: /\b(?:ak|cs|rt)_(?:live|stg)_[A-Za-z0-9_-]{16,}/g },
	{ kind: "webhook secret", form: /\bwhsec_[A-Za-z0-9+/=_-]{40,}/g },
	{ kind: "JSON web token", form: /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g },
	{ kind: "AWS access key", form: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
	{ kind: "AWS secret key", form: /\baws_secret_access_key\W{1,5}[A-Za-z0-9/+]{40}\b/gi },
];

const MACHINE_PATH: Pattern = {
	kind: "path of a machine",
	form: /(?<![\w.-])\/(?:work|root|home\/[\w.-]+|Users\/[\w.-]+)\//g,
};

/** Allowed constants of tests and public documents, by the SHA-256 of the value, each with its reason. */
const ALLOWED: Readonly<Record<string, string>> = {
	"1a5d44a2dca19669d72edf4c4f1c27c4c1ca4b4408fbb17f6ce4ad452d78ddb3":
		"the access key in the examples of AWS's own documents",
	c1ed00d58c57eda768889d62f2755e13cc9c5d1afa904f4247335242f4057c68:
		"a key of letters in order and a wrong checksum, in the test of how keys are shortened",
	"1cfb6c0c79eca32859cb6be3719f9643d32676f0fa604693ce9325c15fc4dc81": "the same for staging",
	b905006e31a4614f847ec9c1c3ee29976757c890742226403c68e1a6ad8f89f4:
		"the example of a purge's receipt, whose signature is the word signature",
	"5036e1435aa9756cfa1bb5563e8723c91bb2273537d8b6e73f3d1f9dddd9d1e2":
		"the secret of the page for receivers, which signs the delivery beside it: the bytes 0 to 31",
	"4f818c17487773e2c39b25fc16758aabbc8fbba64103c26ca2b3512e3e501fe3":
		"a key of zeros, in the test of what asks before it writes in production",
	"0a454b8c981d68706f8f7acb4fed6fb3c66a91f8bfec80db3cc7855fafd038cd":
		"the secret of the client libraries' scenario: the words secret of the scenario for SDKs",
};

export function findSecrets(text: string, allowed: Readonly<Record<string, string>> = ALLOWED): Leak[] {
	return SECRETS.flatMap((pattern) => findAll(text, pattern)).filter((leak) => !(fingerprint(leak.value) in allowed));
}

export function findMachinePaths(text: string): Leak[] {
	return findAll(text, MACHINE_PATH);
}

/** The key of a value in `ALLOWED`, so that the list itself holds no secret. */
export function fingerprint(value: string): string {
	return createHash("sha256").update(value).digest("hex");
}

function findAll(text: string, { kind, form }: Pattern): Leak[] {
	return [...text.matchAll(form)].map((match) => ({
		kind,
		value: match[0],
		line: text.slice(0, match.index).split("\n").length,
	}));
}
