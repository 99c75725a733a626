<?php

declare(strict_types=1);

namespace Sello;

/** The signatures of webhooks. */
final class Webhook
{
    /**
     * The event of a webhook that was signed with one of the secrets in the last `$tolerance` seconds.
     *
     * `$body` is the raw body: `file_get_contents('php://input')`. `$headers` are those of the request, from `getallheaders()`, a PSR-7 message or
     * `$_SERVER`. Both `X-Service-Signature` and `webhook-signature` (Standard Webhooks 1.0.0) count. Throws SignatureError.
     *
     * @param array<string, mixed> $headers
     * @param string|list<string> $secrets
     * @return array<string, mixed>
     */
    public static function verify(
        string $body,
        array $headers,
        #[\SensitiveParameter]
        string|array $secrets,
        int $tolerance = 300,
        ?int $now = null,
    ): array {
        $found = self::normalise($headers);
        $signatures = [...self::own($found), ...self::standard($found)];
        if ($signatures === []) {
            throw new SignatureError('There is no signature. Pass all headers of the request.');
        }
        $isOld = false;
        foreach ($signatures as [$time, $given, $id]) {
            foreach ((array) $secrets as $secret) {
                if (!hash_equals(self::sign($secret, $time, $id, $body), $given)) {
                    continue;
                }
                if (abs(($now ?? time()) - (int) $time) > $tolerance) {
                    $isOld = true;
                    continue;
                }
                $event = json_decode($body, true, 512, JSON_BIGINT_AS_STRING);
                return is_array($event) ? $event : throw new SignatureError('The signed body is no JSON object.');
            }
        }
        throw new SignatureError($isOld
            ? "The signature is older than $tolerance seconds, or this machine's clock is wrong."
            : 'No signature was made with these secrets over this body.');
    }

    /**
     * @param array<string, string> $headers
     * @return list<array{string, string, ?string}> time, signature, and the id of Standard Webhooks
     */
    private static function own(array $headers): array
    {
        $found = [];
        foreach (['x-service-signature', 'x-service-signature-next'] as $name) {
            if (preg_match('/^t=(\d{1,12}),v1=([0-9a-f]{64})$/D', $headers[$name] ?? '', $match) === 1) {
                $found[] = [$match[1], $match[2], null];
            }
        }
        return $found;
    }

    /**
     * @param array<string, string> $headers
     * @return list<array{string, string, ?string}>
     */
    private static function standard(array $headers): array
    {
        $id = $headers['webhook-id'] ?? '';
        $time = $headers['webhook-timestamp'] ?? '';
        if ($id === '' || preg_match('/^\d{1,12}$/D', $time) !== 1) {
            return [];
        }
        $found = [];
        foreach (explode(' ', $headers['webhook-signature'] ?? '') as $one) {
            if (str_starts_with($one, 'v1,')) {
                $found[] = [$time, substr($one, 3), $id];
            }
        }
        return $found;
    }

    private static function sign(#[\SensitiveParameter] string $secret, string $time, ?string $id, string $body): string
    {
        if ($id === null) {
            // The key is the whole text of the secret, its prefix included.
            return hash_hmac('sha256', "$time.$body", $secret);
        }
        $key = base64_decode(str_starts_with($secret, 'whsec_') ? substr($secret, 6) : $secret);
        return base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));
    }

    /**
     * @param array<string, mixed> $headers
     * @return array<string, string> with names in lower case
     */
    private static function normalise(array $headers): array
    {
        $found = [];
        foreach ($headers as $name => $value) {
            $value = is_array($value) ? ($value[0] ?? null) : $value;
            if (is_string($value)) {
                $found[preg_replace('/^http-/', '', str_replace('_', '-', strtolower((string) $name)))] = $value;
            }
        }
        return $found;
    }
}
