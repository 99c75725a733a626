/** The style of the status page: it stands in the page, and the page's policy allows this one text and nothing else. */
import { createHash } from "node:crypto";

export const STYLE = `
:root { color-scheme: light dark; --ink: #1c1e21; --paper: #fff; --soft: #5c636b; --line: #d9dde2;
	--operational: #2e8540; --degraded: #b8730a; --maintenance: #2f6fb3; --outage: #c22f2f; --unknown: #8a9199; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --paper: #16181b; --soft: #a2a9b1; --line: #363b41;
	--operational: #5cb870; --degraded: #e5a83b; --maintenance: #6ba7e6; --outage: #f0706c; --unknown: #7d858d; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.35rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; } p { margin: .25rem 0; }
.soft { color: var(--soft); }
.now { border: 1px solid var(--line); border-left: .5rem solid var(--state); border-radius: .25rem; padding: .75rem 1rem; margin: 1.25rem 0; }
.now strong { font-size: 1.15rem; }
.state { white-space: nowrap; } .state::before { content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .5em; background: var(--state); }
.is-operational { --state: var(--operational); } .is-degraded { --state: var(--degraded); } .is-maintenance { --state: var(--maintenance); }
.is-outage { --state: var(--outage); } .is-unknown { --state: var(--unknown); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
ul.day { list-style: none; margin: 0; padding: 0; } ul.day li { display: grid; grid-template-columns: 13rem 1fr; gap: .75rem; align-items: end; margin: .35rem 0; }
svg { width: 100%; height: 1.75rem; display: block; }
path.operational { fill: var(--operational); } path.degraded { fill: var(--degraded); } path.maintenance { fill: var(--maintenance); }
path.outage { fill: var(--outage); } path.unknown { fill: var(--unknown); }
.axis { display: flex; justify-content: space-between; margin-left: 13.75rem; } .key span { margin-right: 1.25rem; }
time { white-space: nowrap; } details { margin-top: .75rem; } summary { cursor: pointer; } code { font-size: .9em; } a { color: inherit; }
@media (max-width: 40rem) { ul.day li { grid-template-columns: 1fr; gap: .1rem; } .axis { margin-left: 0; } }
`;

const digest = createHash("sha256").update(STYLE).digest("base64");

/** No script, nothing from elsewhere, nothing that is not in the page but its icon. */
export const STATUS_HEADERS: Readonly<Record<string, string>> = {
	"content-type": "text/html; charset=utf-8",
	"content-security-policy": `default-src 'none'; style-src 'sha256-${digest}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
	"referrer-policy": "no-referrer",
	"x-content-type-options": "nosniff",
};
