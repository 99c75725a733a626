/** Forms of addresses that must not be called: spellings, ranges, names, schemes. Each leads to the canaries' port if it has one. */

/** URLs; each must be refused when it is stored and when it is called. */
export function listForms(port: number): string[] {
	return [...HOSTS.map((host, i) => `${i % 2 === 0 ? "http" : "https"}://${host}:${port}/hook`), ...others(port)];
}

const HOSTS = [
	// Loopback, in all spellings that URL and address parsers know.
	...[
		"127.0.0.1",
		"127.0.0.2",
		"127.0.0.9",
		"127.1",
		"127.0.1",
		"127.0.0.1.",
		"2130706433",
		"0x7f000001",
		"0x7f.0.0.1",
	],
	...["0177.0.0.1", "017700000001", "0x7f.1", "%31%32%37.0.0.1", "①②⑦.⓪.⓪.①", "１２７.０.０.１", "127。0。0。2"],
	...["0.0.0.0", "0", "0x0", "127.255.255.254"],
	// Other ranges that are not the public internet.
	...["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.254", "169.254.169.254"],
	...[
		"0xa9fea9fe",
		"2852039166",
		"168.63.129.16",
		"192.0.0.1",
		"192.0.2.1",
		"192.88.99.1",
		"198.18.0.1",
		"198.51.100.1",
	],
	...["203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"],
	// IPv6, alone and around an IPv4 address.
	...[
		"[::1]",
		"[0:0:0:0:0:0:0:1]",
		"[::]",
		"[::ffff:127.0.0.1]",
		"[::ffff:7f00:2]",
		"[::127.0.0.1]",
		"[::ffff:0:127.0.0.1]",
	],
	...["[64:ff9b::127.0.0.1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::1]", "[2002:7f00:1::]", "[2001::1]", "[fe80::1]"],
	...["[fc00::1]", "[fd00:ec2::254]", "[fec0::1]", "[ff02::1]", "[100::1]", "[2001:db8::1]", "[3fff::1]", "[5f00::1]"],
	// Names that resolve to internal addresses.
	...["localhost", "LOCALHOST", "localhost.", "api.localhost", "ip6-localhost", "metadata", "metadata.google.internal"],
	...["printer.local", "router.lan", "nas.home.arpa"],
];

function others(port: number): string[] {
	return [
		"file:///etc/hostname",
		"data:application/json,{}",
		`ftp://127.0.0.2:${port}/`,
		`gopher://127.0.0.2:${port}/`,
		`ws://127.0.0.2:${port}/`,
		"unix:///var/run/docker.sock",
		`http://user:secret@127.0.0.2:${port}/`,
		`https://hooks.example.com@127.0.0.2:${port}/`,
		`https://hooks.example.com\\@127.0.0.2:${port}/`,
		`http:\\\\127.0.0.2:${port}/`,
		`http://127.0.0.2:${port}\t/`,
		`//127.0.0.2:${port}/`,
		"https://hooks.example.com:22/",
		"https://hooks.example.com:25/",
	];
}
