/** A page in a chunk of its own: `page(() => import("../pages/audit/audit"))`. React's `lazy` would show it 300 ms after a skeleton at the earliest. */
import { onlineManager, useQuery } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { CallError, isPortal } from "../api/call";
import { Block } from "../kit/states";

type PageModule = { readonly default: ComponentType };

const RELOADED = "sello-reloaded";
let pages = 0;

/** A page that is loaded when it is first shown. */
export function page(load: () => Promise<PageModule>): ComponentType {
	const number = ++pages;
	return () => <Chunk {...{ load, number }} />;
}

type ChunkProps = { readonly load: () => Promise<PageModule>; readonly number: number };

/** Without a connection it says so, can be tried again, and appears by itself when there is one. */
function Chunk({ load, number }: ChunkProps) {
	const asked = useQuery<PageModule, CallError>({
		...{ queryKey: ["page", number], queryFn: () => open(load), retry: false, refetchOnReconnect: true },
		...{ staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY, structuralSharing: false },
		throwOnError: () => onlineManager.isOnline(),
	});
	// What is shown says itself how old it is.
	if (asked.data) return <asked.data.default />;
	return <Block asked={asked}>{() => null}</Block>;
}

/** A chunk that is gone, because the service was upgraded, reloads the console once. */
async function open(load: () => Promise<PageModule>): Promise<PageModule> {
	try {
		const module = await load();
		if (!isPortal()) sessionStorage.removeItem(RELOADED);
		return module;
	} catch (cause) {
		// A portal has no storage in some browsers, and its link works once.
		if (!onlineManager.isOnline() || isPortal() || sessionStorage.getItem(RELOADED)) {
			throw new CallError(undefined, undefined, { cause });
		}
		sessionStorage.setItem(RELOADED, "1");
		location.reload();
		return new Promise<PageModule>(() => undefined);
	}
}
