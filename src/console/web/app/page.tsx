/** A page in a chunk of its own. */
import { type ComponentType, useEffect, useState } from "react";
import { isPortal } from "../api/call";
import { Skeleton } from "../kit/states";

type PageModule = { readonly default: ComponentType };

const RELOADED = "sello-reloaded";

type Chunk = { readonly load: () => Promise<PageModule>; loaded?: ComponentType };

/** A page that is loaded when it is first shown. */
export function page(load: Chunk["load"]): ComponentType {
	const chunk: Chunk = { load };
	return () => <ChunkPage chunk={chunk} />;
}

/**
 * Throws while rendering when the chunk cannot be loaded; the page that is opened next tries again. React's `lazy` is not used: what it suspends
 * appears 300 ms after the fallback at the earliest.
 */
function ChunkPage({ chunk }: { readonly chunk: Chunk }) {
	const [Loaded, show] = useState(() => chunk.loaded);
	const [failure, fail] = useState<{ readonly error: unknown }>();
	useEffect(() => {
		if (chunk.loaded) return;
		loadOrReload(chunk.load).then(
			(module) => {
				chunk.loaded = module.default;
				show(() => module.default);
			},
			(error: unknown) => fail({ error }),
		);
	}, [chunk]);
	if (failure) throw failure.error;
	return Loaded ? <Loaded /> : <Skeleton />;
}

/** A chunk that is gone, because the service was upgraded, reloads the console once. */
async function loadOrReload(load: () => Promise<PageModule>): Promise<PageModule> {
	try {
		const module = await load();
		if (!isPortal()) sessionStorage.removeItem(RELOADED);
		return module;
	} catch (error) {
		// A portal has no storage in some browsers, and its link works once.
		if (isPortal() || sessionStorage.getItem(RELOADED)) throw error;
		sessionStorage.setItem(RELOADED, "1");
		location.reload();
		return new Promise<PageModule>(() => undefined);
	}
}
