/**
 * Runs the simulator in a thread of its own: checking a signature takes milliseconds that would stop the host's event loop.
 *
 * Messages: `{kind:"start", options}` is answered `{kind:"ready", url}` or `{kind:"failed", message}`; `{kind:"release", rnc}` frees an issuer's
 * numbers and is answered `{kind:"released", rnc}`, or `{kind:"kept", rnc, message}`; `{kind:"stop"}` is answered `{kind:"stopped"}`, after which the thread ends by itself.
 */
import { type Simulator, type SimulatorOptions, startSimulator } from "./simulator";

declare const self: Worker;

export type ToSimulatorThread =
	| { readonly kind: "start"; readonly options: SimulatorOptions }
	| { readonly kind: "release"; readonly rnc: string }
	| { readonly kind: "stop" };

export type FromSimulatorThread =
	| { readonly kind: "ready"; readonly url: string }
	| { readonly kind: "failed"; readonly message: string }
	| { readonly kind: "released"; readonly rnc: string }
	| { readonly kind: "kept"; readonly rnc: string; readonly message: string }
	| { readonly kind: "stopped" };

let running: Promise<Simulator> | undefined;

self.onmessage = async ({ data }: MessageEvent<ToSimulatorThread>) => {
	const tell = (message: FromSimulatorThread) => self.postMessage(message);
	try {
		if (data.kind === "start") {
			if (running) throw new Error("the simulator has been started already");
			running = startSimulator(data.options);
			tell({ kind: "ready", url: (await running).url });
		} else if (data.kind === "release") {
			tell(await release(data.rnc));
		} else {
			const simulator = await running?.catch(() => undefined);
			await simulator?.stop();
			// Without a listener for messages nothing keeps the thread alive.
			self.onmessage = null;
			tell({ kind: "stopped" });
		}
	} catch (error) {
		tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
	}
};

async function release(rnc: string): Promise<FromSimulatorThread> {
	try {
		(await running)?.releaseIssuer(rnc);
		return { kind: "released", rnc };
	} catch (error) {
		return { kind: "kept", rnc, message: error instanceof Error ? error.message : String(error) };
	}
}
