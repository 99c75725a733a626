/** The webhooks that a request asks for, in whichever of the three members it says them. */
import { DEFAULT_EVENTS, ENDPOINTS_MAX, type EndpointRequest, type ListedEndpoint } from "../endpoints";
import { member } from "../operation";
import type { Fault } from "../problem";

type Asked = {
	readonly webhooks?: readonly (EndpointRequest | string)[] | null;
	readonly webhookUrl?: string | null;
	readonly webhookUrls?: readonly string[] | null;
};

const MEMBERS = ["webhooks", "webhookUrl", "webhookUrls"] as const;

/** All of them, one list after another; undefined when the request says nothing of webhooks. */
export function listWebhooks(asked: Asked): ListedEndpoint[] | undefined {
	if (MEMBERS.every((name) => asked[name] === undefined)) return undefined;
	const plain = (url: string, pointer: string): ListedEndpoint => {
		return { url, events: DEFAULT_EVENTS, pointer, isPlain: true };
	};
	return [
		...(asked.webhooks ?? []).map((webhook, i): ListedEndpoint => {
			if (typeof webhook === "string") return plain(webhook, `/webhooks/${i}`);
			return { events: DEFAULT_EVENTS, ...webhook, pointer: `/webhooks/${i}/url`, isPlain: false };
		}),
		...(typeof asked.webhookUrl === "string" ? [plain(asked.webhookUrl, "/webhookUrl")] : []),
		...(asked.webhookUrls ?? []).map((url, i) => plain(url, `/webhookUrls/${i}`)),
	];
}

/** Gap: the specification has no limit. The three members together have the one that each has. */
export function checkCount(value: unknown): Fault[] {
	const count = MEMBERS.reduce((sum, name) => {
		const said = member(value, name);
		return sum + (Array.isArray(said) ? said.length : said === undefined || said === null ? 0 : 1);
	}, 0);
	if (count <= ENDPOINTS_MAX) return [];
	const detail = `A company has ${ENDPOINTS_MAX} webhooks at most; the request names ${count}.`;
	return [{ pointer: "/webhooks", code: "too-many-webhooks", detail }];
}
