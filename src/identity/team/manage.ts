/** What owners do with their teams. Each step is one transaction with its audit entry; a changed membership works within a second. */
import type { Sql, Tx } from "../../platform/database";
import { type Call, json, type Person, type PersonMembership, PRIVATE_NO_STORE } from "../../platform/operation";
import { type Message, msg, Problem } from "../../platform/problem";
import type { Envelope } from "../../platform/secrets";
import { type Clock, newId } from "../../platform/values";
import { type AuditEntry, actorOf, recordAudit } from "../audit-log";
import { digestOf, findCompanyIdsOf } from "../auth";
import {
	acceptInvitation,
	deleteMembership,
	findInvitation,
	findMember,
	findUser,
	findUserByEmail,
	insertInvitation,
	insertMembership,
	isOperatorRole,
	keepUser,
	listInvitations,
	listMembers,
	listMemberships,
	lockInvitation,
	lockInvitationsOf,
	lockTeam,
	type Member,
	type OpenInvitation,
	queueAccountMail,
	removeFactors,
	revokeInvitation,
	type User,
	updateMembership,
} from "../users";
import type { AcceptedRecord, AcceptRequest, InvitationRequest, MemberPatch } from "./record";

export type TeamDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly envelope: Envelope;
	readonly consoleUrl: string;
	readonly sessions: TeamSessions;
	/** The companies that memberships open. */
	readonly listCompanies: (
		memberships: Person["memberships"],
		limit: number,
	) => Promise<readonly { readonly name: string }[]>;
	/** Wakes the outbox. */
	readonly wake: () => void;
};

/** What a team needs of sessions. */
export type TeamSessions = {
	readonly makeToken: () => string;
	/** The person of the request's session; undefined without one. Throws: cross-site-request, session-expired. */
	readonly findPerson: (request: Request) => Promise<Pick<Person, "userId"> | undefined>;
	/** Opens a session for a person who has opened a mailed link; the answer's `Set-Cookie`. */
	readonly start: (tx: Tx, call: Call, user: User) => Promise<string>;
	readonly endAll: (tx: Tx, userId: string, now: Date) => Promise<unknown>;
	readonly mailRecoveryLink: (tx: Tx, user: User, now: Date) => Promise<unknown>;
	/** Drops what this process knows of a person. */
	readonly forget: (of: { readonly userId: string }) => void;
};

export const MEMBERS_MAX = 200;
export const INVITATIONS_MAX = 50;
/** Companies that a mail names. */
const NAMED_MAX = 5;
const INVITED_MS = 7 * 86_400_000;

/** Gap: an owner who is bound to some companies does not manage the team, because its other members may see more. */
const isManager = ({ role, tenantIds }: PersonMembership): boolean => role === "owner" && tenantIds === null;

/**
 * The owner whose team the person manages; null for the companies of the demo key. Throws: forbidden; validation-error for a person of
 * several teams who names none.
 */
export function requireTeam({ principal }: Call, named: string | undefined): string | null {
	const managed = (principal?.person?.memberships ?? []).filter(isManager).map(({ ownerId }) => ownerId);
	const [first] = managed;
	if (named === undefined && managed.length > 1)
		throw refuse("#/query/owner", "required", msg`You manage several teams: name the owner.`);
	const owner = named === undefined ? first : named === "demo" ? null : named;
	if (owner === undefined || !managed.includes(owner))
		throw new Problem("forbidden", { detail: msg`Only an owner of all companies manages the team.` });
	return owner;
}

function refuse(pointer: string, code: string, detail: Message): Problem {
	return new Problem("validation-error", { faults: [{ pointer, code, detail }] });
}

/** Another team's members do not exist for the caller. */
async function takeMember(tx: Tx, call: Call, id: string): Promise<Member> {
	const found = await findMember(tx, id);
	const isOwn = call.principal?.person?.memberships.some((one) => isManager(one) && one.ownerId === found?.ownerId);
	if (!found || !isOwn) throw new Problem("not-found");
	await lockTeam(tx, found.ownerId);
	// Another change may have ended while this one waited.
	const locked = await findMember(tx, id);
	if (!locked) throw new Problem("not-found");
	return locked;
}

type Done = Omit<AuditEntry, "at" | "actor"> & { readonly ownerId: string | null };

/** The owner sees what happened to its team. */
async function record(tx: Tx, call: Call, now: Date, { ownerId, ...entry }: Done): Promise<void> {
	const actor = { ...actorOf(call), ...(ownerId === null ? {} : { ownerId }) };
	await recordAudit(tx, { ...entry, at: now, actor });
}

/** Throws: validation-error for companies that are not the owner's. */
async function checkCompanies(tx: Tx, ownerId: string | null, tenantIds: readonly string[] | null): Promise<void> {
	if (tenantIds === null) return;
	const own = new Set(await findCompanyIdsOf(tx, ownerId, tenantIds));
	const faults = tenantIds.flatMap((id, n) =>
		own.has(id)
			? []
			: [{ pointer: `/tenantIds/${n}`, code: "unknown-company", detail: msg`Is not a company of the owner.` }],
	);
	if (faults.length > 0) throw new Problem("validation-error", { faults });
}

/** Throws: last-owner. */
async function keepManager(tx: Tx, { id, ownerId }: Member): Promise<void> {
	const members = await listMembers(tx, ownerId);
	if (!members.some((one) => one.id !== id && one.disabledAt === null && isManager(one)))
		throw new Problem("last-owner");
}

/** Throws: not-found, validation-error, last-owner. */
export async function changeMember(deps: TeamDeps, call: Call, id: string, patch: MemberPatch): Promise<Member> {
	const { sql, clock, sessions } = deps;
	const changed = await sql.begin(async (tx) => {
		const before = await takeMember(tx, call, id);
		const after = { ...before, ...patch };
		await checkCompanies(tx, before.ownerId, patch.tenantIds ?? null);
		if (isManager(before) && !isManager(after)) await keepManager(tx, before);
		await updateMembership(tx, after);
		await record(tx, call, clock.now(), {
			...{ action: "team.change", subject: before.userId, ownerId: before.ownerId },
			...{ changed: Object.keys(patch), details: { role: after.role } },
		});
		return after;
	});
	sessions.forget(changed);
	return changed;
}

/** Throws: not-found, last-owner. */
export async function removeMember(deps: TeamDeps, call: Call, id: string): Promise<void> {
	const { sql, clock, sessions } = deps;
	const { userId } = await sql.begin(async (tx) => {
		const member = await takeMember(tx, call, id);
		if (isManager(member)) await keepManager(tx, member);
		await deleteMembership(tx, id);
		const { userId: subject, ownerId, role } = member;
		await record(tx, call, clock.now(), { action: "team.remove", subject, ownerId, details: { role } });
		return member;
	});
	sessions.forget({ userId });
}

/** Throws: not-found, forbidden. */
export async function resetMember(deps: TeamDeps, call: Call, id: string): Promise<void> {
	const { sql, clock, sessions, wake } = deps;
	const now = clock.now();
	const { userId } = await sql.begin(async (tx) => {
		const member = await takeMember(tx, call, id);
		const user = await findUser(tx, member.userId);
		const managed = call.principal?.person?.memberships.filter(isManager).map(({ ownerId }) => ownerId) ?? [];
		const isWholly = (await listMemberships(tx, member.userId)).every(
			({ ownerId, role }) => !isOperatorRole(role) && managed.includes(ownerId),
		);
		if (!user || !isWholly || member.userId === call.principal?.person?.userId)
			throw new Problem("forbidden", { detail: msg`Only the operator of the service can reset this person.` });
		await removeFactors(tx, user.id);
		await sessions.endAll(tx, user.id, now);
		const { email: to, language } = user;
		await queueAccountMail(tx, deps, { to, language, mail: { kind: "factor", change: "factors-reset", at: now } });
		await sessions.mailRecoveryLink(tx, user, now);
		await record(tx, call, now, { action: "team.reset", subject: user.id, ownerId: member.ownerId, details: {} });
		return member;
	});
	sessions.forget({ userId });
	wake();
}

/** Throws: validation-error, member-already-exists. */
export async function invite(
	deps: TeamDeps,
	call: Call,
	ownerId: string | null,
	request: InvitationRequest,
): Promise<OpenInvitation> {
	const { sql, clock, sessions, wake } = deps;
	const now = clock.now();
	const { role, tenantIds = null, language = "es" } = request;
	const email = request.email.toLowerCase();
	const inviterId = call.principal?.person?.userId ?? null;
	const companies = (await deps.listCompanies([{ ownerId, role, tenantIds }], NAMED_MAX)).map(({ name }) => name);
	const token = sessions.makeToken();
	const invitation: OpenInvitation = {
		...{ id: newId(), email, ownerId, role, tenantIds, language, invitedBy: inviterId },
		...{ createdAt: now, expiresAt: new Date(now.getTime() + INVITED_MS) },
	};
	await sql.begin(async (tx) => {
		await lockTeam(tx, ownerId);
		await checkCompanies(tx, ownerId, tenantIds);
		const members = await listMembers(tx, ownerId);
		if (members.some((one) => one.email === email)) throw new Problem("member-already-exists");
		const open = await listInvitations(tx, ownerId, now);
		const former = open.filter((one) => one.email === email);
		if (open.length - former.length >= INVITATIONS_MAX)
			throw refuse(
				"",
				"too-many-invitations",
				msg`A team has ${INVITATIONS_MAX} open invitations at most. Withdraw one first.`,
			);
		if (members.length + open.length - former.length >= MEMBERS_MAX)
			throw refuse("", "too-many-members", msg`A team has ${MEMBERS_MAX} members at most, with those invited.`);
		for (const { id } of former) await revokeInvitation(tx, id, now);
		await insertInvitation(tx, { ...invitation, digest: digestOf(token) });
		const inviter = inviterId === null ? null : ((await findUser(tx, inviterId))?.name ?? null);
		const link = `${deps.consoleUrl}/console/accept#${token}`;
		const mail = { kind: "invitation", inviter, companies, link, expiresAt: invitation.expiresAt } as const;
		await queueAccountMail(tx, deps, { to: email, language, mail });
		await record(tx, call, now, { action: "team.invite", subject: invitation.id, ownerId, details: { role } });
	});
	wake();
	return invitation;
}

/** Throws: not-found. */
export async function revoke({ sql, clock }: TeamDeps, call: Call, id: string): Promise<void> {
	const now = clock.now();
	await sql.begin(async (tx) => {
		const invitation = await findInvitation(tx, id, now);
		const managed = call.principal?.person?.memberships.filter(isManager).map(({ ownerId }) => ownerId) ?? [];
		const isOwn = invitation && !isOperatorRole(invitation.role) && managed.includes(invitation.ownerId);
		if (!isOwn || !(await revokeInvitation(tx, id, now))) throw new Problem("not-found");
		await record(tx, call, now, { action: "team.withdraw", subject: id, ownerId: invitation.ownerId, details: {} });
	});
}

/**
 * The link proves who reads the mailbox, which is enough for a new account. It opens no account that has factors: its person signs in.
 * Throws: link-expired, session-expired, email-not-invited.
 */
export async function accept(deps: TeamDeps, call: Call, { token, name }: AcceptRequest): Promise<Response> {
	const { sql, clock, sessions } = deps;
	const now = clock.now();
	const person = await sessions.findPerson(call.request);
	const {
		headers,
		record: answer,
		userId,
	} = await sql.begin(async (tx) => {
		const invitation = await lockInvitation(tx, digestOf(token), now);
		if (!invitation) throw new Problem("link-expired");
		const user = person ? await findUser(tx, person.userId) : await keepInvited(tx, invitation, name, now);
		if (!user || user.disabledAt !== null) throw new Problem("link-expired");
		if (user.email !== invitation.email) throw new Problem("email-not-invited");
		await join(tx, call, invitation, user, now);
		const { ownerId, role } = invitation;
		const started: Record<string, string> = person ? {} : { "set-cookie": await sessions.start(tx, call, user) };
		const made: AcceptedRecord = { ownerId, role, isNewSession: !person };
		return { headers: started, record: made, userId: user.id };
	});
	sessions.forget({ userId });
	return json(200, answer, { ...PRIVATE_NO_STORE, ...headers });
}

async function join(tx: Tx, call: Call, invitation: OpenInvitation, { id: userId }: User, now: Date): Promise<void> {
	const { id, ownerId, role, tenantIds } = invitation;
	await insertMembership(tx, { id: newId(), userId, ownerId, role, tenantIds, createdAt: now });
	await acceptInvitation(tx, id, now);
	const actor = { userId, address: call.remoteAddress, requestId: call.requestId };
	await recordAudit(tx, {
		...{ at: now, actor: ownerId === null ? actor : { ...actor, ownerId } },
		...{ action: "team.accept", subject: id, details: { role } },
	});
}

/** Makes an account for an address that an identity provider has verified, by all its open invitations; undefined without one. */
export async function acceptOpenInvitations(
	tx: Tx,
	call: Call,
	{ email, name }: { readonly email: string; readonly name: string | undefined },
	now: Date,
): Promise<User | undefined> {
	const invitations = await lockInvitationsOf(tx, email, now);
	const [first] = invitations;
	const user = first && (await keepInvited(tx, first, name, now));
	if (user) for (const invitation of invitations) await join(tx, call, invitation, user, now);
	return user;
}

async function keepInvited(
	tx: Tx,
	{ email, language }: OpenInvitation,
	name: string | undefined,
	now: Date,
): Promise<User | undefined> {
	const known = await findUserByEmail(tx, email);
	if (known && (known.passwordHash !== null || known.passkeys > 0))
		throw new Problem("session-expired", { detail: msg`You have an account: sign in, then open the link again.` });
	const made = { id: newId(), email, name: name ?? email.slice(0, email.lastIndexOf("@")), language, createdAt: now };
	return findUser(tx, (await keepUser(tx, made)).id);
}
