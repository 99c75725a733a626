/** What a person shows to sign in, or to confirm: read and checked. */
import { msg, Problem } from "../../platform/problem";
import { digestOf } from "../auth";
import {
	clearFailures,
	type FactorDeps,
	findUser,
	findUserByEmail,
	giveBackAttempt,
	type PasskeyAssertion,
	takeAttempt,
	takePasskey,
	takeTotp,
	type User,
	verifyPassword,
} from "../users";
import type { SignInMethod } from "./store";

/** What a person shows. Members that the method does not use are ignored. */
export type Proof = {
	readonly method: Exclude<SignInMethod, "sso"> | "local" | "try";
	readonly email?: string;
	readonly password?: string;
	readonly totp?: string;
	/** Of a printed or mailed link. */
	readonly token?: string;
	readonly recoveryCode?: string;
	readonly credential?: PasskeyAssertion;
};

export function need<N extends "email" | "password" | "token" | "credential">(
	proof: Proof,
	name: N,
): Exclude<Proof[N], undefined> {
	const value = proof[name];
	if (value !== undefined) return value as Exclude<Proof[N], undefined>;
	const detail = msg`The method ${proof.method} needs it.`;
	throw new Problem("validation-error", { faults: [{ pointer: `#/${name}`, code: "required", detail }] });
}

type ShownPassword = {
	readonly email: string;
	readonly password: string;
	readonly code: string | undefined;
	/** Elsewhere a password needs a code. */
	readonly isSandbox: boolean;
};

/**
 * The person with this password and, where one is set up, this code. A wrong and an unknown address take the same time and get the same
 * answer. Throws: sign-in-failed, totp-required, sign-in-throttled, service-unavailable.
 */
export async function provePassword(
	deps: FactorDeps,
	{ email, password, code, isSandbox }: ShownPassword,
): Promise<User> {
	const { sql, clock } = deps;
	const subject = digestOf(`e-mail|${email.toLowerCase()}`);
	const wait = await takeAttempt(sql, subject, clock.now());
	if (wait !== undefined) throw throttled(wait);
	const user = await findUserByEmail(sql, email);
	const isRight = await verifyPassword(password, user?.passwordHash ?? undefined);
	if (!user || !isRight || user.disabledAt !== null) throw new Problem("sign-in-failed");
	if (user.totpAt !== null || !isSandbox) {
		if (code === undefined) {
			await giveBackAttempt(sql, subject);
			throw new Problem("totp-required");
		}
		if (!(await takeTotp(deps, user, code))) throw new Problem("sign-in-failed");
	}
	await clearFailures(sql, subject);
	return user;
}

/** Throws: sign-in-failed. */
export async function provePasskey(
	deps: FactorDeps,
	credential: PasskeyAssertion,
	userId: string | null,
): Promise<User> {
	const id = await takePasskey(deps, credential, userId);
	const user = id === undefined ? undefined : await findUser(deps.sql, id);
	if (!user || user.disabledAt !== null) throw new Problem("sign-in-failed");
	return user;
}

function throttled(wait: number): Problem {
	return new Problem("sign-in-throttled", {
		detail: msg`Too many attempts for this address. Wait ${wait} seconds.`,
		extensions: { retryAfter: wait },
		headers: { "retry-after": String(wait) },
	});
}
