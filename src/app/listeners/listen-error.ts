/** A port or an address that cannot be listened on, told with the settings that choose it. */
import { codeOf } from "../../platform/database";

export class ListenError extends Error {
	constructor(cause: unknown, at: { readonly host: string; readonly port: number; readonly setting: string }) {
		const { host, port, setting } = at;
		const isTaken = codeOf(cause) === "EADDRINUSE";
		const reason = cause instanceof Error ? cause.message : String(cause);
		super(
			isTaken
				? `port ${port} is in use: set ${setting} to another one`
				: `${host} with port ${port} cannot be listened on, see HOST and ${setting}: ${reason}`,
			{ cause },
		);
		this.name = "ListenError";
	}
}
