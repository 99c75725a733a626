/** Signing in at the organisation's identity provider, and showing a factor there. The provider leads back to a page of the console. */

const START = "/v1/session/sso";
/** The window that confirms is of this origin again when it is done. */
const CHANNEL = "sello-confirmed";

/** Leaves the page; the provider leads back to it. */
export function signInBySso(): void {
	location.assign(`${START}?page=${encodeURIComponent(location.pathname + location.search)}`);
}

/**
 * Opens a window in which the person shows a factor, so that this page keeps what was typed. `onEnd` runs when that has succeeded; the window
 * itself explains a refusal. Undefined if the browser opens no windows; else a function that stops waiting.
 */
export function confirmBySso(onEnd: () => void): (() => void) | undefined {
	if (!window.open(`${START}?purpose=confirm`, "_blank", "popup,width=520,height=680")) return undefined;
	const channel = new BroadcastChannel(CHANNEL);
	channel.onmessage = () => {
		channel.close();
		onEnd();
	};
	return () => channel.close();
}

/** Ends the window in which the person has shown a factor. */
export function reportConfirmed(): void {
	const channel = new BroadcastChannel(CHANNEL);
	channel.postMessage(true);
	channel.close();
	window.close();
}

/** Kept because development renders a page twice. */
let refusal: string | undefined;

/** Why the provider or the service refused, taken out of the address. */
export function takeSsoRefusal(): string | undefined {
	const [, reason] = /^#sso=([a-z-]+)$/.exec(location.hash) ?? [];
	if (reason !== undefined) {
		refusal = reason;
		history.replaceState(null, "", location.pathname + location.search);
	}
	return refusal;
}
