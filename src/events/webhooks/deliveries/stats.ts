/** How the deliveries to an endpoint have gone lately. The SQL is beside it in `store.ts`. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";

/** In hours. */
export const WINDOWS = { "1h": 1, "24h": 24, "7d": 168 } as const;
export type StatsWindow = keyof typeof WINDOWS;

/** Steps of a window: five minutes, an hour or a quarter of a day. */
export const STEPS = { "1h": 12, "24h": 24, "7d": 28 } as const satisfies Record<StatsWindow, number>;

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const DeliveryStats = Type.Object(
	{
		webhookId: Type.String(),
		window: Type.String({ description: "As requested." }),
		from: Type.String({ format: "date-time", description: "Events from this time on count." }),
		to: Type.String({ format: "date-time" }),
		counts: Type.Object({
			delivered: Count("Arrived."),
			failed: Count("The last attempt failed, and another is due."),
			dead: Count("All attempts failed."),
			pending: Count("To be sent again. First attempts that are still under way are not counted."),
		}),
		success: Nullable(
			Type.Number({ description: "Share of `delivered` among delivered, failed and dead; null without any." }),
		),
		p50Ms: Nullable(
			Type.Integer({ description: "Median duration of the attempts that arrived, in milliseconds; null without any." }),
		),
		p95Ms: Nullable(Type.Integer({ description: "95th percentile of the same." })),
		stepSeconds: Type.Integer(),
		steps: Type.Array(Type.Object({ delivered: Count("Arrived."), undelivered: Count("Failed or dead.") }), {
			description: "The window in equal steps, oldest first.",
		}),
		partial: Type.Boolean({
			description: "Whether there were too many deliveries: then only the newest are counted, and `from` is later.",
		}),
	},
	{
		$id: "WebhookStats",
		examples: [
			{
				...{ webhookId: "0192f0a2-7a00-7b11-9c22-334455667788", window: "1h" },
				...{ from: "2026-11-20T13:30:00.000Z", to: "2026-11-20T14:30:00.000Z" },
				...{ counts: { delivered: 318, failed: 1, dead: 1, pending: 0 }, success: 0.9938, p50Ms: 84, p95Ms: 310 },
				stepSeconds: 300,
				steps: [
					...Array.from({ length: 10 }, () => ({ delivered: 27, undelivered: 0 })),
					{ delivered: 24, undelivered: 2 },
					{ delivered: 24, undelivered: 0 },
				],
				partial: false,
			},
		],
	},
);
export type DeliveryStats = Static<typeof DeliveryStats>;

/** What the database counts of a window. */
export type MeasuredDeliveries = {
	readonly from: Date;
	readonly to: Date;
	readonly isPartial: boolean;
	readonly p50Ms: number | null;
	readonly p95Ms: number | null;
	/** Of each step that has any, from 0 on. */
	readonly steps: readonly {
		readonly step: number;
		readonly status: keyof DeliveryStats["counts"];
		readonly count: number;
	}[];
};

export function toDeliveryStats(webhookId: string, window: StatsWindow, measured: MeasuredDeliveries): DeliveryStats {
	const { from, to, steps, isPartial, p50Ms, p95Ms } = measured;
	const counts = { delivered: 0, failed: 0, dead: 0, pending: 0 };
	const shown = Array.from({ length: STEPS[window] }, () => ({ delivered: 0, undelivered: 0 }));
	for (const { step, status, count } of steps) {
		counts[status] += count;
		const own = shown[step];
		if (!own || status === "pending") continue;
		own[status === "delivered" ? "delivered" : "undelivered"] += count;
	}
	const ended = counts.delivered + counts.failed + counts.dead;
	return {
		...{ webhookId, window, from: from.toISOString(), to: to.toISOString(), counts },
		success: ended === 0 ? null : Math.round((counts.delivered / ended) * 10_000) / 10_000,
		...{ p50Ms, p95Ms, stepSeconds: (WINDOWS[window] * 3_600) / STEPS[window], steps: shown, partial: isPartial },
	};
}
