import { describe, expect, test } from "bun:test";
import type { CurrentStatus } from "../../../src/authority/status";
import type { WebhookEndpoint } from "../../../src/events/endpoints";
import { type OverviewParts, toOverview } from "../../../src/invoicing/overview/overview";
import type { SequenceRecord } from "../../../src/invoicing/sequences";

const now = new Date("2026-11-20T14:30:00Z");
const group = (day: string, type: string, status: string, count: number, grand_total: string) => ({
	...{ day, type, status, count, subtotal: grand_total, tax: "0.00", grand_total },
});
const parts: OverviewParts = {
	...{ period: { from: "2026-11-19", to: "2026-11-20" }, now, today: "2026-11-20", language: "es" },
	...{ authorityEnvironment: "test", groups: [], todays: [], queue: { pending: 0, oldestSeconds: 0 } },
	...{
		waiting: { overdue: 0, oldest: null, earlier: 0 },
		prepared: { count: 0, expiresAt: null },
		rejected: [],
		failed: [],
		past: new Map(),
	},
	status: { status: "operational", since: now, contingency: false, services: [] } as unknown as CurrentStatus,
	...{ certificate: undefined, endpoints: undefined, undelivered: [], sequences: undefined },
};
const sequence = (over: Partial<SequenceRecord>): SequenceRecord => ({
	...{ id: "1", type: "31", from: "E310000000001", to: "E310000000099", next: null, available: 50, status: "active" },
	...{ expiresAt: "2027-12-31", forecast: { perDay: 1, exhaustedOn: "2027-01-09" } },
	...over,
});
const endingOf = (...sequences: SequenceRecord[]) =>
	toOverview({ ...parts, sequences }).sequences?.map(({ type, available, ending }) => ({ type, available, ending }));

test("sales are net of credit notes, and purchases stand apart", () => {
	const groups = [
		...[group("2026-11-19", "31", "accepted", 2, "300.00"), group("2026-11-19", "34", "accepted", 1, "-100.00")],
		...[group("2026-11-20", "41", "accepted", 1, "50.00"), group("2026-11-20", "32", "failed", 1, "70.00")],
	];
	const { cards, days } = toOverview({ ...parts, groups, todays: groups.slice(2) });
	expect(cards).toMatchObject({
		...{ issuedToday: 2, acceptanceRate: 0.8 },
		...{ sales: { count: 3, grand_total: "200.00" }, purchases: { count: 1, grand_total: "50.00" } },
	});
	expect(days).toEqual([
		{ day: "2026-11-19", accepted: 3, rejected: 0, failed: 0, sales: "200.00" },
		{ day: "2026-11-20", accepted: 1, rejected: 0, failed: 1, sales: "0.00" },
	]);
});

test("waiting documents count as issued today if they came today", () => {
	const waiting = { overdue: 3, oldest: new Date("2026-11-19T10:00:00Z"), earlier: 3 };
	const { cards, tasks } = toOverview({ ...parts, waiting, queue: { pending: 5, oldestSeconds: 90_000 } });
	expect(cards).toMatchObject({ issuedToday: 2, acceptanceRate: null, pending: { count: 5, oldestSeconds: 90_000 } });
	expect(tasks.pending).toEqual({ count: 3, since: "2026-11-19T10:00:00.000Z" });
});

describe("a sequence is ending", () => {
	test("within two weeks of its last number, and within a month of its last day", () => {
		expect(endingOf(sequence({}))).toEqual([{ type: "31", available: 50, ending: false }]);
		expect(endingOf(sequence({ forecast: { perDay: 9, exhaustedOn: "2026-12-04" } }))?.[0]?.ending).toBe(true);
		expect(endingOf(sequence({ forecast: { perDay: 9, exhaustedOn: "2026-12-05" } }))?.[0]?.ending).toBe(false);
		expect(endingOf(sequence({ expiresAt: "2026-12-20" }))?.[0]?.ending).toBe(true);
		expect(endingOf(sequence({ expiresAt: "2026-12-21" }))?.[0]?.ending).toBe(false);
	});

	test("unless another one of its type follows", () => {
		const first = sequence({
			expiresAt: "2026-11-30",
			available: 5,
			forecast: { perDay: 1, exhaustedOn: "2026-11-25" },
		});
		expect(endingOf(first, sequence({ id: "2" }))).toEqual([{ type: "31", available: 55, ending: false }]);
	});

	test("without an active one", () => {
		expect(endingOf(sequence({ status: "exhausted", available: 0 }))).toEqual([
			{ type: "31", available: 0, ending: true },
		]);
	});
});

test("an endpoint fails with undelivered letters or a probe, not when disabled", () => {
	const endpoint = (id: string, over: Partial<WebhookEndpoint> = {}) =>
		({
			id,
			url: "https://a.example/",
			description: null,
			status: "enabled",
			probeId: null,
			...over,
		}) as WebhookEndpoint;
	const endpoints = [
		...[endpoint("1"), endpoint("2"), endpoint("3", { probeId: "p" }), endpoint("4", { status: "disabled" })],
	];
	const undelivered = [{ webhookId: "2", dead: 0, failed: 1 }];
	const { webhooks } = toOverview({ ...parts, endpoints, undelivered });
	expect(webhooks?.map(({ failing }) => failing)).toEqual([false, true, true, false]);
});

test("an ending certificate and the cause of a failure are shown", () => {
	const facts = {
		customerRnc: null,
		customerName: null,
		currency: "USD",
		subtotal: "1",
		tax: "0",
		grandTotal: "1",
		total: "59.00",
	};
	const failed = {
		...{ docId: "d", encf: "E310000000001", type: "31", code: null, at: now, facts },
		failure: { code: "certificate-missing", retryable: true },
	};
	const certificate = { id: "c", subject: "CN=A", notAfter: new Date("2026-12-01T00:00:00Z") };
	const { tasks } = toOverview({ ...parts, failed: [failed], certificate });
	expect(tasks.certificate).toEqual({ certificateId: "c", subject: "CN=A", expiresAt: "2026-12-01T00:00:00.000Z" });
	expect(tasks.failed).toMatchObject({
		count: 1,
		items: [
			{ code: "certificate-missing", title: null, retryable: true, customer: null, grand_total: "1", currency: "USD" },
		],
	});
});
