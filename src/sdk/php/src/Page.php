<?php

declare(strict_types=1);

namespace Sello;

/**
 * A page of a list. Iterating over it gives its items, then those of the following pages, each of which is read when it is needed.
 *
 * @implements \IteratorAggregate<int, mixed>
 */
final class Page implements \IteratorAggregate, \Countable
{
    /** @var list<mixed> */
    public readonly array $items;
    /** Continues the list later, as `after`; null on the last page. */
    public readonly ?string $next;

    /**
     * @param array<string, mixed> $data the whole answer
     * @param \Closure(string): array<string, mixed> $fetch
     */
    public function __construct(
        public readonly array $data,
        private readonly string $member,
        private readonly \Closure $fetch,
    ) {
        $this->items = $data[$member];
        $this->next = isset($data['next']) ? (string) $data['next'] : null;
    }

    /** Null after the last page. A feed, whose `next` never ends, is read up to what exists now. */
    public function nextPage(): ?self
    {
        if ($this->next === null || !($this->data['partial'] ?? true)) {
            return null;
        }
        return new self(($this->fetch)($this->next), $this->member, $this->fetch);
    }

    /** @return \Generator<int, mixed> */
    public function getIterator(): \Generator
    {
        $number = 0;
        for ($page = $this; $page !== null; $page = $page->nextPage()) {
            foreach ($page->items as $item) {
                yield $number++ => $item;
            }
        }
    }

    /** Of this page. */
    public function count(): int
    {
        return count($this->items);
    }
}
