/**
 * Which text can stand in an XML 1.0 document and in a PostgreSQL `text`: both refuse some code points.
 * Source: XML 1.0 (Fifth Edition) 2.2, production Char. NUL is also what PostgreSQL refuses.
 */
const control = "\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\uFFFE\\uFFFF";
const loneSurrogate = "[\\uD800-\\uDBFF](?![\\uDC00-\\uDFFF])|(?<![\\uD800-\\uDBFF])[\\uDC00-\\uDFFF]";
const illegal = new RegExp(`[${control}]|${loneSurrogate}`);

/** Texts without any of them and without surrogate pairs, which is most: told apart in one pass that looks neither ahead nor back. */
const plain = /^[\t\n\r -\uD7FF\uE000-\uFFFD]*$/;

/** True when every character of the text is legal in XML 1.0, lone surrogates excluded. */
export function isXmlText(text: string): boolean {
	return plain.test(text) || !illegal.test(text);
}
