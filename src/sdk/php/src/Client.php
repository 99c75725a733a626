<?php

declare(strict_types=1);

namespace Sello;

/**
 * The service's client: credentials, tokens, repeats and answers. `Resources` has the operations, by area.
 *
 *     $sello = new Sello\Client();
 *     $invoice = $sello->invoices->create(Sello\Invoice::build(type: '32', company: $company, lines: $lines), wait: 10);
 */
final class Client
{
    use Resource\Resources;

    public const VERSION = '0.0.0';

    /** Source: the rules that all client libraries of the service share. */
    private const REPEATED = [408, 429, 500, 502, 503];
    private const RETRY_AFTER_MAX = 60.0;
    private const RENEW_BEFORE = 60.0;
    /** What an answer may take beyond the time for which it is held. */
    private const BEYOND_WAIT = 15.0;
    /** The service sends a comment every 15 seconds. */
    private const SILENCE_MAX = 40.0;

    private readonly string $baseUrl;
    private readonly ?string $apiKey;
    private readonly ?string $clientId;
    private readonly ?string $clientSecret;
    private ?string $token = null;
    private float $tokenUntil = 0.0;

    /**
     * Credentials that are not given come from SELLO_URL, SELLO_API_KEY, SELLO_CLIENT_ID and SELLO_CLIENT_SECRET. `$accessToken` stands for client
     * id and secret and is not renewed. `$language`, `es` or `en`, is that of problems. `$timeout` is for each attempt, in seconds.
     */
    public function __construct(
        ?string $baseUrl = null,
        #[\SensitiveParameter]
        ?string $apiKey = null,
        ?string $clientId = null,
        #[\SensitiveParameter]
        ?string $clientSecret = null,
        #[\SensitiveParameter]
        private readonly ?string $accessToken = null,
        private readonly ?string $language = null,
        private readonly float $timeout = 30.0,
        private readonly int $maxRetries = 2,
        private readonly Transport $transport = new CurlTransport(),
        private readonly Clock $clock = new Clock(),
    ) {
        $url = $baseUrl ?? self::setting('SELLO_URL') ?? '';
        if (preg_match('{^https?://[^/]}', $url) !== 1) {
            throw new \InvalidArgumentException('baseUrl, or SELLO_URL, must be the address of the service, such as https://ecf.example.do');
        }
        $this->baseUrl = rtrim($url, '/');
        $this->apiKey = $apiKey ?? self::setting('SELLO_API_KEY');
        $this->clientId = $clientId ?? self::setting('SELLO_CLIENT_ID');
        $this->clientSecret = $clientSecret ?? self::setting('SELLO_CLIENT_SECRET');
        $this->openResources();
    }

    /** @return array<string, mixed> without secrets, for dumps and logs */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl, 'clientId' => $this->clientId];
    }

    /**
     * Sends any request under the same rules as the methods of the areas; for operations that this version does not know.
     *
     * Returns the JSON answer as an array, a Download with `$isFile`, or null without content. Throws ApiError and ConnectionError. A write that
     * has no key is repeated after 429 only, since a lost answer may hide a success.
     *
     * @param array<string, mixed> $query null is left out
     * @param array<string, mixed> $headers null is left out
     * @param array<mixed>|object|string|null $body an array or object is sent as JSON, a string as it is
     */
    public function request(
        string $method,
        string $path,
        array $query = [],
        array|object|string|null $body = null,
        array $headers = [],
        string $contentType = 'application/json',
        bool $sendsKey = true,
        bool $sendsToken = true,
        bool $isKeyed = false,
        ?string $idempotencyKey = null,
        bool $isRead = false,
        bool $isFile = false,
        ?float $timeout = null,
        ?int $wait = null,
    ): mixed {
        $key = $idempotencyKey ?? ($isKeyed ? self::createKey() : null);
        $sent = array_filter($headers, fn ($value) => $value !== null);
        $sent += ['Accept' => $isFile ? '*/*' : 'application/json'];
        if ($key !== null) {
            $sent['Idempotency-Key'] = $key;
        }
        $content = null;
        if ($body !== null) {
            $sent['Content-Type'] = $contentType;
            $flags = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION | JSON_THROW_ON_ERROR;
            $content = is_string($body) ? $body : json_encode($body === [] ? (object) [] : $body, $flags);
        }
        $request = new Request(
            $method,
            $this->baseUrl . $path . self::toQuery($query),
            $sent,
            $content,
            $timeout ?? max($this->timeout, $wait === null ? 0 : $wait + self::BEYOND_WAIT),
            $isFile,
        );
        $isRepeatable = $key !== null || $isRead || $method !== 'POST';
        return $this->repeat($key, $isRepeatable, function () use ($request, $sendsKey, $sendsToken, $key, $isFile): mixed {
            $response = $this->sendOnce($request, $sendsKey, $sendsToken, $key);
            return $isFile ? new Download($response) : self::decode($response->body());
        });
    }

    /**
     * @internal
     * @param array<string, mixed> $query
     */
    public function page(string $member, string $path, array $query, bool $sendsKey, bool $sendsToken, ?float $timeout): Page
    {
        $fetch = fn (?string $after): array => $this->request(
            'GET',
            $path,
            query: $after === null ? $query : ['after' => $after] + $query,
            sendsKey: $sendsKey,
            sendsToken: $sendsToken,
            timeout: $timeout,
            wait: isset($query['wait']) ? (int) $query['wait'] : null,
        );
        return new Page($fetch(null), $member, $fetch);
    }

    /**
     * @internal
     * @param array<string, mixed> $query
     */
    public function stream(string $path, array $query, bool $sendsToken): EventStream
    {
        $url = $this->baseUrl . $path . self::toQuery($query);
        $connect = function (?string $cursor) use ($url, $sendsToken): iterable {
            $headers = ['Accept' => 'text/event-stream'] + ($cursor === null ? [] : ['Last-Event-ID' => $cursor]);
            return $this->sendOnce(new Request('GET', $url, $headers, null, self::SILENCE_MAX, true), true, $sendsToken, null)->pieces;
        };
        return new EventStream($connect, $this->clock);
    }

    /** @internal */
    public function clock(): Clock
    {
        return $this->clock;
    }

    /** @param \Closure(): mixed $send one attempt, which reads the whole answer */
    private function repeat(?string $key, bool $isRepeatable, \Closure $send): mixed
    {
        for ($attempt = 0; ; $attempt++) {
            $pause = lcg_value() * 0.5 * 2 ** $attempt;
            $isLast = $attempt >= $this->maxRetries;
            try {
                return $send();
            } catch (ApiError $error) {
                $isPassing = in_array($error->status, self::REPEATED, true) || $error->slug === 'idempotency-in-progress';
                $retryAfter = $error->retryAfter ?? 0.0;
                if ($isLast || !$isPassing || $retryAfter > self::RETRY_AFTER_MAX || !($isRepeatable || $error->status === 429)) {
                    throw $error;
                }
                $pause += $retryAfter;
            } catch (ConnectionError $error) {
                if ($isLast || !$isRepeatable) {
                    throw new ($error::class)($error->getMessage(), $key, previous: $error);
                }
            }
            $this->clock->sleep($pause);
        }
    }

    /** One attempt, and one more with a new token after a 401. Throws ApiError for every refusal, redirects included. */
    private function sendOnce(Request $request, bool $sendsKey, bool $sendsToken, ?string $key): Response
    {
        $headers = $request->headers + ['User-Agent' => 'sello-php/' . self::VERSION . ' php/' . PHP_VERSION];
        if ($this->language !== null) {
            $headers += ['Accept-Language' => $this->language];
        }
        if ($sendsKey && $this->apiKey !== null) {
            $headers['x-api-key'] = $this->apiKey;
        }
        foreach ($headers as $name => $value) {
            if (preg_match('/[\r\n\0]/', $name . $value) === 1) {
                throw new \InvalidArgumentException("the header $name holds a line break");
            }
        }
        $token = $sendsToken ? $this->token($key) : null;
        for ($isSecond = false; ; $isSecond = true) {
            if ($token !== null) {
                $headers['Authorization'] = "Bearer $token";
            }
            $response = $this->transport->send(
                new Request($request->method, $request->url, $headers, $request->body, $request->timeout, $request->isStreamed),
            );
            if ($response->status >= 200 && $response->status < 300) {
                return $response;
            }
            $isSpent = $response->status === 401 && $token !== null && $token !== $this->accessToken;
            if ($isSecond || !$isSpent) {
                throw $this->toError($response, $key);
            }
            $this->token = null;
            $token = $this->token($key);
        }
    }

    /** The access token: the present one, or a new one where it ends soon or was refused. */
    private function token(?string $key): ?string
    {
        if ($this->accessToken !== null || $this->clientId === null || $this->clientSecret === null) {
            return $this->accessToken;
        }
        if ($this->token === null || $this->clock->now() >= $this->tokenUntil) {
            $form = ['grant_type' => 'client_credentials', 'client_id' => $this->clientId, 'client_secret' => $this->clientSecret];
            $headers = ['Accept' => 'application/json', 'Content-Type' => 'application/x-www-form-urlencoded'];
            $request = new Request('POST', "$this->baseUrl/v1/auth/token", $headers, http_build_query($form), $this->timeout);
            $granted = self::decode($this->sendOnce($request, true, false, $key)->body());
            $this->token = $granted['access_token'];
            $this->tokenUntil = $this->clock->now() + $granted['expires_in'] - self::RENEW_BEFORE;
        }
        return $this->token;
    }

    private function toError(Response $response, ?string $key): ApiError
    {
        $body = $response->body();
        $isJson = str_contains($response->header('content-type') ?? '', 'json');
        $problem = $isJson ? json_decode($body, true, 512, JSON_BIGINT_AS_STRING) : null;
        return ApiError::of(
            $response->status,
            is_array($problem) ? $problem : [],
            requestId: $response->header('x-request-id'),
            idempotencyKey: $key,
            retryAfter: $this->readRetryAfter($response->header('retry-after')),
        );
    }

    /** In seconds. Source: RFC 9110, 10.2.3. */
    private function readRetryAfter(?string $value): ?float
    {
        if ($value === null || ctype_digit($value)) {
            return $value === null ? null : (float) $value;
        }
        $at = strtotime($value);
        return $at === false ? null : max(0.0, $at - $this->clock->now());
    }

    /** Null without content. Throws ConnectionError for an answer that is not the service's. */
    private static function decode(string $body): mixed
    {
        if ($body === '') {
            return null;
        }
        try {
            return json_decode($body, true, 512, JSON_BIGINT_AS_STRING | JSON_THROW_ON_ERROR);
        } catch (\JsonException $error) {
            throw new ConnectionError('The answer is no JSON; is baseUrl the address of the service?', previous: $error);
        }
    }

    /** @param array<string, mixed> $query */
    private static function toQuery(array $query): string
    {
        $texts = [];
        foreach ($query as $name => $value) {
            if ($value !== null) {
                $texts[$name] = match (true) {
                    is_bool($value) => $value ? 'true' : 'false',
                    is_array($value) => implode(',', $value),
                    $value instanceof \DateTimeInterface => $value->format(DATE_RFC3339_EXTENDED),
                    default => (string) $value,
                };
            }
        }
        return $texts === [] ? '' : '?' . http_build_query($texts, '', '&', PHP_QUERY_RFC3986);
    }

    /** A random UUID, to be stored with a sale before its first request. Source: RFC 9562, version 4. */
    public static function createKey(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }

    private static function setting(string $name): ?string
    {
        $value = getenv($name);
        return $value === false || $value === '' ? null : $value;
    }
}
