/** The webhooks that a request asks for, in whichever of the three members it says them. */
import { DEFAULT_EVENTS, type EndpointRequest, type ListedEndpoint } from "../events/endpoints";
import { member, textMember } from "../platform/operation";
import type { Fault } from "../platform/problem";

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

/** A fault for each URL of a body, whatever else is wrong with it, that stands in the three members before. Two spellings of one URL are one. */
export function findRepeatedWebhooks(body: unknown): Fault[] {
	const firsts = new Map<string, string>();
	return listUrls(body).flatMap(({ url, pointer }): Fault[] => {
		const spelled = URL.canParse(url) ? new URL(url).href : url;
		const first = firsts.get(spelled);
		if (first === undefined) firsts.set(spelled, pointer);
		return first === undefined ? [] : [{ pointer, code: "repeated", detail: `The URL stands at ${first} already.` }];
	});
}

function listUrls(body: unknown): { readonly url: string; readonly pointer: string }[] {
	return MEMBERS.flatMap((name) => {
		const value = member(body, name);
		const items: readonly unknown[] = Array.isArray(value) ? value : [];
		const all = [{ item: value, pointer: `/${name}` }, ...items.map((item, i) => ({ item, pointer: `/${name}/${i}` }))];
		return all.flatMap(({ item, pointer }) => {
			const url = textMember(item, "url");
			if (url !== undefined) return [{ url, pointer: `${pointer}/url` }];
			return typeof item === "string" ? [{ url: item, pointer }] : [];
		});
	});
}
