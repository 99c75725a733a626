/** Reads the environment's variables one by one and gathers what is wrong with them, so that the operator hears of all faults at once. */
import { isBaseUrl } from "../../platform/values";

export type Variables = {
	/** Undefined where it is not set, or set to nothing. */
	readonly text: (name: string) => string | undefined;
	readonly integer: (name: string, low: number, high: number, otherwise: number) => number;
	readonly number: (name: string, low: number, high: number, otherwise: number) => number;
	readonly oneOf: <T extends string>(name: string, values: readonly T[], otherwise: T) => T;
	/** Without slashes at its end. */
	readonly url: (name: string, protocols: readonly string[]) => string | undefined;
	/** As `url`, of an API that is told to others. */
	readonly baseUrl: (name: string) => string | undefined;
	/** What stands between commas and spaces. */
	readonly list: (name: string) => string[];
	/** Notes that a variable is not what was expected, with what it is. Not for secrets. */
	readonly expected: (name: string, what: string) => void;
	readonly fault: (text: string) => void;
	readonly faults: readonly string[];
};

export function openVariables(env: Readonly<Record<string, string | undefined>>): Variables {
	const faults: string[] = [];
	const fault = (text: string): void => {
		faults.push(text);
	};
	const expected = (name: string, what: string) =>
		fault(`expected ${name} to be ${what}, got ${JSON.stringify(env[name])}`);
	const text = (name: string) => (env[name] === "" ? undefined : env[name]);
	const numeric = (form: RegExp, low: number, high: number, value: string): number | undefined =>
		form.test(value) && Number(value) >= low && Number(value) <= high ? Number(value) : undefined;
	const url = (name: string, protocols: readonly string[]): string | undefined => {
		const value = text(name);
		if (value === undefined) return undefined;
		if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value.replace(/\/+$/, "");
		// The value may hold a password, so it is not repeated.
		fault(`expected ${name} to be a URL with ${protocols.join(" or ")}`);
		return undefined;
	};
	return {
		text,
		integer(name, low, high, otherwise) {
			const value = text(name);
			const read = value === undefined ? otherwise : numeric(/^\d{1,9}$/, low, high, value);
			if (read === undefined) expected(name, `${low}–${high}`);
			return read ?? otherwise;
		},
		number(name, low, high, otherwise) {
			const value = text(name);
			const read = value === undefined ? otherwise : numeric(/^\d+(\.\d+)?$/, low, high, value);
			if (read === undefined) expected(name, `a number from ${low} to ${high}`);
			return read ?? otherwise;
		},
		oneOf(name, values, otherwise) {
			const value = text(name);
			const read = value === undefined ? otherwise : values.find((one) => one === value);
			if (read === undefined) expected(name, values.join(", "));
			return read ?? otherwise;
		},
		url,
		baseUrl(name) {
			const value = url(name, ["http:", "https:"]);
			if (value === undefined || isBaseUrl(value)) return value;
			fault(`expected ${name} to be a URL without login, query and fragment`);
			return undefined;
		},
		list: (name) => (text(name) ?? "").split(/[\s,]+/).filter(Boolean),
		expected,
		fault,
		faults,
	};
}
