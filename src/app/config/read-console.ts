/** Reads what the console needs from the environment: whether it is served, its address, and the organisation's identity provider. */
import { readFileSync } from "node:fs";
import { type Environment, isBaseUrl, isLoopbackHost, isSandbox } from "../../platform/values";
import type { Config } from "./config";
import type { EnvReader } from "./env-reader";

export function readConsole(variables: EnvReader, environment: Environment) {
	const consoleUrl = variables.baseUrl("CONSOLE_URL");
	if (!isSandbox(environment) && /^http:/i.test(consoleUrl ?? ""))
		variables.expected("CONSOLE_URL", "an address with https:");
	return {
		isConsoleOn: variables.oneOf("CONSOLE", ["on", "off"], "on") === "on",
		consoleUrl,
		sso: readSso(variables, environment),
	} satisfies Partial<Config>;
}

function readSso(variables: EnvReader, environment: Environment): Config["sso"] {
	const { text, report } = variables;
	const issuer = text("OIDC_ISSUER");
	const clientId = text("OIDC_CLIENT_ID");
	const secretFile = text("OIDC_CLIENT_SECRET_FILE");
	const label = text("OIDC_LABEL");
	const isRequired = variables.oneOf("OIDC_REQUIRED", ["on", "off"], "off") === "on";
	if (issuer === undefined) {
		if ((clientId ?? secretFile ?? label) !== undefined || isRequired)
			report("the settings OIDC_… need OIDC_ISSUER, which is not set");
		return undefined;
	}
	// A slash at the end stays: it is a part of the name.
	if (!isIssuer(issuer, environment))
		variables.expected("OIDC_ISSUER", "an address with https: without login, query and fragment");
	if (clientId === undefined || secretFile === undefined) {
		report("OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET_FILE");
		return undefined;
	}
	if (!holdsText(secretFile)) variables.expected("OIDC_CLIENT_SECRET_FILE", "a file with the client's secret");
	if (label !== undefined && label.length > LABEL_LENGTH_MAX)
		variables.expected("OIDC_LABEL", `at most ${LABEL_LENGTH_MAX} characters`);
	return { issuer, clientId, secretFile, label: label ?? hostOf(issuer), isRequired };
}

const LABEL_LENGTH_MAX = 40;
const hostOf = (issuer: string): string => (URL.canParse(issuer) ? new URL(issuer).host : issuer);

/** The sandboxes may ask a provider on this machine. */
function isIssuer(text: string, environment: Environment): boolean {
	if (!isBaseUrl(text)) return false;
	const { protocol, hostname } = new URL(text);
	return protocol === "https:" || (protocol === "http:" && isSandbox(environment) && isLoopbackHost(hostname));
}

function holdsText(path: string): boolean {
	try {
		return readFileSync(path, "utf8").trim() !== "";
	} catch {
		return false;
	}
}
