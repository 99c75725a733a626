/** Operator commands on the people who sign in to the console. */
import { toConsoleUrl } from "../../src/app/config/config";
import type { Args } from "../../src/cli";
import {
	disablePerson,
	endPersonsSessions,
	invitePerson,
	makeLocalLink,
	resetPerson,
} from "../../src/identity/sessions";
import { listMemberships, listUsers, TEAM_ROLES } from "../../src/identity/users";
import { isMailAddress } from "../../src/platform/mail";
import { LANGUAGES } from "../../src/platform/problem";
import { createEnvelope } from "../../src/platform/secrets";
import { isId, systemClock } from "../../src/platform/values";
import { type Context, needId, type Result, type Runs, UsageError, withAccess } from "./command";

const SEE_USERS = "expected a person's id; see console users";

export const consoleCommands = {
	"console invite": invite,
	"console link": async ({ sql, config }) => {
		if (config.environment !== "sandbox")
			throw new UsageError("only a local sandbox has such links; elsewhere invite the person: console invite");
		const token = await makeLocalLink(sql, systemClock.now());
		return { data: { link: `${consoleUrlOf(config)}/console/enter#${token}` } };
	},
	"console users": async ({ sql }) => {
		const users = await listUsers(sql);
		const data = await Promise.all(
			users.map(async ({ id, email, name, passwordHash, totpAt, passkeys, createdAt, disabledAt }) => ({
				...{ id, email, name, password: passwordHash !== null, totp: totpAt !== null, passkeys, createdAt, disabledAt },
				memberships: (await listMemberships(sql, id)).map(({ ownerId, role, tenantIds }) => ({
					ownerId,
					role,
					tenantIds,
				})),
			})),
		);
		return { data };
	},
	"console sessions end": async ({ sql }, args) => {
		const id = needId(args, SEE_USERS);
		return { data: { id, ended: known(id, await endPersonsSessions(sql, id, systemClock.now())) } };
	},
	"console reset": async (context, args) => {
		const id = needId(args, SEE_USERS);
		const link = await resetPerson(context.sql, mailerOf(context), id, systemClock.now());
		return { data: { id, link: known(id, link) } };
	},
	/** Exits with 1 if the account was closed before. */
	"console disable": async ({ sql }, args) => {
		const id = needId(args, SEE_USERS);
		const disabled = known(id, await disablePerson(sql, id, systemClock.now()));
		return { data: { id, disabled }, exitCode: disabled ? 0 : 1 };
	},
} satisfies Runs;

async function invite(context: Context, args: Args): Promise<Result> {
	const email = args.need("email").toLowerCase();
	if (!isMailAddress(email)) throw new UsageError(`expected --email to be a mail address, got ${email}`);
	const isOperator = args.has("operator");
	const owner = args.text("owner");
	if (isOperator === (owner !== undefined))
		throw new UsageError("expected either --owner ID --role ROLE or --operator");
	const isKnown = (id: string) => withAccess(context, async (access) => (await access.listKeys(id)).length > 0);
	if (owner !== undefined && !(isId(owner) && (await isKnown(owner))))
		throw new UsageError(`no owner has the id ${owner}; see keys list`);
	const role = isOperator ? ("operator" as const) : args.oneOf("role", TEAM_ROLES);
	const tenantIds = args.has("companies") ? args.list("companies") : null;
	const odd = (tenantIds ?? []).filter((id) => !isId(id));
	if (odd.length > 0) throw new UsageError(`expected --companies to be tenant ids, got ${odd.join(", ")}`);
	const language = args.oneOf("lang", LANGUAGES, "es");
	const asked = { email, ownerId: owner ?? null, role, tenantIds, language };
	const { link, expiresAt } = await invitePerson(context.sql, mailerOf(context), asked, systemClock.now());
	return { data: { email, role, ownerId: owner ?? null, link, expiresAt } };
}

function known<T>(id: string, found: T | undefined): T {
	if (found === undefined) throw new UsageError(`no person has the id ${id}; see console users`);
	return found;
}

const consoleUrlOf = ({ consoleUrl, baseUrl, host, port }: Context["config"]): string =>
	consoleUrl ?? toConsoleUrl(baseUrl ?? `http://${host}:${port}`);

const mailerOf = ({ config, kekFile }: Context) => ({
	envelope: createEnvelope({ file: kekFile }),
	consoleUrl: consoleUrlOf(config),
});
