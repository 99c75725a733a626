<?php

declare(strict_types=1);

namespace Sello\Resource;

use Sello\ApiError;
use Sello\Client;
use Sello\EventStream;
use Sello\TimeoutError;

/** What the generated classes share. */
abstract class Resource
{
    /** @internal */
    final public function __construct(protected readonly Client $client)
    {
    }

    /** A value as one segment of a path. Throws an InvalidArgumentException for what cannot be one. */
    protected static function segment(string $value): string
    {
        if (in_array($value, ['', '.', '..'], true)) {
            throw new \InvalidArgumentException("\"$value\" is no id");
        }
        return rawurlencode($value);
    }

    /** The header `Prefer`. Source: RFC 7240. */
    protected static function prefer(?int $wait, ?string $handling): ?string
    {
        $parts = [...($wait === null ? [] : ["wait=$wait"]), ...($handling === null ? [] : ["handling=$handling"])];
        return $parts === [] ? null : implode(', ', $parts);
    }
}

/** The methods of invoices that are more than one request. */
abstract class InvoiceResource extends Resource
{
    private const PAUSE_MAX = 30.0;

    /**
     * The status of a document that is no longer pending: accepted, rejected or failed. `$timeout` is in seconds.
     *
     * It polls with growing pauses; a webhook or the event feed costs no polls. Throws TimeoutError, whose `docId` names the document.
     *
     * @return array<string, mixed>
     */
    public function waitFor(string $docId, float $timeout = 60.0): array
    {
        $clock = $this->client->clock();
        $until = $clock->now() + $timeout;
        for ($polls = 0; ; $polls++) {
            $status = $this->client->request('GET', '/v1/invoices/' . self::segment($docId) . '/status');
            if ($status['status'] !== 'pending') {
                return $status;
            }
            $left = $until - $clock->now();
            if ($left <= 0) {
                throw new TimeoutError("$docId is still pending after $timeout s", docId: $docId);
            }
            $clock->sleep(min($left, self::PAUSE_MAX, 1.5 ** $polls));
        }
    }

    /**
     * What `$send` returns; after a 504 that says that the document is stored, the document as it is now.
     *
     * @param \Closure(): array<string, mixed> $send
     * @return array<string, mixed>
     */
    protected function pendingWhenStored(\Closure $send): array
    {
        try {
            return $send();
        } catch (ApiError $error) {
            if ($error->status !== 504 || ($error->problem['stored'] ?? false) !== true) {
                throw $error;
            }
            $document = $this->client->request('GET', '/v1/invoices/' . self::segment($error->problem['docId']));
            return $document + ['receivedAt' => $document['createdAt']];
        }
    }
}

/** A feed of events, which can be followed. */
abstract class FeedResource extends Resource
{
    /**
     * Follows the events as they happen, and reconnects where the stream was cut.
     *
     * @param string|null $after the place to start after, from `EventStream::$cursor`; null begins with the oldest event that is kept
     * @param string|list<string>|null $types names of events, or families such as `invoice.*`
     */
    public function stream(?string $after = null, string|array|null $types = null): EventStream
    {
        return $this->client->stream(static::PATH, ['after' => $after, 'types' => $types], static::SENDS_TOKEN);
    }
}
