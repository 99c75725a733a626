/** The operator command that mails changes to the callers they affect. */
import { announce, matchCallers, readChangelog } from "../../src/api/changelog";
import { findOperationCallers } from "../../src/identity/usage";
import { systemClock, toLocalIsoDate } from "../../src/platform/values";
import { type Runs, withAccess } from "./command";

export const announcementCommands = {
	"announcements send": (context, args) =>
		withAccess(context, async (access) => {
			const keys = await access.listKeys();
			const { sql } = context;
			const keysThatCalled = async (operation: string, since: Date) =>
				matchCallers(keys, await findOperationCallers(sql, operation, toLocalIsoDate(since)));
			const deps = { sql, changelog: readChangelog(), keys, keysThatCalled, now: systemClock.now() };
			const isRehearsal = args.has("dry-run");
			return { data: { dryRun: isRehearsal, announcements: await announce(deps, isRehearsal) } };
		}),
} satisfies Runs;
