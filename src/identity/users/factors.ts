/** What a person shows to sign in or to confirm: checked and used up. Each function is safe against a second use by another process. */
import type { Sql, Tx } from "../../platform/database";
import type { Envelope } from "../../platform/secrets";
import type { Clock } from "../../platform/values";
import { digestOf } from "../auth";
import { findPasskey, listPasskeys, savePasskeyUse, takeRecoveryCode, useTotpStep } from "./factor-store";
import {
	CHALLENGE_MS,
	challengeOf,
	makeAssertionOptions,
	makeChallenge,
	type PasskeyAssertion,
	type PasskeyRegistration,
	type RelyingParty,
	verifyAssertion,
} from "./passkey";
import { digestOfRecoveryCode } from "./recovery-codes";
import { contextOfTotp, insertLink, takeLink, type User } from "./store";
import { checkTotp } from "./totp";

export type FactorDeps = {
	readonly sql: Sql;
	readonly envelope: Envelope;
	readonly clock: Clock;
	readonly party: RelyingParty;
};

/** Whether a code of the person's app is right and new. */
export async function takeTotp({ sql, envelope, clock }: FactorDeps, user: User, code: string): Promise<boolean> {
	if (user.sealedTotpSecret === null || user.totpAt === null) return false;
	const secret = envelope.open(user.sealedTotpSecret, contextOfTotp(user.id));
	const step = checkTotp(secret, code, clock.now().getTime(), user.totpStep ?? -1);
	return step !== undefined && useTotpStep(sql, user.id, step);
}

/** Whether a recovery code is the person's and unused. */
export async function takeTypedRecoveryCode(tx: Sql | Tx, userId: string, typed: string, now: Date): Promise<boolean> {
	const digest = digestOfRecoveryCode(typed);
	return digest !== undefined && takeRecoveryCode(tx, userId, digest, now);
}

/** A new challenge, for one person where the person is known. */
export async function keepChallenge({ sql, clock }: FactorDeps, userId: string | null): Promise<string> {
	const [challenge, createdAt] = [makeChallenge(), clock.now()];
	const expiresAt = new Date(createdAt.getTime() + CHALLENGE_MS);
	await insertLink(sql, { digest: digestOf(challenge), kind: "challenge", userId, createdAt, expiresAt });
	return challenge;
}

/** The challenge that a browser answers, used up; undefined for one that was not made for this person, has ended or was answered. */
export async function takeChallenge(
	{ sql, clock }: FactorDeps,
	answer: PasskeyRegistration | PasskeyAssertion,
	userId: string | null,
): Promise<string | undefined> {
	const challenge = challengeOf(answer);
	if (challenge === undefined) return undefined;
	const taken = await takeLink(sql, { digest: digestOf(challenge), kind: "challenge", now: clock.now() });
	return taken && taken.userId === userId ? challenge : undefined;
}

/** Options of `navigator.credentials.get()`: of a person's passkeys to confirm, or of any to sign in. */
export async function offerPasskeys(deps: FactorDeps, userId: string | null) {
	const allowed = userId === null ? [] : await listPasskeys(deps.sql, userId);
	return makeAssertionOptions(deps.party, await keepChallenge(deps, userId), allowed);
}

/** The person whose passkey was shown; `userId` names the person who confirms, null for a sign-in. Undefined if anything is wrong. */
export async function takePasskey(
	deps: FactorDeps,
	assertion: PasskeyAssertion,
	userId: string | null,
): Promise<string | undefined> {
	const challenge = await takeChallenge(deps, assertion, userId);
	const passkey = await findPasskey(deps.sql, Buffer.from(assertion.id, "base64url"));
	if (challenge === undefined || !passkey || (userId !== null && passkey.userId !== userId)) return undefined;
	const used = await verifyAssertion(deps.party, challenge, assertion, passkey);
	if (!used) return undefined;
	const isFirst = await savePasskeyUse(deps.sql, { ...used, id: passkey.id }, deps.clock.now());
	return isFirst ? passkey.userId : undefined;
}
