/**
 * Runs the simulator in a worker thread: verifying a signature takes milliseconds that would block the host's event loop.
 *
 * Messages: `{kind:"start", options}` is answered with `{kind:"ready", url}` or `{kind:"failed", message}`. `{kind:"release", rnc}` frees an issuer's
 * numbers and is answered with `{kind:"released", rnc}` or `{kind:"kept", rnc, message}`. `{kind:"stop"}` is answered with `{kind:"stopped"}`; then
 * the thread ends by itself.
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
	const post = (message: FromSimulatorThread) => self.postMessage(message);
	try {
		if (data.kind === "start") {
			if (running) throw new Error("the simulator has been started already");
			running = startSimulator(data.options);
			post({ kind: "ready", url: (await running).url });
		} else if (data.kind === "release") {
			post(await release(data.rnc));
		} else {
			const simulator = await running?.catch(() => undefined);
			await simulator?.stop();
			// Without a listener for messages, nothing keeps the thread alive.
			self.onmessage = null;
			post({ kind: "stopped" });
		}
	} catch (error) {
		post({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
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
