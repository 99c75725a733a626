/** Operator commands on keys: callers' keys, token signing keys, and the key that encrypts stored secrets. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { checkInForce, KekNotInForceError, rotateKek } from "../../src/app/maintenance/kek-rotation";
import type { Args } from "../../src/cli";
import { isMailAddress } from "../../src/platform/mail";
import { PLANS, SCOPES, type Scope } from "../../src/platform/operation";
import { nextKekFile, readKek, readOrMakeKek } from "../../src/platform/secrets";
import { ENVIRONMENTS, isId, isIsoDate, parseInstant, systemClock } from "../../src/platform/values";
import {
	atPath,
	type Context,
	endOfDay,
	needId,
	type Result,
	type Runs,
	refuseAsUsage,
	UsageError,
	withAccess,
} from "./command";

/** The same limit as for keys created through the API. */
const LABEL_MAX = 100;

export const keyCommands = {
	"keys create": createKey,
	"keys list": (context) => withAccess(context, async (access) => ({ data: await access.listKeys() })),
	/** Exits with 1 if there was no key to revoke. */
	"keys revoke": (context, args) => {
		const id = needId(args, "expected a key's id; see keys list");
		return withAccess(context, async (access) => {
			const revoked = await access.revokeKey(id);
			return { data: { id, revoked }, exitCode: revoked ? 0 : 1 };
		});
	},
	"keys-signing rotate": (context, args) =>
		withAccess(context, async (access) => ({
			data: await access.rotateSigningKey({ atOnce: args.has("at-once") }),
		})),
	"keys-encryption rotate": rotateEncryption,
} satisfies Runs;

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
	const expiresAt = readEnd(args.text("expires"));
	const ipAllowList = args.list("addresses");
	if (args.has("addresses") && ipAllowList.length === 0)
		throw new UsageError("expected --addresses to name one at least");
	const asked = { plan: args.oneOf("plan", PLANS), label, environment, contactEmails, expiresAt, ipAllowList };
	return withAccess(context, async (access) => {
		const created = await access
			.createKey({ ...asked, ...(scopes ? { scopes } : {}), ...(owner ? { ownerId: owner } : {}) })
			.catch(refuseAsUsage(RangeError));
		const { id, key, prefix, plan, ownerId } = created;
		return { data: { id, key, prefix, plan, environment, ownerId, expiresAt, ipAllowList } };
	});
}

/** Null without an end. A day is valid through its end. Throws: UsageError. */
function readEnd(text: string | undefined): Date | null {
	if (text === undefined) return null;
	const end = isIsoDate(text) ? endOfDay(text) : parseInstant(text);
	if (!end) throw new UsageError(`expected --expires to be a day, 2026-12-31, or a time with its zone, got ${text}`);
	if (end <= systemClock.now()) throw new UsageError(`expected --expires to be in the future, got ${text}`);
	return end;
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
