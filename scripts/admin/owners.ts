/** Operator commands on the owners of keys. */

import type { Args } from "../../src/cli";
import { operatorActor, recordAudit } from "../../src/identity/audit-log";
import { sumOwnerUsage } from "../../src/identity/usage";
import { readPeriod } from "../../src/platform/operation";
import { isIsoDate, systemClock } from "../../src/platform/values";
import { deleteGrant, putGrant } from "../../src/registry";
import { type Context, needId, type Result, type Runs, UsageError } from "./command";

const TERMS_MAX = 200;

export const ownerCommands = {
	"owners grant": grantDownloads,
	"owners revoke": revokeDownloads,
	"owners usage": showUsage,
} satisfies Runs;

/** Grants the registry's files with natural persons; `--terms` names the signed terms of use. */
async function grantDownloads({ sql }: Context, args: Args): Promise<Result> {
	if (!args.has("persons")) throw new UsageError("--persons is needed: other downloads come with the plan");
	const ownerId = readOwner(args);
	const terms = args.need("terms");
	if (terms.trim() === "" || terms.length > TERMS_MAX) {
		throw new UsageError(`expected --terms to have 1 to ${TERMS_MAX} characters`);
	}
	const grantedAt = systemClock.now();
	await sql.begin(async (tx) => {
		await putGrant(tx, { ownerId, terms, grantedAt });
		await recordAudit(tx, {
			...{ at: grantedAt, actor: operatorActor(), action: "owner.grant-downloads", subject: ownerId },
			details: { terms },
		});
	});
	return { data: { ownerId, persons: true, terms, grantedAt } };
}

/** Exits with 1 if there was no grant. */
async function revokeDownloads({ sql }: Context, args: Args): Promise<Result> {
	const ownerId = readOwner(args);
	const revoked = await sql.begin(async (tx) => {
		const isDeleted = await deleteGrant(tx, ownerId);
		const entry = { action: "owner.revoke-downloads", subject: ownerId, details: {} };
		if (isDeleted) await recordAudit(tx, { at: systemClock.now(), actor: operatorActor(), ...entry });
		return isDeleted;
	});
	return { data: { ownerId, revoked }, exitCode: revoked ? 0 : 1 };
}

/** Billable units by operation; the default is the current month. */
async function showUsage({ sql }: Context, args: Args): Promise<Result> {
	const ownerId = readOwner(args);
	const [from, to] = [readDay(args, "from"), readDay(args, "to")];
	return { data: await sumOwnerUsage(sql, ownerId, readPeriod({ from, to }, systemClock)) };
}

function readDay(args: Args, name: string): string | undefined {
	const day = args.text(name);
	if (day !== undefined && !isIsoDate(day)) throw new UsageError(`expected --${name} to be a day, YYYY-MM-DD`);
	return day;
}

function readOwner(args: Args): string {
	return needId(args, "expected an owner's id; see keys list");
}
