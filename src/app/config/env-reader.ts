/** Typed access to environment variables that collects errors instead of throwing, so that the operator sees all of them at once. */
import { isBaseUrl } from "../../platform/values";

export type EnvReader = {
	/** Undefined if it is not set or empty. */
	readonly text: (name: string) => string | undefined;
	readonly integer: (name: string, low: number, high: number, fallback: number) => number;
	readonly number: (name: string, low: number, high: number, fallback: number) => number;
	readonly oneOf: <T extends string>(name: string, values: readonly T[], fallback: T) => T;
	/** Without trailing slashes. */
	readonly url: (name: string, protocols: readonly string[]) => string | undefined;
	/** As `url`, but without login, query and fragment: the value is published. */
	readonly baseUrl: (name: string) => string | undefined;
	/** Items separated by commas or white space. */
	readonly list: (name: string) => string[];
	/** Reports that a variable has an unexpected value, and repeats the value. Not for secrets. */
	readonly expected: (name: string, what: string) => void;
	readonly report: (error: string) => void;
	readonly errors: readonly string[];
};

export function createEnvReader(env: Readonly<Record<string, string | undefined>>): EnvReader {
	const errors: string[] = [];
	const report = (error: string): void => {
		errors.push(error);
	};
	const expected = (name: string, what: string) =>
		report(`expected ${name} to be ${what}, got ${JSON.stringify(env[name])}`);
	const text = (name: string) => (env[name] === "" ? undefined : env[name]);
	const numeric = (form: RegExp, low: number, high: number, value: string): number | undefined =>
		form.test(value) && Number(value) >= low && Number(value) <= high ? Number(value) : undefined;
	const url = (name: string, protocols: readonly string[]): string | undefined => {
		const value = text(name);
		if (value === undefined) return undefined;
		if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value.replace(/\/+$/, "");
		// The value may contain a password, so the message does not repeat it.
		report(`expected ${name} to be a URL with ${protocols.join(" or ")}`);
		return undefined;
	};
	return {
		text,
		integer(name, low, high, fallback) {
			const value = text(name);
			const read = value === undefined ? fallback : numeric(/^\d{1,9}$/, low, high, value);
			if (read === undefined) expected(name, `${low}–${high}`);
			return read ?? fallback;
		},
		number(name, low, high, fallback) {
			const value = text(name);
			const read = value === undefined ? fallback : numeric(/^\d+(\.\d+)?$/, low, high, value);
			if (read === undefined) expected(name, `a number from ${low} to ${high}`);
			return read ?? fallback;
		},
		oneOf(name, values, fallback) {
			const value = text(name);
			const read = value === undefined ? fallback : values.find((one) => one === value);
			if (read === undefined) expected(name, values.join(", "));
			return read ?? fallback;
		},
		url,
		baseUrl(name) {
			const value = url(name, ["http:", "https:"]);
			if (value === undefined || isBaseUrl(value)) return value;
			report(`expected ${name} to be a URL without login, query and fragment`);
			return undefined;
		},
		list: (name) => (text(name) ?? "").split(/[\s,]+/).filter(Boolean),
		expected,
		report,
		errors,
	};
}
