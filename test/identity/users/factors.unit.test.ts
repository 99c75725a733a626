import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AccountMail, contextOfTotp, createMailPerson, queueAccountMail } from "../../../src/identity/users";
import { insertPasskey, replaceRecoveryCodes, saveTotp } from "../../../src/identity/users/factor-store";
import {
	type FactorDeps,
	keepChallenge,
	offerPasskeys,
	takeChallenge,
	takePasskey,
	takeTotp,
	takeTypedRecoveryCode,
} from "../../../src/identity/users/factors";
import { makeRegistrationOptions, verifyRegistration } from "../../../src/identity/users/passkey";
import { digestOfRecoveryCode, makeRecoveryCodes } from "../../../src/identity/users/recovery-codes";
import { findUser, keepUser, type User } from "../../../src/identity/users/store";
import { codeAt, makeTotpSecret } from "../../../src/identity/users/totp";
import { openNowhere } from "../../../src/platform/mail";
import type { Language } from "../../../src/platform/problem";
import { createEnvelope } from "../../../src/platform/secrets";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { createAuthenticator } from "./support/authenticator";

let database: TestDatabase;
let at = Date.parse("2026-11-27T12:00:00Z");
let deps: FactorDeps;
const envelope = createEnvelope(Buffer.alloc(32, 7));
const party = { id: "localhost", name: "Sello", origin: "http://localhost:3000" };
beforeAll(async () => {
	database = await openTestDatabase();
	deps = { sql: database.sql, envelope, party, clock: { now: () => new Date(at) } };
});
afterAll(() => database.close());

async function makeUser(): Promise<User> {
	const id = newId();
	const user = { id, email: `${id}@Farmacia.do`, name: "Ana", language: "es", createdAt: new Date(at) } as const;
	await database.sql.begin((tx) => keepUser(tx, user));
	return again(id);
}

async function again(id: string): Promise<User> {
	const user = await findUser(database.sql, id);
	if (!user) throw new Error("there is no such person");
	return user;
}

const contextOf = (challenge: string) => ({ rpId: party.id, origin: party.origin, challenge });

async function addPasskey(user: User) {
	const authenticator = createAuthenticator();
	const challenge = await keepChallenge(deps, user.id);
	const options = await makeRegistrationOptions(party, challenge, user, []);
	const registration = authenticator.register(contextOf(challenge), options.user.id);
	expect(await takeChallenge(deps, registration, user.id)).toBe(challenge);
	const passkey = await verifyRegistration(party, challenge, registration);
	if (!passkey) throw new Error("the passkey was refused");
	const row = {
		...passkey,
		id: newId(),
		userId: user.id,
		label: "Portátil",
		createdAt: new Date(at),
		lastUsedAt: null,
	};
	expect(await database.sql.begin((tx) => insertPasskey(tx, row))).toBe(true);
	expect(await database.sql.begin((tx) => insertPasskey(tx, { ...row, id: newId() }))).toBe(false);
	return authenticator;
}

test("a code of an app works once, whichever of two processes it reaches", async () => {
	const user = await makeUser();
	const secret = makeTotpSecret();
	const step = Math.floor(at / 30_000);
	expect(await takeTotp(deps, user, codeAt(secret, step))).toBe(false);
	const sealedSecret = envelope.seal(secret, contextOfTotp(user.id));
	await database.sql.begin((tx) => saveTotp(tx, user.id, { sealedSecret, step: step - 1, at: new Date(at) }));
	const saved = await again(user.id);
	const taken = await Promise.all([1, 2, 3].map(() => takeTotp(deps, saved, codeAt(secret, step))));
	expect(taken.filter(Boolean).length).toBe(1);
	expect(await takeTotp(deps, await again(user.id), codeAt(secret, step - 1))).toBe(false);
});

test("a recovery code works once, and not after new ones were made", async () => {
	const user = await makeUser();
	const codes = makeRecoveryCodes();
	const digests = codes.flatMap((code) => digestOfRecoveryCode(code) ?? []);
	await database.sql.begin((tx) => replaceRecoveryCodes(tx, user.id, digests));
	const [first = "", second = ""] = codes;
	const take = (typed: string) => takeTypedRecoveryCode(database.sql, user.id, typed, new Date(at));
	expect((await Promise.all([take(first), take(first.toLowerCase())])).filter(Boolean).length).toBe(1);
	expect((await again(user.id)).recoveryCodes).toBe(9);
	expect(await takeTypedRecoveryCode(database.sql, newId(), second, new Date(at))).toBe(false);
	await database.sql.begin((tx) => replaceRecoveryCodes(tx, user.id, digests.slice(2)));
	expect(await take(second)).toBe(false);
	expect(await take("")).toBe(false);
});

describe("a passkey", () => {
	test("signs its person in, with each challenge once", async () => {
		const user = await makeUser();
		const authenticator = await addPasskey(user);
		const { challenge } = await offerPasskeys(deps, null);
		const assertion = authenticator.assert(contextOf(challenge));
		expect(await takePasskey(deps, assertion, null)).toBe(user.id);
		expect(await takePasskey(deps, assertion, null)).toBeUndefined();
		expect((await again(user.id)).passkeys).toBe(1);
	});

	test("confirms its own person alone", async () => {
		const [user, other] = [await makeUser(), await makeUser()];
		const authenticator = await addPasskey(user);
		const offered = await offerPasskeys(deps, user.id);
		expect(offered.allowCredentials?.map(({ id }) => id)).toEqual([authenticator.credentialId.toString("base64url")]);
		expect(await takePasskey(deps, authenticator.assert(contextOf(offered.challenge)), user.id)).toBe(user.id);
		const foreign = await offerPasskeys(deps, other.id);
		const assertion = authenticator.assert(contextOf(foreign.challenge));
		expect(await takePasskey(deps, assertion, other.id)).toBeUndefined();
	});

	test("is refused for a challenge that is unknown, late or made for something else", async () => {
		const user = await makeUser();
		const authenticator = await addPasskey(user);
		const assert = (challenge: string) => authenticator.assert(contextOf(challenge));
		expect(await takePasskey(deps, assert("AAAA"), null)).toBeUndefined();
		expect(await takePasskey(deps, assert((await offerPasskeys(deps, user.id)).challenge), null)).toBeUndefined();
		expect(await takePasskey(deps, assert((await offerPasskeys(deps, null)).challenge), user.id)).toBeUndefined();
		const { challenge } = await offerPasskeys(deps, null);
		at += 6 * 60_000;
		expect(await takePasskey(deps, assert(challenge), null)).toBeUndefined();
	});
});

describe("a mail about an account", () => {
	const link = "https://api.example/console/enter#0123456789";
	const expiresAt = new Date("2026-12-04T12:00:00Z");

	/** The subject and text that reach the transport. */
	async function send(mail: AccountMail, language: Language) {
		const letter = { to: "ana@farmacia.do", language, mail };
		const consoleUrl = "https://api.example";
		await database.sql.begin((tx) => queueAccountMail(tx, { envelope, consoleUrl }, letter));
		const [row] = await database.sql`delete from outbox where kind = 'mail.person' returning subject, payload`;
		if (!row) throw new Error("no mail was queued");
		expect(JSON.stringify(row)).not.toContain("0123456789");
		const sent: { to?: unknown; subject?: string; text?: unknown }[] = [];
		const nowhere = openNowhere("no-reply@sello.example");
		const deliver = async (_: string, message: (typeof sent)[number]) => void sent.push(message);
		const handle = (change: object = {}) =>
			createMailPerson({ envelope, transport: { ...nowhere, deliver } })({
				...{ id: newId(), kind: "mail.person", tenantId: newId(), subject: row.subject, payload: row.payload },
				...{ failures: 0, isRepeat: false, ageSeconds: 1, leaseLeftMs: () => 30_000 },
				...change,
			} as never);
		expect(await handle()).toEqual({ kind: "done" });
		expect(await handle({ subject: newId() })).toMatchObject({ kind: "dead" });
		return sent[0] ?? {};
	}

	test("invites in the language of its reader, with the link and its end", async () => {
		const mail = { kind: "invitation", inviter: "Luis", companies: ["FARMACIA CENTRAL SRL"], link, expiresAt } as const;
		const es = await send(mail, "es");
		expect(es).toMatchObject({ to: "ana@farmacia.do", subject: "Sello: Invitación a FARMACIA CENTRAL SRL" });
		expect(es.text).toContain("Luis le invita");
		expect(es.text).toContain(link);
		expect(es.text).toContain("4 de diciembre de 2026");
		const en = await send({ ...mail, inviter: null, companies: [] }, "en");
		expect(en.subject).toBe("Sello: Invitation to the operation of the service");
		expect(en.text).toContain("The operator of the service invites you");
		expect(en.text).toContain("4 December 2026");
	});

	test.each<[AccountMail, string]>([
		[{ kind: "sign-in", link, expiresAt }, link],
		[{ kind: "recovery", link, expiresAt }, "recovery codes"],
		[{ kind: "recovered", address: "203.0.113.7", agent: "Firefox", at: expiresAt }, "203.0.113.7"],
		[{ kind: "new-device", address: "203.0.113.7", agent: "Firefox\r\nBcc: x", at: expiresAt }, "Firefox Bcc: x"],
		[{ kind: "factor", change: "totp-removed", at: expiresAt }, "switched off"],
	])("says what happened: %o", async (mail, words) => {
		expect((await send(mail, "en")).text).toContain(words);
	});
});
