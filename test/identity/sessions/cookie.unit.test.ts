import { expect, test } from "bun:test";
import { type ConsoleAddress, createSessionCookie, makeToken } from "../../../src/identity/sessions/cookie";

const LOCAL: ConsoleAddress = { url: "http://localhost:3000", environment: "sandbox" };
const PUBLIC: ConsoleAddress = { url: "https://console.example.do", environment: "production" };
const TOKEN = makeToken();
const SAFARI = "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15";
const CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";

const request = (headers: Record<string, string>) => new Request("http://localhost:3000/v1/me", { headers });
const write = (address: ConsoleAddress, agent: string) =>
	createSessionCookie(address).write(request({ "user-agent": agent }), TOKEN, 60);

test("the cookie is bound to its host, and on this machine to its port too", () => {
	expect(write(PUBLIC, CHROME)).toBe(`__Host-sello=${TOKEN}; Path=/; HttpOnly; SameSite=Strict; Max-Age=60; Secure`);
	expect(write(LOCAL, CHROME)).toStartWith(`__Host-sello-3000=${TOKEN};`);
	expect(write({ ...LOCAL, url: "http://localhost" }, CHROME)).toStartWith("__Host-sello-80=");
});

test("Safari, which stores no Secure cookie from http, gets another one in a sandbox", () => {
	expect(write(LOCAL, SAFARI)).toBe(`sello-3000=${TOKEN}; Path=/; HttpOnly; SameSite=Strict; Max-Age=60`);
	for (const address of [PUBLIC, { ...LOCAL, url: "https://localhost:3000" }])
		expect(write(address, SAFARI)).toStartWith("__Host-sello");
});

test("the bound cookie wins, and what is no token is not looked up", () => {
	const read = (cookie: string, address = LOCAL) => createSessionCookie(address).read(request({ cookie }));
	const planted = makeToken();
	expect(read(`a=b; sello-3000=${planted}; __Host-sello-3000=${TOKEN}`)).toBe(TOKEN);
	expect(read(`sello-3000=${planted}`)).toBe(planted);
	expect(read(`sello-3001=${TOKEN}; __Host-sello=${TOKEN}; x__Host-sello-3000=${TOKEN}`)).toBeUndefined();
	expect(read(`sello=${planted}`, PUBLIC)).toBeUndefined();
	for (const odd of ["", "x", `${TOKEN}x`, `${TOKEN.slice(1)}'`])
		expect(read(`__Host-sello-3000=${odd}`)).toBeUndefined();
});

test("signing out clears every name", () => {
	const names = (address: ConsoleAddress) =>
		createSessionCookie(address)
			.clear()
			.map((text) => text.split("=")[0]);
	expect(names(LOCAL)).toEqual(["__Host-sello-3000", "sello-3000"]);
	expect(names(PUBLIC)).toEqual(["__Host-sello"]);
});
