/** A simulator on a free port with its file in a temporary folder, and a caller that speaks its protocol. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SimulatorOptions, startSimulator } from "../../../src/simulator";
import type { Reception } from "../../../src/simulator/store";
import { type Identity, makeIdentity, type Profile, sign } from "./signer";

/** Made once: a key takes longer than everything else here. */
const shared = makeIdentity();
export const sharedIdentity = (): Promise<Identity> => shared;

export type Authority = Awaited<ReturnType<typeof startAuthority>>;

export async function startAuthority(options: Partial<SimulatorOptions> = {}) {
	const folder = mkdtempSync(join(tmpdir(), "simulator-"));
	const databasePath = join(folder, "authority.sqlite");
	const simulator = await startSimulator({ host: "127.0.0.1", port: 0, databasePath, delayMs: 0, ...options });
	return {
		...callerOf(simulator.url, simulator.controlUrl),
		databasePath,
		releaseIssuer: simulator.releaseIssuer,
		stop: async () => {
			await simulator.stop();
			rmSync(folder, { recursive: true });
		},
	};
}

/** The body of an answer, as the test says it looks. */
export async function bodyOf<T>(response: Response | Promise<Response>): Promise<T> {
	return (await (await response).json()) as T;
}

/** What the reception of an e-CF answers. */
export type Receipt = {
	readonly trackId: string | null;
	readonly error: string | null;
	readonly mensaje: string | null;
};

export function callerOf(url: string, controlUrl = url) {
	let token: Promise<string> | undefined;
	const call = (path: string, init: RequestInit = {}) => fetch(`${url}${path}`, { ...init, keepalive: false });
	const post = (path: string, fileName: string, xml: string | Uint8Array<ArrayBuffer>, init: RequestInit = {}) => {
		const body = new FormData();
		body.append("xml", new File([xml], fileName, { type: "text/xml" }));
		return call(path, { method: "POST", body, ...init });
	};
	const login = async (identity?: Identity, profile?: Profile): Promise<Response> => {
		const seed = await (await call("/testecf/autenticacion/api/autenticacion/semilla")).text();
		const signed = await sign(seed.replace(/>\s+</g, "><"), identity ?? (await shared), profile);
		return post("/testecf/autenticacion/api/autenticacion/validarsemilla", "semilla.xml", signed);
	};
	const bearer = async (): Promise<Record<string, string>> => {
		token ??= bodyOf<{ token: string }>(login()).then((body) => body.token);
		return { authorization: `Bearer ${await token}` };
	};
	const get = async (path: string, headers: Record<string, string> = {}) =>
		call(path, { headers: { ...(await bearer()), ...headers } });
	const steer = (path: string, body: object, method = "POST"): Promise<Response> =>
		fetch(`${controlUrl}/_simulator/${path}`, { method, body: JSON.stringify(body), keepalive: false });
	/** Posts signed bytes under the name that they ask for. */
	const send = async (signed: string, channel: Channel = "main", headers: Record<string, string> = {}) => {
		const rnc = /<RNCEmisor>([^<]*)</.exec(signed)?.[1];
		const encf = /<eNCF>([^<]*)</.exec(signed)?.[1];
		return post(PATHS[channel], `${rnc}${encf}.xml`, signed, { headers: { ...(await bearer()), ...headers } });
	};
	return {
		url,
		call,
		post,
		login,
		bearer,
		get,
		send,
		steer,
		/** Signs, sends and gives the trackId back. */
		submit: async (xml: string, profile?: Profile): Promise<string> => {
			const response = await send(await sign(xml, await shared, profile));
			const { trackId } = await bodyOf<Receipt>(response);
			if (!trackId) throw new Error(`expected a trackId, got HTTP ${response.status}`);
			return trackId;
		},
		/** Sends what is signed already and gives the trackId back. */
		trackIdOf: async (signed: string): Promise<string> => {
			const { trackId } = await bodyOf<Receipt>(send(signed));
			if (!trackId) throw new Error("expected a trackId");
			return trackId;
		},
		result: (trackId: string) =>
			bodyOf<Result>(get(`/testecf/consultaresultado/api/consultas/estado?trackid=${trackId}`)),
		fault: (operation: string, mode: string, more: object = {}) => steer("faults", { operation, mode, ...more }),
		delegate: (body: object) => steer("certificates", body),
		receptions: () => bodyOf<Reception[]>(fetch(`${controlUrl}/_simulator/receptions`, { keepalive: false })),
	};
}

export type Channel = "main" | "fc";

export const PATHS: Record<Channel, string> = {
	main: "/testecf/recepcion/api/facturaselectronicas",
	fc: "/testecf/recepcionfc/api/recepcion/ecf",
};

export type Result = {
	readonly codigo: string;
	readonly estado: string;
	readonly encf: string;
	readonly secuenciaUtilizada: boolean;
	readonly fechaRecepcion: string;
	readonly mensajes: readonly { readonly valor: string; readonly codigo: number | string }[];
};
