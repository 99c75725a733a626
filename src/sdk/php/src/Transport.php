<?php

declare(strict_types=1);

namespace Sello;

/** Sends one HTTP request. Give your own to the client where ext-curl is missing, or to log, trace or test. */
interface Transport
{
    /** Must follow no redirects. Throws ConnectionError without a whole answer, TimeoutError after the request's time. */
    public function send(Request $request): Response;
}

final class Request
{
    /** @param array<string, string> $headers */
    public function __construct(
        public readonly string $method,
        public readonly string $url,
        public readonly array $headers,
        public readonly ?string $body,
        /** In seconds: of the whole exchange, or without a byte where it is streamed. */
        public readonly float $timeout,
        /** Whether the body should come in pieces, as it arrives: it is large, or has no end. */
        public readonly bool $isStreamed = false,
    ) {
    }
}

final class Response
{
    /**
     * @param array<string, string> $headers with names in lower case
     * @param iterable<string> $pieces of the body; `[$body]` where it is there
     */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly iterable $pieces,
    ) {
    }

    public function header(string $name): ?string
    {
        return $this->headers[$name] ?? null;
    }

    /** The rest of the body. */
    public function body(): string
    {
        $body = '';
        foreach ($this->pieces as $piece) {
            $body .= $piece;
        }
        return $body;
    }
}

/** The transport of ext-curl. Its connections stay open between requests. */
final class CurlTransport implements Transport
{
    private const CONNECT_SECONDS = 10;

    private ?\CurlMultiHandle $pool = null;

    public function __construct()
    {
        if (!extension_loaded('curl')) {
            throw new \LogicException('ext-curl is missing: install it, or give the client a Transport of your own');
        }
    }

    public function send(Request $request): Response
    {
        // One that is streamed may wait while others run, so it has a connection of its own.
        $pool = $request->isStreamed ? curl_multi_init() : $this->pool ??= curl_multi_init();
        $headers = [];
        $pieces = self::receive($pool, $request, $headers);
        // Runs until the headers are there; the first piece is the status.
        $status = (int) $pieces->current();
        $pieces->next();
        return new Response($status, $headers, $request->isStreamed ? self::following($pieces) : [self::join($pieces)]);
    }

    /** @return \Generator<int, string> without going back to the start, which a generator in use cannot */
    private static function following(\Generator $pieces): \Generator
    {
        for (; $pieces->valid(); $pieces->next()) {
            yield $pieces->current();
        }
    }

    private static function join(\Generator $pieces): string
    {
        $body = '';
        for (; $pieces->valid(); $pieces->next()) {
            $body .= $pieces->current();
        }
        return $body;
    }

    /**
     * @param array<string, string> $headers
     * @return \Generator<int, string> the status, then the body as it arrives
     */
    private static function receive(\CurlMultiHandle $pool, Request $request, array &$headers): \Generator
    {
        $queue = [];
        $isHeaded = false;
        $handle = curl_init();
        curl_setopt_array($handle, self::options($request) + [
            CURLOPT_HEADERFUNCTION => function ($handle, string $line) use (&$headers, &$isHeaded): int {
                if (str_starts_with($line, 'HTTP/')) {
                    $headers = [];
                } elseif (str_contains($line, ':')) {
                    [$name, $value] = explode(':', $line, 2);
                    $name = strtolower(trim($name));
                    $headers[$name] = isset($headers[$name]) ? "$headers[$name], " . trim($value) : trim($value);
                } elseif (trim($line) === '') {
                    // After 100 and the like the final headers follow.
                    $isHeaded = curl_getinfo($handle, CURLINFO_RESPONSE_CODE) >= 200;
                }
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => function ($_, string $piece) use (&$queue): int {
                $queue[] = $piece;
                return strlen($piece);
            },
        ]);
        curl_multi_add_handle($pool, $handle);
        try {
            $isNamed = false;
            $heardAt = microtime(true);
            do {
                curl_multi_exec($pool, $running);
                if ($isHeaded && !$isNamed) {
                    $isNamed = true;
                    yield (string) curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
                }
                if ($queue !== []) {
                    [$pieces, $queue] = [$queue, []];
                    yield from array_values($pieces);
                    $heardAt = microtime(true);
                }
                $left = $heardAt + $request->timeout - microtime(true);
                if ($running && $left <= 0 && $request->isStreamed) {
                    throw new TimeoutError("no byte arrived in $request->timeout s");
                }
                if ($running) {
                    curl_multi_select($pool, max(0.001, min(1.0, $left)));
                }
            } while ($running);
            $result = curl_multi_info_read($pool)['result'] ?? CURLE_OK;
            if ($result !== CURLE_OK) {
                $message = curl_error($handle) ?: curl_strerror($result);
                throw $result === CURLE_OPERATION_TIMEDOUT ? new TimeoutError($message) : new ConnectionError($message);
            }
        } finally {
            curl_multi_remove_handle($pool, $handle);
        }
    }

    /** @return array<int, mixed> */
    private static function options(Request $request): array
    {
        // Without `Expect: 100-continue`, which some proxies do not answer.
        $lines = ['Expect:'];
        foreach ($request->headers as $name => $value) {
            $lines[] = "$name: $value";
        }
        return [
            CURLOPT_URL => $request->url,
            CURLOPT_CUSTOMREQUEST => $request->method,
            CURLOPT_HTTPHEADER => $lines,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            // All codings that this curl knows.
            CURLOPT_ENCODING => '',
            CURLOPT_CONNECTTIMEOUT => self::CONNECT_SECONDS,
            CURLOPT_TIMEOUT_MS => $request->isStreamed ? 0 : (int) ceil($request->timeout * 1000),
            CURLOPT_NOSIGNAL => true,
            // curl itself repeats a request whose kept connection turns out to be closed, which may do the work of a POST twice.
            CURLOPT_FRESH_CONNECT => $request->method === 'POST',
        ] + ($request->body === null ? [] : [CURLOPT_POSTFIELDS => $request->body]);
    }
}
