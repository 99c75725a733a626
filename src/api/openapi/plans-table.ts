/** The plans as a table of the document's introduction, made of the one that they are held to. */
import { PLAN_LIMITS, type PlanLimits } from "../../identity/rate-limits";
import { PLANS } from "../../platform/operation";

const shown = PLANS.filter((plan) => plan !== "unlimited");

type RateClass = keyof NonNullable<PlanLimits["rates"]>;

const rows: readonly (readonly [string, (limits: PlanLimits) => string])[] = [
	["Issue, a second / at once", rateCell("issue")],
	["Look-up, a second / at once", rateCell("lookup")],
	["Search, a second / at once", rateCell("search")],
	["Tokens, a second / at once", rateCell("token")],
	["Other reads, a second / at once", rateCell("read")],
	["Other writes, a second / at once", rateCell("write")],
	["Status polls an hour", ({ counted }) => String(counted.poll?.calls ?? "")],
	["Issue a day", ({ counted }) => String(counted["issue-day"]?.calls ?? "")],
	["Companies a day", ({ counted }) => String(counted["company-day"]?.calls ?? "")],
	["In one batch: issue / status / look-up", ({ batch }) => `${batch.issue} / ${batch.status} / ${batch.lookup}`],
	["Webhooks of a company", ({ webhookEndpoints }) => String(webhookEndpoints)],
];

/** In Markdown. */
export function describePlans(): string {
	const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
	return [
		line(["Plan", ...shown]),
		line(["---", ...shown.map(() => "---")]),
		...rows.map(([name, toCell]) => line([name, ...shown.map((plan) => toCell(PLAN_LIMITS[plan]))])),
	].join("\n");
}

function rateCell(kind: RateClass): (limits: PlanLimits) => string {
	return ({ rates }) => {
		if (!rates) return "";
		const { perSecond, burst } = rates[kind];
		return `${Math.round(perSecond * 100) / 100} / ${burst}`;
	};
}
