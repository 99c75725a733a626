/** Commands on the account: login, logout, whoami, and companies, whose credentials go into the profile. */
import { PermissionError, type Sello } from "../../sdk/typescript";
import { UsageError } from "../arguments";
import { type Context, needId, Refusal, type Result } from "../context";
import { keepProfile, type Profile, profileFile } from "../profile";
import { EXIT } from "../take-order";

/** Public in every sandbox. */
const DEMO = { apiKey: "ak_demo_public0000000000000000", clientId: "demo", clientSecret: "demo" };

type Claims = {
	readonly tenant_id?: string;
	readonly environment?: string;
	readonly scope?: string;
	readonly exp?: number;
};

/** What an access token says; the service judges it, not this program. Source: RFC 9068. */
export async function readClaims(sello: Sello, { clientId, clientSecret }: Profile): Promise<Claims> {
	const { access_token: token } = await sello.tokens.create({
		grant_type: "client_credentials",
		client_id: clientId ?? "",
		client_secret: clientSecret ?? "",
	});
	return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Claims;
}

export async function login(context: Context): Promise<Result> {
	const { account, env, t, paint } = context;
	const given = await askCredentials(context);
	const profile: Profile = { ...given, url: account.url };
	const owner = await findCompany(context, profile);
	keepProfile(env, account.profileName, { ...profile, ...owner });
	return {
		data: { profile: account.profileName, url: account.url, file: profileFile(env), ...owner },
		lines: [
			paint("green", t(`logged in at ${account.url}`, `sesión iniciada en ${account.url}`)),
			owner.tenantId === undefined
				? t("no company yet: sello company create RNC", "sin empresa aún: sello company create RNC")
				: owner.name === undefined
					? owner.tenantId
					: `${owner.name}, RNC ${owner.rnc}`,
		],
	};
}

/** Throws: UsageError for half a pair, and for what is missing without a terminal. */
async function askCredentials({ args, env, ask, isInteractive, t }: Context): Promise<Profile> {
	if (args.has("demo")) return DEMO;
	const take = async (option: string, variable: string, question: string, isSecret: boolean) => {
		const value = args.text(option) ?? env[variable];
		if (value !== undefined || !isInteractive) return value ?? "";
		return ask(`${question}: `, isSecret);
	};
	const apiKey = await take("key", "SELLO_API_KEY", t("API key", "Clave de API"), true);
	if (apiKey === "") throw new UsageError(t("--key is needed, or --demo", "falta --key, o --demo"));
	const clientId = await take(
		"client-id",
		"SELLO_CLIENT_ID",
		t("Client id (empty without a company)", "Id de cliente (vacío sin empresa)"),
		false,
	);
	const clientSecret =
		clientId === ""
			? ""
			: await take("client-secret", "SELLO_CLIENT_SECRET", t("Client secret", "Secreto de cliente"), true);
	if ((clientId === "") !== (clientSecret === "") || (clientId === "" && args.has("client-secret")))
		throw new UsageError(t("--client-id and --client-secret go together", "--client-id y --client-secret van juntos"));
	return { apiKey, ...(clientId === "" ? {} : { clientId, clientSecret }) };
}

/** Checks the credentials and finds their company; empty for a key alone. */
async function findCompany(
	{ connect }: Context,
	profile: Profile,
): Promise<Pick<Profile, "tenantId" | "rnc" | "name">> {
	const sello = connect(profile);
	if (profile.clientId === undefined) {
		// Any read shows whether the key is known; this one may be beyond its scopes.
		await sello.registry.getStatus().catch((error: unknown) => {
			if (!(error instanceof PermissionError)) throw error;
		});
		return {};
	}
	const { tenant_id: tenantId } = await readClaims(sello, profile);
	if (tenantId === undefined) return {};
	const company = await readCompany(sello, tenantId);
	return { tenantId, ...(company && { rnc: company.rnc, name: company.name }) };
}

/** Absent where the key may not read it, such as an agent's or a till's. */
async function readCompany(sello: Sello, tenantId: string) {
	return sello.companies.get(tenantId).catch((error: unknown) => {
		if (error instanceof PermissionError) return undefined;
		throw error;
	});
}

export async function logout({ account, env, t }: Context): Promise<Result> {
	keepProfile(env, account.profileName, undefined);
	return {
		data: { profile: account.profileName },
		lines: [t(`profile ${account.profileName} removed`, `perfil ${account.profileName} borrado`)],
	};
}

export async function whoami(context: Context): Promise<Result> {
	const { account, t, table } = context;
	const sello = context.connect();
	const claims = account.clientId === undefined ? {} : await readClaims(sello, account);
	const company = claims.tenant_id === undefined ? undefined : await readCompany(sello, claims.tenant_id);
	const data = {
		...{
			profile: account.profileName,
			url: account.url,
			key: hint(account.apiKey),
			clientId: account.clientId ?? null,
		},
		...{
			company: company && { tenantId: company.tenantId, rnc: company.rnc, name: company.name, status: company.status },
		},
		...{ environment: claims.environment ?? null, scopes: claims.scope?.split(" ") ?? [] },
	};
	return {
		data,
		lines: table([
			[t("profile", "perfil"), account.profileName],
			[t("service", "servicio"), account.url],
			[t("key", "clave"), data.key],
			[
				t("company", "empresa"),
				company === undefined
					? (claims.tenant_id ?? t("none", "ninguna"))
					: `${company.name}, RNC ${company.rnc}, ${company.status}`,
			],
			[t("environment", "ambiente"), claims.environment ?? ""],
			[t("scopes", "permisos"), data.scopes.join(" ")],
		]),
	};
}

/** The first characters of a key, enough to recognise it. */
function hint(key = ""): string {
	return key.length > 12 ? `${key.slice(0, 12)}…` : key;
}

export async function createCompany(context: Context): Promise<Result> {
	const { account, args, env, t } = context;
	const rnc = (args.operand ?? "").replaceAll("-", "");
	if (!/^(\d{9}|\d{11})$/.test(rnc))
		throw new UsageError(
			t(`expected 9 or 11 digits, got ${args.operand}`, `se esperaban 9 u 11 dígitos, se recibió ${args.operand}`),
		);
	await context.confirm(t(`register ${rnc}`, `registrar ${rnc}`));
	const company = await context.connect().companies.create({
		rnc,
		settings: { sequenceMode: context.args.oneOf("numbers", ["service", "client"] as const, "service") },
	});
	const { tenantId, name, credentials } = company;
	if (!credentials?.clientSecret)
		throw new Refusal(
			t(
				`${name} was registered before: sello company credentials ${tenantId}`,
				`${name} ya estaba registrada: sello company credentials ${tenantId}`,
			),
		);
	keepCredentials(context, {
		tenantId,
		rnc: company.rnc,
		name,
		...credentials,
		clientSecret: credentials.clientSecret,
	});
	return {
		data: { tenantId, rnc: company.rnc, name, profile: account.profileName, file: profileFile(env) },
		lines: [
			`${name}, RNC ${company.rnc}, ${tenantId}`,
			t(
				`credentials are in the profile ${account.profileName}`,
				`las credenciales están en el perfil ${account.profileName}`,
			),
		],
	};
}

export async function renewCredentials(context: Context): Promise<Result> {
	const { account, args, t } = context;
	const tenantId = args.operand === undefined ? account.tenantId : needId(context);
	if (tenantId === undefined)
		throw new UsageError(t("company credentials needs ID", "company credentials necesita ID"));
	await context.confirm(t("renew the credentials", "renovar las credenciales"));
	const sello = context.connect();
	const { clientId, clientSecret } = await sello.companies.renewCredentials(tenantId);
	if (!clientSecret) throw new Refusal(t("the secret was shown before", "el secreto ya se mostró"), EXIT.refused);
	const { rnc, name } = await context.connect({ ...account, clientId, clientSecret }).companies.get(tenantId);
	keepCredentials(context, { tenantId, rnc, name, clientId, clientSecret });
	return {
		data: { tenantId, clientId, profile: account.profileName },
		lines: [
			t(
				`new credentials of ${name} are in the profile ${account.profileName}`,
				`las nuevas credenciales de ${name} están en el perfil ${account.profileName}`,
			),
		],
	};
}

/** A secret is shown once by the service, so it is kept before anything else can fail. */
function keepCredentials({ account, env }: Context, company: Profile): void {
	const { url, apiKey = "", profileName } = account;
	keepProfile(env, profileName, { url, apiKey, ...company });
}
