/** The sessions, people and companies that this process knows, at most a second behind the database; and the use of sessions. */
import type { ChangeFeed } from "../../platform/changes";
import type { Sql } from "../../platform/database";
import type { Plan } from "../../platform/operation";
import type { Log } from "../../platform/telemetry";
import type { Clock, Environment } from "../../platform/values";
import { createLookupCache, digestOf, findCompanyOwner } from "../auth";
import { findUser, listAccessesOf, listMemberships, type Membership, type OperatorAccess, type User } from "../users";
import { findSession, findSessionById, type SessionRow, saveSessionUse } from "./store";

type KnownPerson = {
	readonly user: User;
	readonly memberships: readonly Membership[];
	/** Some of them may have ended since. */
	readonly accesses: readonly OperatorAccess[];
};
export type KnownSession = KnownPerson & { readonly session: SessionRow };
export type KnownCompany = {
	readonly ownerId: string | null;
	readonly plan: Plan;
	readonly environment: Environment;
};

export type SessionDirectory = {
	/** The session of a token in force and its person; undefined otherwise. Its use is noted, unless it is none of the person's. */
	readonly find: (token: string, isUse?: boolean) => Promise<KnownSession | undefined>;
	/** The same by the session's id, for what acts for it. Its use is not noted. */
	readonly findById: (id: string) => Promise<KnownSession | undefined>;
	readonly findCompany: (tenantId: string) => Promise<KnownCompany | undefined>;
	/** Drops what this process has just changed, without waiting for the notification. */
	readonly forget: (of: { readonly userId?: string; readonly tokenDigests?: readonly Buffer[] }) => void;
	readonly close: () => Promise<void>;
};

const SESSIONS_MAX = 20_000;
const COMPANIES_MAX = 20_000;
const FLUSH_EVERY_MS = 5_000;
const WRITE_EVERY_MS = 60_000;

export function openSessionDirectory(deps: {
	sql: Sql;
	/** Connections for credentials. */
	directorySql: Sql;
	changes: ChangeFeed;
	clock: Clock;
	log: Log;
}): SessionDirectory {
	const { sql, directorySql, changes, clock, log } = deps;
	const { currentUntil } = changes;
	const sessions = createLookupCache({
		...{ currentUntil, rowsMax: SESSIONS_MAX },
		read: (hex) => findSession(directorySql, Buffer.from(hex, "hex")),
	});
	const people = createLookupCache<KnownPerson>({
		...{ currentUntil, rowsMax: SESSIONS_MAX },
		read: async (id) => {
			const user = await findUser(directorySql, id);
			if (!user) return undefined;
			const memberships = await listMemberships(directorySql, id);
			return { user, memberships, accesses: await listAccessesOf(directorySql, id, clock.now()) };
		},
	});
	const companies = createLookupCache({
		...{ currentUntil, rowsMax: COMPANIES_MAX },
		read: (tenantId) => findCompanyOwner(directorySql, tenantId),
	});
	const unfollow = changes.follow({
		kinds: ["session", "user", "client"],
		onChange: ({ kind, subject }) => {
			if (kind === "session") sessions.drop(subject);
			else if (kind === "user") people.drop(subject);
			// A client's plan is its company's.
			else companies.distrust();
		},
		onGap: () => {
			for (const cache of [sessions, people, companies]) cache.distrust();
		},
	});

	/** When each session was used last, and what the database knows of it. */
	const uses = new Map<string, { at: number; writtenAt: number }>();
	const isIdle = ({ id, lastSeenAt, idleSeconds }: SessionRow, now: number): boolean =>
		Math.max(lastSeenAt.getTime(), uses.get(id)?.at ?? 0) + idleSeconds * 1_000 <= now;
	const isOver = ({ endedAt, expiresAt }: SessionRow, now: number) => endedAt !== null || expiresAt.getTime() <= now;

	const flush = async (): Promise<void> => {
		const now = clock.now();
		const due = [...uses].filter(([, { at, writtenAt }]) => at - writtenAt >= WRITE_EVERY_MS);
		for (const [id, { at }] of uses) if (now.getTime() - at >= WRITE_EVERY_MS) uses.delete(id);
		if (due.length === 0) return;
		try {
			await saveSessionUse(
				sql,
				due.map(([id]) => id),
				now,
			);
			for (const [, use] of due) use.writtenAt = use.at;
		} catch (err) {
			// The next use is noted again.
			log.warn({ event: "session.use_write_failed", err, sessions: due.length }, "cannot record the use of sessions");
		}
	};
	const timer = setInterval(flush, FLUSH_EVERY_MS);

	return {
		find: async (token, isUse = true) => {
			const digest = digestOf(token);
			const hex = digest.toString("hex");
			const now = clock.now().getTime();
			let session = await sessions.get(hex);
			if (session && isIdle(session, now)) {
				// Another process may have seen it since.
				sessions.drop(hex);
				session = await sessions.get(hex);
			}
			if (!session || isOver(session, now) || isIdle(session, now)) return undefined;
			const isFormer = !session.tokenDigest.equals(digest);
			if (isFormer && (session.formerUntil === null || session.formerUntil.getTime() <= now)) return undefined;
			const person = await people.get(session.userId);
			if (!person || person.user.disabledAt !== null) return undefined;
			const use = uses.get(session.id);
			if (!isUse) return { ...person, session };
			if (use) use.at = now;
			else uses.set(session.id, { at: now, writtenAt: session.lastSeenAt.getTime() });
			return { ...person, session };
		},
		findById: async (id) => {
			const session = await findSessionById(directorySql, id);
			const now = clock.now().getTime();
			if (!session || isOver(session, now) || isIdle(session, now)) return undefined;
			const person = await people.get(session.userId);
			return person && person.user.disabledAt === null ? { ...person, session } : undefined;
		},
		findCompany: (tenantId) => companies.get(tenantId),
		forget: ({ userId, tokenDigests = [] }) => {
			if (userId !== undefined) people.drop(userId);
			for (const digest of tokenDigests) sessions.drop(digest.toString("hex"));
		},
		close: async () => {
			clearInterval(timer);
			unfollow();
			await flush();
		},
	};
}
