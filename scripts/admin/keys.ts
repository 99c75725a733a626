/** Operator commands on keys: callers' keys, token signing keys, and the key that encrypts stored secrets. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { checkInForce, KekNotInForceError, rotateKek } from "../../src/app/maintenance/kek-rotation";
import { isMailAddress } from "../../src/platform/mail";
import { PLANS, SCOPES, type Scope } from "../../src/platform/operation";
import { nextKekFile, readKek, readOrMakeKek } from "../../src/platform/secrets";
import { ENVIRONMENTS, isId } from "../../src/platform/values";
import type { Args } from "./args";
import { atPath, type Command, type Context, type Result, refuseAsUsage, UsageError, withAccess } from "./command";

/** The same limit as for keys created through the API. */
const LABEL_MAX = 100;

export const keyCommands: readonly Command[] = [
	{
		usage: "keys create --plan PLAN --label NAME [--environment E] [--scopes a,b] [--owner ID] [--contacts a@b,c@d]",
		run: createKey,
	},
	{
		usage: "keys list",
		run: (context) => withAccess(context, async (access) => ({ data: await access.listKeys() })),
	},
	{
		usage: "keys revoke ID",
		/** Exits with 1 if there was no key to revoke. */
		run: (context, args) =>
			withAccess(context, async (access) => {
				const id = args.operand;
				if (!id) throw new UsageError("the key's id is needed");
				const revoked = await access.revokeKey(id);
				return { data: { id, revoked }, exitCode: revoked ? 0 : 1 };
			}),
	},
	{
		usage: "keys-signing rotate [--at-once]",
		run: (context, args) =>
			withAccess(context, async (access) => ({
				data: await access.rotateSigningKey({ atOnce: args.has("at-once") }),
			})),
	},
	{ usage: "keys-encryption rotate --to FILE", run: rotateEncryption },
];

async function createKey(context: Context, args: Args): Promise<Result> {
	const environment = args.oneOf("environment", ENVIRONMENTS, context.config.environment);
	if (environment !== context.config.environment) {
		throw new UsageError(`this deployment is ${context.config.environment}: keys never cross environments`);
	}
	const scopes = args.has("scopes") ? args.list("scopes").map(toScope) : undefined;
	if (scopes?.length === 0) throw new UsageError("expected --scopes to name one at least");
	const owner = args.text("owner");
	if (owner !== undefined && !isId(owner)) throw new UsageError(`expected --owner to be an id, got ${owner}`);
	const contactEmails = args.list("contacts");
	const odd = contactEmails.filter((address) => !isMailAddress(address));
	if (odd.length > 0) throw new UsageError(`expected --contacts to be mail addresses, got ${odd.join(", ")}`);
	const label = args.need("label");
	if (label.trim() === "" || [...label].length > LABEL_MAX) {
		throw new UsageError(`expected --label to have 1 to ${LABEL_MAX} characters and something besides spaces`);
	}
	const asked = { plan: args.oneOf("plan", PLANS), label, environment, contactEmails };
	return withAccess(context, async (access) => {
		const created = await access
			.createKey({ ...asked, ...(scopes ? { scopes } : {}), ...(owner ? { ownerId: owner } : {}) })
			.catch(refuseAsUsage(RangeError));
		const { id, key, prefix, plan, ownerId } = created;
		return { data: { id, key, prefix, plan, environment, ownerId } };
	});
}

function toScope(name: string): Scope {
	const scope = SCOPES.find((known) => known === name);
	if (!scope) throw new UsageError(`unknown scope ${name}; known: ${SCOPES.join(", ")}`);
	return scope;
}

/** Exits with 1 if a secret could not be re-encrypted. */
async function rotateEncryption({ sql, kekFile }: Context, args: Args): Promise<Result> {
	const file = args.need("to");
	const from = readKek(kekFile);
	// A new key that will not be used must not lie where running processes look for one.
	if (!existsSync(file)) await checkInForce(sql, [from]).catch(refuseAsUsage(KekNotInForceError));
	const to = atPath("--to", file, () => readOrMakeKek(file));
	if (from.equals(to)) throw new UsageError(`${file} holds the key that is in force already`);
	const { rewrapped, unopened: faults } = await rotateKek(sql, { from, to }).catch(refuseAsUsage(KekNotInForceError));
	const isFollowed = resolve(file) === resolve(nextKekFile(kekFile));
	const then = isFollowed
		? `running processes use ${file}; put it in the place of ${kekFile}`
		: `start every process again with KEK_FILE=${file}`;
	return { data: { rewrapped, faults, then }, exitCode: faults.length > 0 ? 1 : 0 };
}
