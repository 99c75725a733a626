/** The operations with which an owner manages who sees its companies. Only people with the role `owner` of all its companies may. */
import { Type } from "@sinclair/typebox";
import {
	idFrom,
	json,
	jsonBody,
	NEEDS_SESSION,
	type Operation,
	PRIVATE_NO_STORE,
	PUBLIC,
	patchBody,
	pathParameter,
	queryParameter,
	readJson,
	readQuery,
	textOf,
} from "../../platform/operation";
import { msg } from "../../platform/problem";
import { listInvitations, listMembers } from "../users";
import {
	accept,
	changeMember,
	INVITATIONS_MAX,
	invite,
	MEMBERS_MAX,
	removeMember,
	requireTeam,
	resetMember,
	revoke,
	type TeamDeps,
} from "./manage";
import {
	AcceptedRecord,
	AcceptRequest,
	InvitationRecord,
	InvitationRequest,
	MemberPatch,
	MemberRecord,
	toInvitationRecord,
	toMemberRecord,
} from "./record";

const TAG = "Console";

const EXAMPLE: MemberRecord = {
	...{ id: "0192f0c0-7a00-7b11-9c22-334455667788", userId: "0192f0c1-7a00-7b11-9c22-334455667788" },
	...{ email: "ana@farmacia.do", name: "Ana Pérez", role: "accountant", tenantIds: null },
	...{ factors: { password: true, totp: true, passkeys: 1 }, disabled: false, createdAt: "2026-11-20T14:00:00.000Z" },
};
const INVITATION: InvitationRecord = {
	...{ id: "0192f0c2-7a00-7b11-9c22-334455667788", email: "luis@farmacia.do", role: "viewer" },
	...{ tenantIds: ["0192f0a1-b2c3-7d4e-8f00-112233445566"] },
	...{ createdAt: "2026-11-20T14:00:00.000Z", expiresAt: "2026-11-27T14:00:00.000Z" },
};

const OWNER = queryParameter(
	"owner",
	"The owner whose team is meant. It may be left out by people who manage one team only; `demo` is the local sandbox's.",
	textOf("^(demo|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$", msg`Send an owner's id.`),
);
const MEMBER = pathParameter("id", "The membership's id.", EXAMPLE.id);
const INVITED = pathParameter("id", "The invitation's id.", INVITATION.id);
const listOf = (record: typeof MemberRecord | typeof InvitationRecord) =>
	Type.Object({ items: Type.Array(record), count: Type.Integer() });
const READING = { tag: TAG, credentials: NEEDS_SESSION, sdk: null } as const;
const CHANGING = { ...READING, confirms: true } as const;
const WRONG_BODY = ["malformed-json", "validation-error"] as const;

export function teamOperations(deps: TeamDeps): Operation[] {
	return [
		{
			...{ id: "listTeamMembers", method: "GET", path: "/v1/team/members", ...READING },
			...{ summary: "List the team", description: `Oldest first. A team has ${MEMBERS_MAX} members at most.` },
			parameters: [OWNER],
			answers: {
				200: { description: "The members.", schema: listOf(MemberRecord), example: { items: [EXAMPLE], count: 1 } },
			},
			problems: ["validation-error", "forbidden"],
			handle: async (call) => {
				const items = (await listMembers(deps.sql, requireTeam(call, readQuery(call).owner))).map(toMemberRecord);
				return json(200, { items, count: items.length }, PRIVATE_NO_STORE);
			},
		},
		{
			...{ id: "patchTeamMember", method: "PATCH", path: "/v1/team/members/{id}", ...CHANGING },
			summary: "Change a member's role or companies",
			description: "Absent members stay. It works within a second, also in open sessions. The last owner stays.",
			parameters: [MEMBER],
			body: patchBody(MemberPatch, { role: "accountant" }),
			answers: { 200: { description: "The member after the change.", schema: MemberRecord, example: EXAMPLE } },
			problems: [...WRONG_BODY, "not-found", "last-owner"],
			handle: async (call) => {
				const id = idFrom(call);
				const changed = await changeMember(deps, call, id, await readJson<MemberPatch>(call));
				return json(200, toMemberRecord(changed), PRIVATE_NO_STORE);
			},
		},
		{
			...{ id: "deleteTeamMember", method: "DELETE", path: "/v1/team/members/{id}", ...CHANGING },
			summary: "Remove a member",
			description:
				"It works within a second, also in open sessions. The account stays, and so do its other teams. The last owner stays.",
			parameters: [MEMBER],
			answers: { 204: { description: "The person is no longer a member." } },
			problems: ["validation-error", "not-found", "last-owner"],
			handle: async (call) => {
				const id = idFrom(call);
				readQuery(call);
				await removeMember(deps, call, id);
				return new Response(null, { status: 204, headers: PRIVATE_NO_STORE });
			},
		},
		{
			...{ id: "resetTeamMember", method: "POST", path: "/v1/team/members/{id}/reset", ...CHANGING },
			summary: "Reset how a member signs in",
			description:
				"For a person who has lost every factor: removes them, ends all sessions and mails a recovery link, which works without a recovery " +
				"code. It is refused for yourself and for people of further teams, whom the operator resets.",
			parameters: [MEMBER],
			answers: { 204: { description: "The link is on its way." } },
			problems: ["validation-error", "not-found", "forbidden"],
			handle: async (call) => {
				const id = idFrom(call);
				readQuery(call);
				await resetMember(deps, call, id);
				return new Response(null, { status: 204, headers: PRIVATE_NO_STORE });
			},
		},
		{
			...{ id: "listTeamInvitations", method: "GET", path: "/v1/team/invitations", ...READING },
			...{ summary: "List open invitations", description: "Newest first." },
			parameters: [OWNER],
			answers: {
				200: {
					description: "The invitations.",
					schema: listOf(InvitationRecord),
					example: { items: [INVITATION], count: 1 },
				},
			},
			problems: ["validation-error", "forbidden"],
			handle: async (call) => {
				const owner = requireTeam(call, readQuery(call).owner);
				const items = (await listInvitations(deps.sql, owner, deps.clock.now())).map(toInvitationRecord);
				return json(200, { items, count: items.length }, PRIVATE_NO_STORE);
			},
		},
		{
			...{ id: "createTeamInvitation", method: "POST", path: "/v1/team/invitations", ...CHANGING },
			summary: "Invite a person",
			description:
				"Mails a link that holds for seven days and works once. An open invitation of the same address is replaced. " +
				`A team has ${INVITATIONS_MAX} open invitations at most.`,
			parameters: [OWNER],
			body: jsonBody(InvitationRequest, { email: INVITATION.email, role: "viewer", tenantIds: INVITATION.tenantIds }),
			answers: { 201: { description: "The invitation.", schema: InvitationRecord, example: INVITATION } },
			problems: [...WRONG_BODY, "forbidden", "member-already-exists"],
			handle: async (call) => {
				const owner = requireTeam(call, readQuery(call).owner);
				const invitation = await invite(deps, call, owner, await readJson<InvitationRequest>(call));
				return json(201, toInvitationRecord(invitation), PRIVATE_NO_STORE);
			},
		},
		{
			...{ id: "deleteTeamInvitation", method: "DELETE", path: "/v1/team/invitations/{id}", ...CHANGING },
			...{ summary: "Withdraw an invitation", description: "Its link no longer works." },
			parameters: [INVITED],
			answers: { 204: { description: "The invitation is withdrawn." } },
			problems: ["validation-error", "not-found"],
			handle: async (call) => {
				const id = idFrom(call);
				readQuery(call);
				await revoke(deps, call, id);
				return new Response(null, { status: 204, headers: PRIVATE_NO_STORE });
			},
		},
		{
			...{ id: "acceptTeamInvitation", sdk: null, method: "POST", path: "/v1/team/invitations:accept", tag: TAG },
			...{ summary: "Accept an invitation", credentials: PUBLIC, limit: "sign-in" },
			description:
				"A new person gets an account and a session. A person with an account signs in first, with the address of the invitation.",
			body: jsonBody(AcceptRequest, { token: "q2dE0RrUoq1c9Zx3k5bJkPz6n1T0lM8yQ4wVhXsA7uI", name: "Luis Gómez" }),
			answers: {
				200: {
					description: "The person is a member.",
					schema: AcceptedRecord,
					example: { ownerId: "0192f0a0-b2c3-7d4e-8f00-112233445566", role: "viewer", isNewSession: true },
				},
			},
			problems: [...WRONG_BODY, "cross-site-request", "link-expired", "session-expired", "email-not-invited"],
			handle: async (call) => {
				readQuery(call);
				return accept(deps, call, await readJson<AcceptRequest>(call));
			},
		},
	];
}
