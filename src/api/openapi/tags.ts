/** What the operations of each tag are for. A new tag needs a text here. */
export const TAG_TEXTS: Readonly<Record<string, string>> = {
	Authentication:
		"Access tokens. A token names the company and its scopes; the API key names the customer. Most operations need both.",
	"API keys": "Keys of a customer: scopes, expiry, allowed addresses, and the companies that a key opens.",
	Companies: "Companies that issue documents, with their settings, credentials and signing certificates.",
	Invoices:
		"Issue documents of the six e-CF types, follow their way to the authority's verdict, and get XML, PDF and evidence.",
	Sequences:
		"Ranges of numbers that the authority authorised. The service takes the next number, or leases numbers to your tills.",
	"Prepared invoices":
		"Bodies that a program or an agent has checked and stored, and that a person approves or rejects.",
	"Received documents":
		"Documents that other companies issued to yours, received from their programs or imported by you.",
	Approvals: "Approve or reject received documents, by hand or by a rule that compares them with purchase orders.",
	Webhooks: "Endpoints to which the service sends events, and each delivery with its attempts.",
	Events: "The company's events in order, as pages or as a stream, for callers that receive no webhooks.",
	Reports: "Sums and lists of a month's documents, including the authority's report of purchases.",
	Links: "Short-lived addresses of files, for browsers and viewers that cannot send credentials.",
	Portal: "Show a company's invoices and deliveries inside your own program, in a page that needs no account.",
	Archive: "The permanent archive: its log and checkpoints, and exports of documents with their evidence.",
	Certification: "Run the authority's certification test sets, and collect the evidence that the authority asks for.",
	Registry: "Look up, search, match and check taxpayers, download the registry, and attest what it said.",
	Watchlists: "Lists of taxpayers whose changes you are informed of, by webhook, by event or by e-mail.",
	Usage: "What a customer used, by day and operation, and what is left of its limits.",
	Audit: "Who changed what, and when.",
	Authority: "The authority's rejection codes and its table of places.",
	"Operational status": "Whether the authority's services work at present, and whether ours do.",
	Receiver:
		"Operations that the programs of other issuers call, in the authority's protocol. Your own program needs none of them.",
	Operator: "Operations for the mail servers and programs of the service's operator.",
	Sandbox: "Control the sandbox: let time pass without waiting.",
	Documentation: "Pages and documents about the service, and the pages for readers without a program.",
	Console: "The web console for people: its page, and what only the console calls: sessions, profiles and saved views.",
	Health: "Health checks, for load balancers and monitoring.",
	Changelog: "Changes of the interface and announced deprecations, as a page, JSON and feeds.",
	Agents: "The Model Context Protocol, by which language models call tools of the service.",
};
