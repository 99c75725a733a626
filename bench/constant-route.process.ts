/**
 * The minimum of the HTTP framework: one route with a parameter that returns constant bytes and headers.
 *
 * The headers are copied from our answer, except those that the server writes itself. The request id among them is constant: creating one
 * for
 * each request, as ours does, has no measurable cost here.
 */
import { Elysia, t } from "elysia";
import { answerQuestions } from "./answer";

export type ConstantRoute = {
	/** In the framework's syntax, with one parameter `document`. */
	readonly path: string;
	readonly body: string;
	readonly headers: Readonly<Record<string, string>>;
};

answerQuestions<ConstantRoute, string>(({ path, body, headers }) => {
	const app = new Elysia()
		.get(path, () => new Response(body, { headers }), { params: t.Object({ document: t.String() }) })
		.listen({ port: 0, hostname: "127.0.0.1" });
	return `http://127.0.0.1:${app.server?.port}`;
});
