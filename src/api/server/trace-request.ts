/** The span of a request: it begins before the request's operation is known and is named after it at the end. */
import { type CurrentSpan, currentSpan, inSpan, isTracing } from "../../platform/telemetry";

type Answer = Response | Promise<Response>;
type Routes<Route> = Readonly<Record<string, Route>>;

const UNNAMED = "request";

/** The same handler in a span of its own, which continues the caller's trace. */
export function traceRequests<Server>(
	handle: (request: Request, server: Server) => Answer,
): (request: Request, server: Server) => Answer {
	return (request, server) =>
		inSpan(
			{
				name: UNNAMED,
				kind: "server",
				attributes: { "http.request.method": request.method },
				parent: request.headers.get("traceparent"),
			},
			() => handle(request, server),
		);
}

/** The same for routes of the listener. Without tracing they stay as they are. */
export function traceRoutes<Route extends object>(routes: Routes<Route>): Routes<Route> {
	if (!isTracing()) return routes;
	const trace = (route: Route) =>
		Object.fromEntries(Object.entries(route).map(([method, handle]) => [method, traceRequests(handle)])) as Route;
	return Object.fromEntries(Object.entries(routes).map(([path, route]) => [path, trace(route)]));
}

type Answered = {
	/** `none` for a request without one. */
	readonly operation: string;
	readonly status: number;
	readonly requestId?: string;
	readonly tenantId?: string | undefined;
};

/** Names the request's span once it is answered. */
export function noteAnswer(
	{ operation, status, requestId, tenantId }: Answered,
	span: CurrentSpan | undefined = currentSpan(),
): void {
	if (!span) return;
	span.rename(operation);
	span.set({
		"http.response.status_code": status,
		...(requestId === undefined ? {} : { "sello.request_id": requestId }),
		...(tenantId === undefined ? {} : { "sello.tenant_id": tenantId }),
	});
	if (status >= 500) span.fail(String(status));
}
