/** The address of an API, which paths are put behind and callers are told. */

/**
 * An address over HTTP that ends with its path, since what follows would stand before the paths, and has no login, which everybody would read. As it is
 * written, not as a URL's reader repairs it: a line end of the file that it was set in would stand in each link.
 */
export function isBaseUrl(text: string): boolean {
	return /^https?:\/\/(?!\/)[^\s\p{Cc}\\@?#]+$/iu.test(text) && URL.canParse(text);
}
