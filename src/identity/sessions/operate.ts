/** What the operator's commands do with people. Each is one transaction with its audit entry. */
import type { Sql, Tx } from "../../platform/database";
import type { Role } from "../../platform/operation";
import type { Language } from "../../platform/problem";
import type { Envelope } from "../../platform/secrets";
import { newId } from "../../platform/values";
import { type Actor, operatorActor, recordAudit } from "../audit-log";
import { digestOf } from "../auth";
import { disableUser, findUser, insertInvitation, queueAccountMail, removeFactors, type User } from "../users";
import { makeToken } from "./cookie";
import { mailRecoveryLink } from "./sign-in";
import { endSessions } from "./store";

type Mailer = { readonly envelope: Envelope; readonly consoleUrl: string };
type Invited = { readonly link: string; readonly expiresAt: Date };

const INVITED_MS = 7 * 86_400_000;

/** Invites a person to an owner's team, or to operate the service. The link is mailed too. */
export async function invitePerson(
	sql: Sql,
	mailer: Mailer,
	invited: {
		readonly email: string;
		readonly ownerId: string | null;
		readonly role: Role;
		readonly tenantIds: readonly string[] | null;
		readonly language: Language;
	},
	now: Date,
): Promise<Invited> {
	const { ownerId, language, role } = invited;
	const [id, token, expiresAt] = [newId(), makeToken(), new Date(now.getTime() + INVITED_MS)];
	const link = `${mailer.consoleUrl}/console/accept#${token}`;
	await sql.begin(async (tx) => {
		await insertInvitation(tx, { ...invited, id, digest: digestOf(token), invitedBy: null, createdAt: now, expiresAt });
		const mail = { kind: "invitation", inviter: null, companies: [], link, expiresAt } as const;
		await queueAccountMail(tx, mailer, { to: invited.email, language, mail });
		const actor: Actor = { ...operatorActor(), ...(ownerId === null ? {} : { ownerId }) };
		await recordAudit(tx, { at: now, actor, action: "team.invite", subject: id, details: { role } });
	});
	return { link, expiresAt };
}

/** Removes a person's factors, ends all sessions, and mails a recovery link, which is returned. Undefined for an unknown person. */
export async function resetPerson(sql: Sql, mailer: Mailer, userId: string, now: Date): Promise<string | undefined> {
	return changePerson(sql, userId, now, "user.reset", async (tx, user) => {
		await removeFactors(tx, user.id);
		await endSessions(tx, user.id, now);
		return mailRecoveryLink(tx, mailer, user, now);
	});
}

/** Ends all sessions of a person; returns how many, or undefined for an unknown person. */
export async function endPersonsSessions(sql: Sql, userId: string, now: Date): Promise<number | undefined> {
	return changePerson(sql, userId, now, "session.end", (tx, user) => endSessions(tx, user.id, now));
}

/** Closes an account and ends its sessions; false if it was closed before, undefined for an unknown person. */
export async function disablePerson(sql: Sql, userId: string, now: Date): Promise<boolean | undefined> {
	return changePerson(sql, userId, now, "user.disable", async (tx, user) => {
		await endSessions(tx, user.id, now);
		return disableUser(tx, user.id, now);
	});
}

async function changePerson<T>(
	sql: Sql,
	userId: string,
	now: Date,
	action: string,
	change: (tx: Tx, user: User) => Promise<T>,
): Promise<T | undefined> {
	const result = await sql.begin(async (tx) => {
		const user = await findUser(tx, userId);
		if (!user) return { changed: undefined };
		const changed = await change(tx, user);
		await recordAudit(tx, { at: now, actor: operatorActor(), action, subject: userId, details: {} });
		return { changed };
	});
	return result.changed;
}
