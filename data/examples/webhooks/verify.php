<?php
// PHP 8. `$body` is the raw request body: file_get_contents('php://input').

/** True when one of the headers X-Service-Signature and X-Service-Signature-Next was made with the secret in the last five minutes. */
function verify(string $secret, array $headers, string $body, ?int $now = null): bool
{
    foreach ($headers as $header) {
        if (preg_match('/^t=(\d{1,12}),v1=([0-9a-f]{64})$/D', $header ?? '', $match) !== 1) continue;
        if (abs(($now ?? time()) - (int) $match[1]) > 300) continue;
        if (hash_equals(hash_hmac('sha256', $match[1] . '.' . $body, $secret), $match[2])) return true;
    }
    return false;
}
