import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type TeamSessions, teamOperations } from "../../../src/identity/team";
import { listMemberships } from "../../../src/identity/users";
import type { Operation } from "../../../src/platform/operation";
import { newId } from "../../../src/platform/values";
import { openPeople, type People } from "../users/support/people";

let people: People;
let operations: Operation[];
let signedIn: string | undefined;
let forgotten: string[] = [];
const [ended, started]: [string[], string[]] = [[], []];
beforeAll(async () => {
	people = await openPeople();
	const sessions: TeamSessions = {
		makeToken: () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url"),
		findPerson: async () => (signedIn === undefined ? undefined : { userId: signedIn }),
		start: async (_, __, { id }) => `session=${started.push(id)}`,
		endAll: async (_, userId) => ended.push(userId),
		mailRecoveryLink: async () => undefined,
		forget: ({ userId }) => void forgotten.push(userId),
	};
	const listCompanies = async () => [{ name: "FARMACIA CENTRAL SRL" }];
	operations = teamOperations({ ...people, sessions, listCompanies });
});
afterAll(() => people.database.close());

type Sent = Parameters<People["call"]>[3];
type Person = { readonly userId: string; readonly email: string };
const send = (id: string, person: Person | undefined, sent?: Sent) => people.call(operations, id, person?.userId, sent);

let owner: Person;
let ownerId: string;
beforeEach(async () => {
	signedIn = undefined;
	forgotten = [];
	ownerId = await people.makeOwner();
	owner = await people.makePerson({ ownerId, role: "owner" });
});

async function addCompany(of: string): Promise<string> {
	const tenantId = newId();
	await people.sql`
		insert into oauth_clients (client_id, tenant_id, owner_id, plan, scopes, environment, secret_digest, created_at)
		values (${`cli_${tenantId}`}, ${tenantId}, ${of}, 'free', '{}', 'sandbox', ${Buffer.alloc(32)}, now())`;
	return tenantId;
}

const idOf = async ({ userId }: Person) => (await listMemberships(people.sql, userId))[0]?.id ?? "";
const tokenIn = (text = "") => /accept#(\S{43})/.exec(text)?.[1] ?? "";

async function invite(email: string, more: object = {}) {
	const answer = await send("createTeamInvitation", owner, { body: { email, role: "viewer", ...more } });
	const mail = (await people.takeMails()).at(-1);
	return { answer, mail, token: tokenIn(mail?.text) };
}

describe("an invitation", () => {
	test("opens a new account with its role and companies, once", async () => {
		const tenantId = await addCompany(ownerId);
		const email = `Luis.${newId()}@Farmacia.do`;
		const { answer, mail, token } = await invite(email, { role: "accountant", tenantIds: [tenantId] });
		expect(answer).toMatchObject({ status: 201, body: { email: email.toLowerCase(), tenantIds: [tenantId] } });
		expect(mail?.text).toContain("FARMACIA CENTRAL SRL");
		const accepted = await send("acceptTeamInvitation", undefined, { body: { token, name: "Luis Gómez" } });
		expect(accepted.body).toEqual({ ownerId, role: "accountant", isNewSession: true });
		expect(accepted.headers.get("set-cookie")).toBe(`session=${started.length}`);
		const members = (await send("listTeamMembers", owner)).body.items as { email: string }[];
		expect(members.at(-1)).toMatchObject({
			...{ email: email.toLowerCase(), name: "Luis Gómez", role: "accountant", tenantIds: [tenantId] },
			factors: { password: false, totp: false, passkeys: 0 },
		});
		expect((await send("acceptTeamInvitation", undefined, { body: { token } })).body.slug).toBe("link-expired");
		expect((await send("listTeamInvitations", owner)).body.count).toBe(0);
	});

	test("opens no account that has a factor: its person signs in first", async () => {
		const person = await people.makePerson();
		await people.sql`update users set password_hash = 'x' where id = ${person.userId}`;
		const { token } = await invite(person.email);
		expect((await send("acceptTeamInvitation", undefined, { body: { token } })).body.slug).toBe("session-expired");
		signedIn = owner.userId;
		expect((await send("acceptTeamInvitation", undefined, { body: { token } })).body.slug).toBe("email-not-invited");
		signedIn = person.userId;
		const { body, headers } = await send("acceptTeamInvitation", undefined, { body: { token } });
		expect(body).toMatchObject({ ownerId, isNewSession: false });
		expect(headers.get("set-cookie")).toBeNull();
		expect(forgotten).toEqual([person.userId]);
	});

	test("ends after seven days, when it is withdrawn and when another one replaces it", async () => {
		const email = `ana.${newId()}@farmacia.do`;
		const first = await invite(email);
		const second = await invite(email);
		expect((await send("listTeamInvitations", owner)).body.count).toBe(1);
		const accept = (token: string) => send("acceptTeamInvitation", undefined, { body: { token } });
		expect((await accept(first.token)).body.slug).toBe("link-expired");
		const params = { id: String(second.answer.body.id) };
		const stranger = await people.makePerson({ ownerId: await people.makeOwner(), role: "owner" });
		expect((await send("deleteTeamInvitation", stranger, { params })).status).toBe(404);
		expect((await send("deleteTeamInvitation", owner, { params })).status).toBe(204);
		expect((await accept(second.token)).body.slug).toBe("link-expired");
		const third = await invite(email);
		people.advance(7 * 86_400_000);
		expect((await accept(third.token)).body.slug).toBe("link-expired");
		expect((await accept("A".repeat(43))).body.slug).toBe("link-expired");
		expect((await accept("rubbish")).status).toBe(400);
	});

	test("is refused for members, for others' companies and beyond fifty", async () => {
		expect((await invite(owner.email.toUpperCase())).answer.body.slug).toBe("member-already-exists");
		const foreign = await addCompany(await people.makeOwner());
		expect((await invite("x@farmacia.do", { tenantIds: [foreign] })).answer.body).toMatchObject({
			faults: [{ pointer: "/tenantIds/0", code: "unknown-company" }],
		});
		const body = { email: "x@farmacia.do", role: "operator" };
		expect((await send("createTeamInvitation", owner, { body })).status).toBe(400);
		for (let n = 0; n < 50; n++) expect((await invite(`n${n}.${newId()}@farmacia.do`)).answer.status).toBe(201);
		expect((await invite(`last.${newId()}@farmacia.do`)).answer.body).toMatchObject({
			faults: [{ code: "too-many-invitations" }],
		});
	});
});

describe("a team", () => {
	test.each(["viewer", "accountant", "developer"] as const)("is hidden from a %s", async (role) => {
		const person = await people.makePerson({ ownerId, role });
		expect((await send("listTeamMembers", person)).body.slug).toBe("forbidden");
		expect((await send("listTeamInvitations", person)).body.slug).toBe("forbidden");
		const body = { email: "x@farmacia.do", role: "owner" };
		expect((await send("createTeamInvitation", person, { body })).body.slug).toBe("forbidden");
		const params = { id: await idOf(owner) };
		expect((await send("patchTeamMember", person, { params, body: { role: "viewer" } })).status).toBe(404);
		expect((await send("deleteTeamMember", person, { params })).status).toBe(404);
	});

	test("is hidden from an owner of some companies, and from another owner", async () => {
		const some = await people.makePerson({ ownerId, role: "owner", tenantIds: [newId()] });
		expect((await send("listTeamMembers", some)).body.slug).toBe("forbidden");
		const other = await people.makePerson({ ownerId: await people.makeOwner(), role: "owner" });
		expect((await send("listTeamMembers", other, { query: `?owner=${ownerId}` })).body.slug).toBe("forbidden");
		expect((await send("resetTeamMember", other, { params: { id: await idOf(owner) } })).status).toBe(404);
	});

	test("is named by who manages several", async () => {
		const second = await people.makeOwner();
		const both = await people.makePerson({ ownerId, role: "owner" }, { ownerId: second, role: "owner" });
		expect((await send("listTeamMembers", both)).status).toBe(400);
		expect((await send("listTeamMembers", both, { query: `?owner=${second}` })).body.count).toBe(1);
		expect((await send("listTeamMembers", both, { query: "?owner=demo" })).body.slug).toBe("forbidden");
		const local = await people.makePerson({ ownerId: null, role: "owner" }, { ownerId: null, role: "operator" });
		expect((await send("listTeamMembers", local)).body.count).toBe(1);
	});

	test("keeps its last owner, even when two leave at once", async () => {
		const params = { id: await idOf(owner) };
		expect((await send("deleteTeamMember", owner, { params })).body.slug).toBe("last-owner");
		expect((await send("patchTeamMember", owner, { params, body: { role: "viewer" } })).body.slug).toBe("last-owner");
		const tenantIds = [await addCompany(ownerId)];
		expect((await send("patchTeamMember", owner, { params, body: { tenantIds } })).body.slug).toBe("last-owner");
		const second = await people.makePerson({ ownerId, role: "owner" });
		const secondId = await idOf(second);
		const answers = await Promise.all([
			send("deleteTeamMember", owner, { params }),
			send("deleteTeamMember", second, { params: { id: secondId } }),
		]);
		expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
	});

	test("changes a member's role and companies, and forgets what was cached", async () => {
		const person = await people.makePerson({ ownerId, role: "viewer" });
		const params = { id: await idOf(person) };
		const tenantIds = [await addCompany(ownerId)];
		const body = { role: "developer", tenantIds };
		expect((await send("patchTeamMember", owner, { params, body })).body).toMatchObject(body);
		expect(await listMemberships(people.sql, person.userId)).toMatchObject([body]);
		const cleared = await send("patchTeamMember", owner, { params, body: { tenantIds: null } });
		expect(cleared.body).toMatchObject({ role: "developer", tenantIds: null });
		expect(forgotten).toEqual([person.userId, person.userId]);
		expect(await people.auditOf(owner.userId)).toEqual(["team.change", "team.change"]);
		const seen = await people.sql`select 1 from audit where owner_id = ${ownerId} and action = 'team.change'`;
		expect(seen.length).toBe(2);
	});

	test("resets a member of its own alone", async () => {
		const person = await people.makePerson({ ownerId, role: "viewer" });
		await people.sql`update users set password_hash = 'x', totp_at = now() where id = ${person.userId}`;
		const params = { id: await idOf(person) };
		expect((await send("resetTeamMember", owner, { params })).status).toBe(204);
		expect(ended).toContain(person.userId);
		expect((await people.takeMails()).at(-1)?.text).toContain("todas las formas de entrar");
		const [row] = await people.sql`select password_hash, totp_at from users where id = ${person.userId}`;
		expect(row).toEqual({ password_hash: null, totp_at: null });
		const shared = await people.makePerson(
			{ ownerId, role: "viewer" },
			{ ownerId: await people.makeOwner(), role: "viewer" },
		);
		expect((await send("resetTeamMember", owner, { params: { id: await idOf(shared) } })).body.slug).toBe("forbidden");
		expect((await send("resetTeamMember", owner, { params: { id: await idOf(owner) } })).body.slug).toBe("forbidden");
	});
});
