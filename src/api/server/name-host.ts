/**
 * Requests of HTTP/1.0 may come without a Host, as health checks of load balancers do: they mean the one service that is here.
 *
 * The runtime hands them on with a bare path as their address. They go on as requests with the service's own, and their peer is remembered,
 * since the runtime knows only what it has made itself.
 */
type Listener = { readonly requestIP: (request: Request) => { readonly address: string } | null } | null | undefined;

export function nameHost(baseUrl: string) {
	const { origin } = new URL(baseUrl);
	const peers = new WeakMap<Request, string>();
	const peerOf = (request: Request, listener: Listener): string =>
		peers.get(request) ?? listener?.requestIP(request)?.address ?? "";
	return {
		peerOf,
		/** A Host that was sent, and is none, is left as it is, to be refused. */
		name(request: Request, listener: Listener): Request {
			if (!request.url.startsWith("/") || request.headers.has("host")) return request;
			const named = new Request(`${origin}${request.url}`, request);
			peers.set(named, peerOf(request, listener));
			return named;
		},
	};
}
