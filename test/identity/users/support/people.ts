/** People on a real database, whose operations are called as the server would call them after its guard. */
import { insertMembership, keepUser, listMemberships } from "../../../../src/identity/users";
import type { Operation, Role } from "../../../../src/platform/operation";
import { Problem } from "../../../../src/platform/problem";
import { createEnvelope } from "../../../../src/platform/secrets";
import { newId } from "../../../../src/platform/values";
import { openTestDatabase } from "../../../support/database";

export type Answered = { readonly status: number; readonly headers: Headers; readonly body: Record<string, unknown> };

export async function openPeople() {
	const database = await openTestDatabase();
	const { sql } = database;
	let at = Date.parse("2026-11-27T12:00:00Z");
	const shared = {
		sql,
		clock: { now: () => new Date(at) },
		envelope: createEnvelope(Buffer.alloc(32, 7)),
		consoleUrl: "http://localhost:3000",
		party: { id: "localhost", name: "Sello", origin: "http://localhost:3000" },
		wake: () => undefined,
	};

	return {
		...shared,
		database,
		advance: (ms: number) => {
			at += ms;
		},
		async makeOwner(): Promise<string> {
			const id = newId();
			await sql`insert into owners (id, label, created_at) values (${id}, 'FARMACIA CENTRAL', ${new Date(at)})`;
			return id;
		},
		async makePerson(...roles: { ownerId: string | null; role: Role; tenantIds?: string[] }[]) {
			const userId = newId();
			const email = `${userId}@farmacia.do`;
			await sql.begin(async (tx) => {
				const createdAt = new Date(at);
				await keepUser(tx, { id: userId, email, name: `Persona ${email.slice(0, 4)}`, language: "es", createdAt });
				for (const { ownerId, role, tenantIds = null } of roles)
					await insertMembership(tx, { id: newId(), userId, ownerId, role, tenantIds, createdAt });
			});
			return { userId, email };
		},
		/** As a person whose session has just begun; without one, as a caller without a session. */
		async call(
			operations: readonly Operation[],
			id: string,
			userId: string | undefined,
			{ body, params = {}, query = "" }: { body?: unknown; params?: Record<string, string>; query?: string } = {},
		): Promise<Answered> {
			const operation = operations.find((one) => one.id === id);
			if (!operation) throw new Error(`no operation ${id}`);
			const url = new URL(`${operation.path}${query}`, "http://localhost:3000");
			const request = new Request(url.href, {
				method: operation.method,
				headers: { "content-type": "application/json" },
				...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
			});
			const memberships = userId === undefined ? [] : await listMemberships(sql, userId);
			const person = {
				userId: userId ?? "",
				sessionId: newId(),
				confirmedAt: new Date(at),
				hasFactor: true,
				memberships,
				accesses: [],
			};
			const principal = { environment: "sandbox", plan: "free", ownerId: null, scopes: new Set<string>() } as const;
			const base = { request, url, requestId: "test", remoteAddress: "127.0.0.1", params, operation };
			try {
				const response = await operation.handle(
					userId === undefined ? base : { ...base, principal: { ...principal, person } },
				);
				const text = await response.text();
				return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) };
			} catch (error) {
				if (!(error instanceof Problem)) throw error;
				const { slug, status, detail, faults } = error;
				return { status, headers: new Headers(), body: { slug, detail: String(detail), faults } };
			}
		},
		/** The mails that wait, oldest first, which are taken away. */
		async takeMails(): Promise<{ to: string; subject: string; text: string }[]> {
			const rows = await sql<{ subject: string; payload: { sealed: string } }[]>`
				with taken as (delete from outbox where kind = 'mail.person' returning id, subject, payload)
				select subject, payload from taken order by id`;
			return rows.map(({ subject, payload }) => {
				const sealed = Buffer.from(payload.sealed, "base64");
				return JSON.parse(shared.envelope.open(sealed, `account-mail|${subject}`).toString());
			});
		},
		auditOf: async (userId: string) =>
			(await sql<{ action: string }[]>`select action from audit where user_id = ${userId} order by id`).map(
				({ action }) => action,
			),
	};
}
export type People = Awaited<ReturnType<typeof openPeople>>;
