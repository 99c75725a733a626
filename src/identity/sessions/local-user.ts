/** People without an account: that of a local sandbox, owner of what the demo key makes, and operator; and those who try the public sandbox. */
import type { Sql, Tx } from "../../platform/database";
import type { Language } from "../../platform/problem";
import { newId } from "../../platform/values";
import { digestOf } from "../auth";
import { deleteUserByEmail, findUser, insertLink, insertMembership, keepUser, type User, voidLinks } from "../users";
import { makeToken } from "./cookie";

/** No mail goes there, and no password opens it. */
const LOCAL_EMAIL = "local@localhost";

/** Addresses of people without an account lead nowhere. */
export function hasMailbox({ email }: Pick<User, "email">): boolean {
	return !email.endsWith("@localhost");
}

const trialEmailOf = (tenantId: string) => `trial-${tenantId}@localhost`;

/** The person who tries the public sandbox: owner of one company, for as long as that exists. */
export async function addTrialUser(tx: Tx, tenantId: string, language: Language, now: Date): Promise<User> {
	const name = language === "es" ? "Prueba" : "Trial";
	const { id } = await keepUser(tx, { id: newId(), email: trialEmailOf(tenantId), name, language, createdAt: now });
	const membership = {
		id: newId(),
		userId: id,
		ownerId: null,
		role: "owner",
		tenantIds: [tenantId],
		createdAt: now,
	} as const;
	await insertMembership(tx, membership);
	const user = await findUser(tx, id);
	if (!user) throw new Error("the person of a trial was not stored");
	return user;
}

/** Call it when the company ends. */
export async function removeTrialUser(sql: Sql, tenantId: string): Promise<void> {
	await deleteUserByEmail(sql, trialEmailOf(tenantId));
}

const PRINTED_MS = 24 * 3_600_000;

export async function keepLocalUser(tx: Tx, now: Date): Promise<User> {
	const asked = { id: newId(), email: LOCAL_EMAIL, name: "Local", language: "es", createdAt: now } as const;
	const { id, isNew } = await keepUser(tx, asked);
	if (isNew) {
		for (const role of ["owner", "operator"] as const)
			await insertMembership(tx, { id: newId(), userId: id, ownerId: null, role, tenantIds: null, createdAt: now });
	}
	const user = await findUser(tx, id);
	if (!user) throw new Error("the local person was not stored");
	return user;
}

/** The token of a new link that signs the local person in once; former ones become void. */
export async function makeLocalLink(sql: Sql, now: Date): Promise<string> {
	return sql.begin(async (tx) => makeSignInLink(tx, (await keepLocalUser(tx, now)).id, now));
}

async function makeSignInLink(tx: Tx, userId: string, now: Date): Promise<string> {
	const token = makeToken();
	await voidLinks(tx, userId, "sign-in", now);
	const expiresAt = new Date(now.getTime() + PRINTED_MS);
	await insertLink(tx, { digest: digestOf(token), kind: "sign-in", userId, createdAt: now, expiresAt });
	return token;
}
