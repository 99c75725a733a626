<?php

declare(strict_types=1);

namespace Sello;

/** Base of all exceptions of this package. */
class SelloError extends \RuntimeException
{
}

/**
 * The service refused the request with a problem document (RFC 9457), or something before it answered without one.
 *
 * `slug` is the last part of the problem's `type` and does not change between releases; it is empty without a problem document.
 * Repeat a write with `idempotencyKey`, never with a new one.
 */
class ApiError extends SelloError
{
    public readonly string $slug;
    public readonly string $title;
    public readonly string $detail;
    /** @var list<array<string, mixed>> every violated rule, with `pointer`, `code` and `detail` */
    public readonly array $errors;
    public readonly ?string $requestId;

    /** @param array<string, mixed> $problem the whole problem document */
    final public function __construct(
        public readonly int $status,
        public readonly array $problem = [],
        ?string $requestId = null,
        public readonly ?string $idempotencyKey = null,
        /** In seconds. */
        public readonly ?float $retryAfter = null,
    ) {
        $text = fn (string $name): string => is_string($problem[$name] ?? null) ? $problem[$name] : '';
        $this->slug = basename($text('type'));
        $this->title = $text('title') ?: "HTTP $status";
        $this->detail = $text('detail') ?: 'The answer has no problem document.';
        $this->errors = is_array($problem['errors'] ?? null) ? array_values($problem['errors']) : [];
        $this->requestId = $text('requestId') ?: $requestId;
        // An uncaught exception shows its message alone: say what is wrong where.
        $violations = array_map(
            fn (mixed $one): string => is_array($one) ? ' ' . ($one['pointer'] ?? '') . ': ' . ($one['detail'] ?? '') : '',
            array_slice($this->errors, 0, 3),
        );
        parent::__construct("$status " . ($this->slug ?: $this->title) . ": $this->detail" . implode('', $violations), $status);
    }

    /** @param array<string, mixed> $problem */
    public static function of(int $status, array $problem, mixed ...$others): self
    {
        $class = match (true) {
            basename((string) ($problem['type'] ?? '')) === 'authority-rejected' => RejectedError::class,
            $status === 400, $status === 422 => ValidationError::class,
            $status === 401 => AuthenticationError::class,
            $status === 403 => PermissionError::class,
            $status === 404 => NotFoundError::class,
            $status === 409, $status === 412 => ConflictError::class,
            $status === 429 => RateLimitError::class,
            $status >= 500 => ServerError::class,
            default => self::class,
        };
        return new $class($status, $problem, ...$others);
    }
}

/** The request is wrong (400, 422); correct it. */
class ValidationError extends ApiError
{
}

/** A credential is missing, wrong or has ended (401). */
class AuthenticationError extends ApiError
{
}

/** The credentials do not permit this (403). */
class PermissionError extends ApiError
{
}

/** There is no such resource for these credentials (404). */
class NotFoundError extends ApiError
{
}

/** The state of the resource does not allow this (409, 412). */
class ConflictError extends ApiError
{
}

/** The authority rejected the document (422 `authority-rejected`). The document exists. */
class RejectedError extends ApiError
{
    public function authorityCode(): ?string
    {
        return $this->problem['authorityCode'] ?? null;
    }

    public function docId(): ?string
    {
        return $this->problem['docId'] ?? null;
    }
}

/** A limit of the plan (429); `retryAfter` is in seconds. */
class RateLimitError extends ApiError
{
}

/** The service, or something before it, failed (5xx). */
class ServerError extends ApiError
{
}

/** No answer arrived. The request may have been processed: repeat a write with `idempotencyKey`. */
class ConnectionError extends SelloError
{
    public function __construct(
        string $message,
        public readonly ?string $idempotencyKey = null,
        /** The document whose verdict did not come in time. */
        public readonly ?string $docId = null,
        ?\Throwable $previous = null,
    ) {
        parent::__construct($message, 0, $previous);
    }
}

/** The answer, or the awaited verdict, did not come in time. */
class TimeoutError extends ConnectionError
{
}

/** A webhook's signature is missing, wrong, or too old. */
class SignatureError extends SelloError
{
}
