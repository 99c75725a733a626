import { afterAll, beforeAll, expect, test } from "bun:test";
import { factorOperations } from "../../../src/identity/factors";
import { verifyPassword } from "../../../src/identity/users";
import type { Operation } from "../../../src/platform/operation";
import { createAuthenticator } from "../users/support/authenticator";
import { openPeople, type People } from "../users/support/people";
import { codeAt } from "./support/code";

let people: People;
let sandbox: Operation[];
let production: Operation[];
const ended: string[] = [];
beforeAll(async () => {
	people = await openPeople();
	const deps = {
		...people,
		endSessions: async (_: unknown, userId: string) => ended.push(userId),
		forget: () => undefined,
		listCompanies: async () => [{ name: "FARMACIA CENTRAL SRL" }],
	};
	sandbox = factorOperations({ ...deps, environment: "sandbox" });
	production = factorOperations({ ...deps, environment: "production" });
});
afterAll(() => people.database.close());

type Sent = Parameters<People["call"]>[3];
const send = (id: string, userId: string, sent?: Sent) => people.call(sandbox, id, userId, sent);
const sendLive = (id: string, userId: string, sent?: Sent) => people.call(production, id, userId, sent);
const userOf = async (userId: string) =>
	(await people.sql`select password_hash, totp_at, totp_step from users where id = ${userId}`)[0] ?? {};

async function addPasskey(userId: string, label: string) {
	const { body: options } = await send("createPasskeyOptions", userId);
	const authenticator = createAuthenticator();
	const context = { rpId: "localhost", origin: "http://localhost:3000", challenge: String(options.challenge) };
	const credential = authenticator.register(context, (options.user as { id: string }).id);
	return { credential, answer: await send("createPasskey", userId, { body: { label, credential } }) };
}

test("a passkey is added once, listed, mailed about and removed", async () => {
	const { userId, email } = await people.makePerson();
	const { credential, answer } = await addPasskey(userId, "Portátil");
	expect(answer).toMatchObject({ status: 201, body: { label: "Portátil", isBackedUp: false, lastUsedAt: null } });
	const again = await send("createPasskey", userId, { body: { label: "Otra", credential } });
	expect(again.body.slug).toBe("passkey-invalid");
	const { body } = await send("listPasskeys", userId);
	expect(body).toMatchObject({ count: 1, items: [{ id: answer.body.id }] });
	expect(JSON.stringify(body)).not.toContain(credential.id);
	expect(await people.takeMails()).toMatchObject([{ to: email, text: expect.stringContaining("llave de acceso") }]);
	const second = await addPasskey(userId, "Teléfono");
	const params = { id: String(second.answer.body.id) };
	const stranger = await people.makePerson();
	expect((await send("deletePasskey", stranger.userId, { params })).status).toBe(404);
	expect((await send("deletePasskey", userId, { params })).status).toBe(204);
	expect(await people.auditOf(userId)).toEqual(["user.passkey-add", "user.passkey-add", "user.passkey-remove"]);
});

test("a person has twenty passkeys at most, and another person's challenge is refused", async () => {
	const [{ userId }, other] = [await people.makePerson(), await people.makePerson()];
	for (let n = 0; n < 20; n++) expect((await addPasskey(userId, `N.º ${n}`)).answer.status).toBe(201);
	expect((await addPasskey(userId, "N.º 20")).answer.body).toMatchObject({ faults: [{ code: "too-many-passkeys" }] });
	const { body } = await send("createPasskeyOptions", userId);
	const context = { rpId: "localhost", origin: "http://localhost:3000", challenge: String(body.challenge) };
	const credential = createAuthenticator().register(context, "AAAA");
	const stolen = await send("createPasskey", other.userId, { body: { label: "Ajena", credential } });
	expect(stolen.body.slug).toBe("passkey-invalid");
});

test("a password is kept as its hash and ends the other sessions", async () => {
	const { userId } = await people.makePerson();
	expect((await send("putPassword", userId, { body: { password: "caballo-pila-grapa" } })).status).toBe(204);
	const { password_hash: hash } = await userOf(userId);
	expect(await verifyPassword("caballo-pila-grapa", hash)).toBe(true);
	expect(ended).toContain(userId);
});

test.each([
	["corta", "12"],
	["mi-Farmacia-Central-2026", "name of your company"],
])("a weak password is refused: %p", async (password, reason) => {
	const { userId } = await people.makePerson();
	const { status, body } = await send("putPassword", userId, { body: { password } });
	expect({ status, slug: body.slug }).toEqual({ status: 422, slug: "password-weak" });
	expect(String(body.detail)).toMatch(new RegExp(reason));
	expect((await userOf(userId)).password_hash).toBeNull();
});

test("an app is used from its first right code on, and the same code not again", async () => {
	const { userId } = await people.makePerson();
	const { body } = await send("createTotp", userId);
	const secret = String(body.secret);
	expect(body.uri).toStartWith("otpauth://totp/Sello:");
	expect((await send("putTotp", userId, { body: { secret, code: "000000" } })).body).toMatchObject({
		faults: [{ pointer: "/code", code: "wrong-code" }],
	});
	expect((await send("putTotp", userId, { body: { secret: "MZXW6YTBOI", code: "000000" } })).body).toMatchObject({
		faults: [{ pointer: "/secret" }],
	});
	const now = people.clock.now().getTime();
	expect((await send("putTotp", userId, { body: { secret, code: codeAt(secret, now) } })).status).toBe(204);
	const { totp_step, totp_at } = await userOf(userId);
	expect([Number(totp_step), totp_at]).toEqual([Math.floor(now / 30_000), people.clock.now()]);
});

test("the only way in cannot be removed", async () => {
	const { userId } = await people.makePerson();
	const { answer } = await addPasskey(userId, "Única");
	const params = { id: String(answer.body.id) };
	expect((await send("deletePasskey", userId, { params })).body.slug).toBe("forbidden");
	await send("putPassword", userId, { body: { password: "caballo-pila-grapa" } });
	// Outside the sandboxes a password alone opens nothing.
	expect((await sendLive("deletePasskey", userId, { params })).body.slug).toBe("forbidden");
	expect((await send("listPasskeys", userId)).body.count).toBe(1);
	expect((await send("deletePasskey", userId, { params })).status).toBe(204);
	expect((await send("deleteTotp", userId)).status).toBe(404);
});

test("recovery codes are shown once and replace the former ones", async () => {
	const { userId } = await people.makePerson();
	const first = await send("createRecoveryCodes", userId);
	const second = await send("createRecoveryCodes", userId);
	const codes = second.body.codes as string[];
	expect(new Set([...(first.body.codes as string[]), ...codes]).size).toBe(20);
	const kept = await people.sql`select digest from user_recovery_codes where user_id = ${userId}`;
	expect(kept.length).toBe(10);
	expect(second.headers.get("cache-control")).toContain("no-store");
});

test.each(["{", "[]", '{"password":1}', '{"password":"caballo-pila-grapa","x":1}'])(
	"rubbish is refused: %s",
	async (body) => {
		const { userId } = await people.makePerson();
		expect((await send("putPassword", userId, { body })).status).toBe(400);
		expect((await send("createPasskey", userId, { body })).status).toBe(400);
		expect((await send("putTotp", userId, { body })).status).toBe(400);
	},
);
