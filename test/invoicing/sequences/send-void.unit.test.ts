/** What becomes of a void when the authority is silent, contradicts itself or does not offer the service. */
import { beforeAll, expect, test } from "bun:test";
import type { VoidAnswer } from "../../../src/authority/client";
import { toNumber } from "../../../src/invoicing/sequences";
import { createSendVoid } from "../../../src/invoicing/sequences/send-void";
import { insertVoid, saveDocument } from "../../../src/invoicing/sequences/void-store";
import { append, type Message, OUTBOX_KINDS } from "../../../src/platform/outbox";
import { newId, systemClock } from "../../../src/platform/values";
import { encfOf, postSequence, postVoid } from "../../api/support/sequences";
import { holdMessage } from "../../support/held-messages";
import { createTenant, get, sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

type Void = { id: string; status: string; attempts: number; messages: { code: string; text: string }[] };

async function untilDecided(tenant: Tenant, id: string): Promise<Void> {
	const read = async () => (await (await get(service, `/v1/sequences/voids/${id}`, tenant.headers)).json()) as Void;
	await until(async () => (await read()).status !== "pending", 30_000);
	return read();
}

const strike = (mode: string, count = 1) =>
	fetch(`${service.simulatorUrl}/_simulator/faults`, {
		method: "POST",
		body: JSON.stringify({ operation: "void", mode, count }),
	});

/** A void of numbers that the authority has voided already, as after the loss of our own record of it. */
async function voidAgain(tenant: Tenant): Promise<string> {
	const first = (await (await postVoid(service, tenant, [1, 2])).json()) as Void;
	expect(await untilDecided(tenant, first.id)).toMatchObject({ status: "voided" });
	return first.id;
}

async function sendAgain(tenant: Tenant): Promise<string> {
	const id = newId();
	await service.sql.begin(async (tx) => {
		await insertVoid(tx, {
			tenantId: tenant.tenantId,
			type: "31",
			id,
			range: { first: toNumber(encfOf(1)), last: toNumber(encfOf(2)) },
			reason: "otra vez",
		});
		await append(tx, { kind: OUTBOX_KINDS.voidSequence, tenantId: tenant.tenantId, subject: id });
	});
	return id;
}

test("a refusal of the numbers decides, but not after an unknown sending", async () => {
	const tenant = await createTenant(service);
	await voidAgain(tenant);
	await strike("reset-before");
	expect(await untilDecided(tenant, await sendAgain(tenant))).toMatchObject({ status: "unconfirmed", attempts: 2 });
	expect(await untilDecided(tenant, await sendAgain(tenant))).toMatchObject({ status: "rejected", attempts: 1 });
});

test("any other refusal decides, but not after an unknown sending", async () => {
	for (const [first, status] of [
		["not-sent", "rejected"],
		["unknown", "unconfirmed"],
	] as const) {
		const tenant = await createTenant(service);
		const message = await holdVoid(tenant);
		const lost = { kind: first, reason: "authority-timeout", detail: "no answer" } as const;
		const messages = [{ code: "", text: "El certificado no está delegado para el RNC." }];
		const answers: VoidAnswer[] = [lost, { kind: "refused", messages }];
		const handler = handlerOf(...answers);
		for (let i = 0; i < 2; i++) await handler(message);
		expect(await untilDecided(tenant, message.subject)).toMatchObject({ status, attempts: 2 });
	}
});

/** A void that is signed, with its message in this test's hands. */
async function holdVoid({ tenantId }: Tenant): Promise<Message> {
	const { sql } = service;
	const id = newId();
	const range = { first: toNumber(encfOf(1)), last: toNumber(encfOf(2)) };
	await sql.begin(async (tx) => {
		await insertVoid(tx, { tenantId, type: "31", id, range, reason: "prueba" });
		await saveDocument(tx, { tenantId, id }, Buffer.from("<ANECF/>"), Buffer.alloc(32), new Date());
		await append(tx, { kind: OUTBOX_KINDS.voidSequence, tenantId, subject: id, availableInSeconds: 3_600 });
	});
	return holdMessage(sql, id);
}

test("answers that decide nothing are stored, and the same bytes go out until one does", async () => {
	const tenant = await createTenant(service);
	await strike("html-200");
	await strike("status-503");
	const { id } = (await (await postVoid(service, tenant, [1, 9])).json()) as Void;
	expect(await untilDecided(tenant, id)).toMatchObject({ status: "voided", attempts: 3 });
	const rows = await service.sql<{ status: number; operation: string }[]>`
		select http_status as status, operation from sequence_void_steps where void_id = ${id} and kind = 'answer' order by n`;
	expect(rows.map(({ status, operation }) => `${operation} ${status}`)).toEqual([
		...["void-ranges 200", "void-ranges 503", "void-ranges 200"],
	]);
}, 120_000);

test("without the authority's service the void fails and frees its numbers", async () => {
	const tenant = await createTenant(service, { company: { authorityEnvironment: "certification" } });
	await postSequence(service, tenant, [1, 10]);
	const { id } = (await (await postVoid(service, tenant, [1, 4])).json()) as Void;
	const failed = await untilDecided(tenant, id);
	expect(failed).toMatchObject({ status: "failed", messages: [{ code: "authority-service-absent" }] });
	const list = (await (await get(service, "/v1/sequences", tenant.headers)).json()) as {
		items: { available: number }[];
	};
	expect(list.items[0]?.available).toBe(10);
	expect((await postVoid(service, tenant, [1, 4])).status).toBe(202);
});

/** The company's only certificate has ended, or is in force again. */
async function endCertificate({ tenantId }: Tenant, hasEnded: boolean): Promise<void> {
	const end = hasEnded ? "1 second ago" : "1 year";
	await service.sql`update signing_certificates set not_after = now() + ${end}::interval where tenant_id = ${tenantId}`;
}

const availableOf = async (tenant: Tenant) => {
	const list = await (await get(service, "/v1/sequences", tenant.headers)).json();
	return (list as { items: { available: number }[] }).items[0]?.available;
};

/** Carries a held void out as the service would, with these answers of the authority; no key may be opened. */
const handlerOf = (...answers: VoidAnswer[]) =>
	createSendVoid({
		sql: service.sql,
		authority: {
			voidRange: async () => {
				const answer = answers.shift();
				if (!answer) throw new Error("nothing was to be sent");
				return answer;
			},
		},
		openKey: () => {
			throw new Error("it is signed already");
		},
		clock: systemClock,
	});

test("without a certificate a void waits, says why, and is sent with the next one", async () => {
	const tenant = await createTenant(service);
	await endCertificate(tenant, true);
	const { id } = (await (await postVoid(service, tenant, [1, 4])).json()) as Void;
	const read = async () => (await (await get(service, `/v1/sequences/voids/${id}`, tenant.headers)).json()) as Void;
	await until(async () => (await read()).messages.length > 0, 30_000);
	expect(await read()).toMatchObject({ status: "pending", attempts: 0, messages: [{ code: "awaiting-certificate" }] });
	// A handler that throws is retried with its error's words.
	const reasonOf = async () => {
		const [row] = await service.sql`select last_error as reason from outbox where subject = ${id}`;
		return row?.reason;
	};
	await until(async () => (await reasonOf()) !== null, 30_000);
	expect(await reasonOf()).toBe("awaiting-certificate");
	await endCertificate(tenant, false);
	await service.sql`update outbox set available_at = now() where subject = ${id} and state = 'ready'`;
	const voided = await untilDecided(tenant, id);
	expect(voided).toMatchObject({ status: "voided", attempts: 1 });
	expect(voided.messages).not.toContainEqual(expect.objectContaining({ code: "awaiting-certificate" }));
}, 60_000);

test("a sent void no longer shows what it waited for", async () => {
	const tenant = await createTenant(service);
	const message = await holdVoid(tenant);
	await endCertificate(tenant, true);
	const handler = handlerOf({ kind: "unknown", reason: "authority-timeout", detail: "no answer" });
	expect(await handler(message)).toMatchObject({ kind: "retry", reason: "awaiting-certificate" });
	await endCertificate(tenant, false);
	expect(await handler(message)).toMatchObject({ kind: "retry", reason: "authority-timeout" });
	const answer = await get(service, `/v1/sequences/voids/${message.subject}`, tenant.headers);
	expect(await answer.json()).toMatchObject({ status: "pending", attempts: 1, messages: [] });
});

test("after 72 hours without a certificate the void fails and frees its numbers", async () => {
	const tenant = await createTenant(service);
	await postSequence(service, tenant, [1, 10]);
	const message = await holdVoid(tenant);
	await service.sql`update sequences set free = '{[5000000003,5000000011)}' where tenant_id = ${tenant.tenantId}`;
	expect(await availableOf(tenant)).toBe(8);
	await endCertificate(tenant, true);
	const over = { ...message, ageSeconds: 72 * 3_600 };
	expect(await handlerOf()(over)).toMatchObject({ kind: "dead" });
	expect(await untilDecided(tenant, message.subject)).toMatchObject({
		...{ status: "failed", attempts: 0, messages: [{ code: "certificate-missing" }] },
	});
	expect(await availableOf(tenant)).toBe(10);
});

test("where the authority may have it, 72 hours without a certificate leave it open", async () => {
	const tenant = await createTenant(service);
	const message = await holdVoid(tenant);
	const handler = handlerOf({ kind: "unknown", reason: "authority-timeout", detail: "no answer" });
	await handler(message);
	await endCertificate(tenant, true);
	expect(await handler({ ...message, ageSeconds: 72 * 3_600 })).toMatchObject({ kind: "done" });
	expect(await untilDecided(tenant, message.subject)).toMatchObject({
		...{ status: "unconfirmed", attempts: 1, messages: [{ code: "certificate-missing" }] },
	});
});

test("neither signed bytes nor a final state nor an answer can be changed", async () => {
	const tenant = await createTenant(service);
	const id = await voidAgain(tenant);
	const { sql } = service;
	const attempts = [
		() => sql`update sequence_voids set document = 'x' where id = ${id}`,
		() => sql`update sequence_voids set status = 'pending' where id = ${id}`,
		() => sql`update sequence_void_steps set body = 'x' where void_id = ${id}`,
		() => sql`delete from sequence_void_steps where void_id = ${id}`,
	];
	for (const attempt of attempts) {
		const outcome = await attempt().then(
			() => "changed",
			() => "refused",
		);
		expect(outcome).toBe("refused");
	}
});
