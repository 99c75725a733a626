<?php

declare(strict_types=1);

namespace SelloWooCommerce;

use InvalidArgumentException;
use Sello\ApiError;
use Sello\Client;
use Sello\ConnectionError;
use Sello\RateLimitError;
use Sello\RejectedError;
use Sello\ServerError;

/**
 * Issues documents in actions of Action Scheduler, so no buyer waits for them.
 *
 * An order or refund keeps `_sello_request`, its request with its idempotency key, stored before it is sent: an action that ends in between, or runs
 * twice, makes one document. Then it has `_sello_doc_id`, `_sello_encf`, `_sello_status`, `_sello_issue_date`, `_sello_qr_url` and
 * `_sello_security_code`.
 */
final class Issuing
{
    private const ISSUE = 'sello_issue';
    private const CHECK = 'sello_check';
    private const GROUP = 'sello';
    private const WAIT_S = 10;
    private const FIRST_PAUSE_S = 60;
    private const LONGEST_PAUSE_S = 3600;
    /** Some three days, as long as the service itself asks the authority. */
    private const ATTEMPTS = 76;

    public static function register(): void
    {
        $issue = fn (int $id) => self::enqueue($id);
        // Orders of downloads skip `processing`.
        add_action('woocommerce_order_status_completed', $issue);
        if (self::settings()['issue_at'] === 'processing') {
            add_action('woocommerce_order_status_processing', $issue);
        }
        add_action('woocommerce_order_refunded', fn (int $orderId, int $refundId) => self::enqueue($refundId), 10, 2);
        add_action(self::ISSUE, [self::class, 'issue'], 10, 2);
        add_action(self::CHECK, [self::class, 'check'], 10, 2);
    }

    public static function enqueue(int $id): void
    {
        // In many releases of Action Scheduler `$unique` does not compare arguments: of two orders only one would be issued.
        if (!as_has_scheduled_action(self::ISSUE, [$id, 0], self::GROUP)) {
            as_enqueue_async_action(self::ISSUE, [$id, 0], self::GROUP);
        }
    }

    /** Issues again at the wish of the staff: only then does a rejected document get a successor. */
    public static function issueAgain(\WC_Abstract_Order $order): void
    {
        if ($order->get_meta('_sello_status') === 'rejected') {
            self::forget($order);
        }
        self::enqueue($order->get_id());
    }

    /** Issues the document of an order or refund that has none. */
    public static function issue(int $id, int $attempt): void
    {
        $order = wc_get_order($id);
        $parent = $order instanceof \WC_Order_Refund ? wc_get_order($order->get_parent_id()) : $order;
        if (!$parent || $order->get_meta('_sello_doc_id')) {
            return;
        }
        if ($parent !== $order && !in_array($parent->get_meta('_sello_status'), ['pending', 'accepted'], true)) {
            self::isLast($attempt) ? $parent->add_order_note(Texts::get('not_invoiced')) : self::later(self::ISSUE, $id, $attempt);
            return;
        }
        try {
            $request = self::request($order, $parent);
            $issued = self::client()->invoices->create($request['body'], wait: self::WAIT_S, idempotencyKey: $request['key']);
            self::keep($order, $parent, $issued);
        } catch (InvalidArgumentException $error) {
            $parent->add_order_note(Texts::get('refused', Texts::get($error->getMessage())));
        } catch (RejectedError $error) {
            // The document exists; what is known of it is read.
            $order->update_meta_data('_sello_doc_id', (string) $error->docId());
            $order->save();
            self::check($id, 0);
        } catch (ConnectionError | ServerError | RateLimitError $error) {
            self::fail($order, $parent, $attempt, $error);
        } catch (ApiError $error) {
            if ($error->slug === 'idempotency-in-progress') {
                self::fail($order, $parent, $attempt, $error);
                return;
            }
            // Nothing is stored under the key, so a corrected order is a new request.
            self::forget($order);
            $details = array_column($error->errors, 'detail');
            $parent->add_order_note(Texts::get('refused', implode(' ', [$error->detail, ...$details])));
        }
    }

    /** Reads the verdict of a pending document. */
    public static function check(int $id, int $attempt): void
    {
        $order = wc_get_order($id);
        $parent = $order instanceof \WC_Order_Refund ? wc_get_order($order->get_parent_id()) : $order;
        if (!$parent) {
            return;
        }
        try {
            self::keep($order, $parent, self::client()->invoices->get($order->get_meta('_sello_doc_id')), $attempt);
        } catch (ApiError | ConnectionError) {
            self::later(self::CHECK, $id, $attempt);
        }
    }

    /** @return array{key: string, body: array<string, mixed>} */
    private static function request(\WC_Abstract_Order $order, \WC_Order $parent): array
    {
        $stored = $order->get_meta('_sello_request');
        if ($stored) {
            return json_decode($stored, true, flags: JSON_THROW_ON_ERROR);
        }
        $settings = self::settings();
        $company = ['rnc' => $settings['rnc'], 'name' => $settings['name']];
        // A rejected document keeps its name, so the next one has another.
        $round = 1 + (int) $order->get_meta('_sello_round');
        $site = substr(md5(home_url()), 0, 8);
        $of = fn (\WC_Abstract_Order $one) => [
            ...Reading::order($one, $parent),
            ...['request' => "woocommerce-$site-{$one->get_id()}-$round", 'number' => $parent->get_order_number()],
            'customer' => Reading::customer($parent),
        ];
        if ($order instanceof \WC_Order_Refund) {
            $refund = [...$of($order), 'amount' => $order->get_amount(), 'reason' => (string) $order->get_reason()];
            $original = ['encf' => $parent->get_meta('_sello_encf'), 'issue_date' => $parent->get_meta('_sello_issue_date')];
            $body = Mapping::toCreditNote($refund, $of($parent), $original, $company);
        } else {
            $body = Mapping::toInvoice($of($order), $company);
        }
        $request = ['key' => Client::createKey(), 'body' => apply_filters('sello_request', $body, $order)];
        $order->update_meta_data('_sello_round', (string) $round);
        $order->update_meta_data('_sello_request', json_encode($request, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR));
        $order->save();
        return $request;
    }

    /** @param array<string, mixed> $document */
    private static function keep(\WC_Abstract_Order $order, \WC_Order $parent, array $document, int $attempt = 0): void
    {
        $isNews = $order->get_meta('_sello_status') !== $document['status'];
        $request = json_decode($order->get_meta('_sello_request') ?: '{}', true);
        $kept = [
            ...['doc_id' => $document['docId'], 'encf' => $document['encf'], 'status' => $document['status']],
            'issue_date' => $request['body']['issue_date'] ?? null,
            ...['qr_url' => $document['print']['qrUrl'] ?? null, 'security_code' => $document['print']['securityCode'] ?? null],
        ];
        foreach (array_filter($kept) as $name => $value) {
            $order->update_meta_data("_sello_$name", $value);
        }
        $order->save();
        if ($document['status'] === 'pending') {
            self::later(self::CHECK, $order->get_id(), $attempt);
        }
        if ($isNews) {
            $parent->add_order_note(Texts::get('issued', $document['encf'], Texts::get($document['status'])));
        }
    }

    private static function forget(\WC_Abstract_Order $order): void
    {
        foreach (['request', 'doc_id', 'encf', 'status', 'issue_date', 'qr_url', 'security_code'] as $name) {
            $order->delete_meta_data("_sello_$name");
        }
        $order->save();
    }

    private static function fail(\WC_Abstract_Order $order, \WC_Order $parent, int $attempt, \Throwable $error): void
    {
        if ($attempt === 0 || self::isLast($attempt)) {
            $parent->add_order_note(Texts::get($attempt === 0 ? 'later' : 'refused', $error->getMessage()));
        }
        self::later(self::ISSUE, $order->get_id(), $attempt);
    }

    private static function isLast(int $attempt): bool
    {
        return $attempt + 1 >= self::ATTEMPTS;
    }

    private static function later(string $action, int $id, int $attempt): void
    {
        if (!self::isLast($attempt)) {
            $pause = min(self::LONGEST_PAUSE_S, self::FIRST_PAUSE_S * 2 ** min($attempt, 6));
            as_schedule_single_action(time() + $pause, $action, [$id, $attempt + 1], self::GROUP);
        }
    }

    private static function client(): Client
    {
        $settings = self::settings();
        $own = fn (string $name): ?string => $settings[$name] ?: null;
        return new Client($own('url'), $own('api_key'), $own('client_id'), $own('client_secret'), language: Texts::language());
    }

    /** @return array<string, string> */
    private static function settings(): array
    {
        $empty = array_fill_keys(['url', 'api_key', 'client_id', 'client_secret', 'rnc', 'name'], '');
        return [...$empty, 'issue_at' => 'processing', ...(array) get_option('woocommerce_sello_settings', [])];
    }
}
