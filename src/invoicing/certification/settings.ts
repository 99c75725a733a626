/** The operator's information about itself as a provider, read from the environment. */
import {
	ENVIRONMENTS,
	type Environment,
	isBaseUrl,
	isIsoDate,
	isSandbox,
	parseRange,
	parseTaxpayerDocument,
} from "../../platform/values";

export type Provider = {
	/** Null if not configured. */
	readonly rnc: string | null;
	readonly name: string | null;
	/** The authority's number; null before certification. */
	readonly certificationNumber: string | null;
	/** `YYYY-MM-DD`. */
	readonly certifiedAt: string | null;
	readonly environments: readonly { readonly name: Environment; readonly baseUrl: string }[];
	/** Addresses or blocks that webhooks and submissions come from. */
	readonly egressIps: readonly string[];
	readonly supportEmail: string | null;
	readonly statusPage: string | null;
	/** Commit of the software; null if unknown. */
	readonly commit: string | null;
};

type Env = Readonly<Record<string, string | undefined>>;

/** The last example company of the sample registry. */
const SANDBOX_PROVIDER = { rnc: "990000020", name: "PROVEEDOR DE PRUEBA SRL" };

/** `expected` is called for every invalid variable, with the expected form. */
export function readProvider(
	env: Env,
	environment: Environment,
	expected: (name: string, what: string) => void,
): Provider {
	const text = (name: string) => (env[name] === undefined || env[name] === "" ? null : env[name]);
	const checked = (name: string, isGood: (value: string) => boolean, what: string) => {
		const value = text(name);
		if (value === null || isGood(value)) return value;
		expected(name, what);
		return null;
	};
	const list = (name: string) => (text(name) ?? "").split(/[\s,]+/).filter(Boolean);
	const isUrl = (value: string) => /^https?:$/.test(URL.parse(value)?.protocol ?? "");

	const sandbox = isSandbox(environment) ? SANDBOX_PROVIDER : undefined;
	const egressIps = list("PROVIDER_EGRESS_IPS");
	if (!egressIps.every((one) => parseRange(one))) {
		expected("PROVIDER_EGRESS_IPS", "a list of addresses or blocks such as 203.0.113.10/32");
	}
	const environments = list("PROVIDER_ENVIRONMENTS").flatMap((entry) => {
		const [, name, baseUrl = ""] = /^([a-z-]+)=(.+)$/.exec(entry) ?? [];
		const known = ENVIRONMENTS.find((one) => one === name);
		if (known && isBaseUrl(baseUrl)) return [{ name: known, baseUrl: baseUrl.replace(/\/+$/, "") }];
		expected("PROVIDER_ENVIRONMENTS", "a list of environment=address such as production=https://api.example");
		return [];
	});
	const rnc = checked(
		"PROVIDER_RNC",
		(value) => parseTaxpayerDocument(value) !== undefined,
		"an RNC of 9 or 11 digits",
	);
	return {
		rnc: rnc === null ? (sandbox?.rnc ?? null) : (parseTaxpayerDocument(rnc)?.digits ?? null),
		name:
			checked(
				"PROVIDER_NAME",
				(value) => value.trim() !== "" && value.length <= 150,
				"a name of at most 150 characters",
			) ??
			sandbox?.name ??
			null,
		certificationNumber: checked("PROVIDER_CERTIFICATION", (value) => value.length <= 60, "at most 60 characters"),
		certifiedAt: checked("PROVIDER_CERTIFIED_AT", isIsoDate, "a day, YYYY-MM-DD"),
		environments,
		egressIps,
		supportEmail: checked("PROVIDER_SUPPORT_EMAIL", (value) => /^[^@\s]+@[^@\s]+$/.test(value), "an e-mail address"),
		statusPage: checked("PROVIDER_STATUS_PAGE", isUrl, "a URL with http: or https:"),
		commit: checked("COMMIT", (value) => /^[0-9a-f]{7,40}$/.test(value), "a commit, 7 to 40 hex digits"),
	};
}
