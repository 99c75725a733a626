/** The webhooks that a request asks for, in whichever of the three members it says them. */
import { DEFAULT_EVENTS, type EndpointRequest, type ListedEndpoint } from "../endpoints";

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
