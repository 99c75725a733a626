/** The secret of a link, which is taken out of the address so that it stays in no history. Kept because development renders a page twice. */
let taken: string | undefined;

/** Undefined if the address has none. */
export function takeToken(): string | undefined {
	const token = location.hash.slice(1);
	if (token !== "") {
		taken = token;
		history.replaceState(null, "", location.pathname);
	}
	return taken;
}
