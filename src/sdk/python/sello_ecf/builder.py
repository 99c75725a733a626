"""Invoices with exact numbers and totals, from quantities, prices and rates."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union, cast

if TYPE_CHECKING:
    from . import types as t

Amount = Union[str, int, Decimal]
Rate = Literal["18", "16", "0", "exempt"]

# Enough for the largest amounts of the format, 16 digits before and 6 after the point, and their products.
_EXACT = Context(prec=80, rounding=ROUND_HALF_UP)
_RATES: Mapping[str, Decimal] = {"18": Decimal("0.18"), "16": Decimal("0.16"), "0": Decimal(0), "exempt": Decimal(0)}
_CENTS = Decimal("0.01")
_MILLIONTHS = Decimal("0.000001")
_FORM = re.compile(r"[0-9]{1,16}(\.[0-9]{1,6})?")


class _InvoiceLine(TypedDict):
    description: str
    quantity: Amount
    unit_price: Amount


class InvoiceLine(_InvoiceLine, total=False):
    """A line. `discount` and `surcharge` are of the whole line, in the same prices as `unit_price`. Other members are sent as they are."""

    tax_rate: Rate
    discount: Amount
    surcharge: Amount
    kind: Literal["good", "service"]
    unit: str
    item_code: Any
    withholding: Mapping[str, str]
    excise: Mapping[str, str]
    production_date: str
    expiry_date: str


def build_invoice(
    *,
    type: Literal["31", "32", "33", "34", "41", "44"],
    company: Mapping[str, Any],
    lines: Sequence[InvoiceLine],
    customer: Optional[Mapping[str, Any]] = None,
    prices: Literal["net", "gross"] = "net",
    encf: str = "auto",
    **members: Any,
) -> t.InvoiceRequest:
    """The request of an invoice whose amounts add up to the cent.

    `prices` says whether prices include ITBIS; with `gross` the buyer pays exactly their sum. Amounts are texts, Decimals or ints; a float
    raises TypeError, since it is not exact. Every line has a `tax_rate`, except those of type 44. Further members of the request are keyword
    arguments. Raises ValueError for what is no amount, and for adjustments and additional taxes, which it does not compute.
    """
    is_gross = prices == "gross"
    if not is_gross and prices != "net":
        raise ValueError("prices is net or gross")
    if "adjustments" in members:
        raise ValueError("build_invoice computes no adjustments: use discount on the lines")
    built: List[Dict[str, Any]] = []
    # By rate, with or without ITBIS as the prices are.
    sums: Dict[str, Decimal] = {}
    for number, line in enumerate(lines, 1):
        if "additional_taxes" in line:
            raise ValueError("build_invoice computes no additional taxes")
        rate = str(line.get("tax_rate", "exempt" if type == "44" else ""))
        if rate not in _RATES:
            raise ValueError("line %d: tax_rate is 18, 16, 0 or exempt" % number)
        factor = _EXACT.add(Decimal(1), _RATES[rate]) if is_gross else Decimal(1)
        quantity = _amount(line["quantity"], "line %d: quantity" % number)
        price = _amount(line["unit_price"], "line %d: unit_price" % number)
        paid = _round(_EXACT.multiply(quantity, price), _CENTS)
        made: Dict[str, Any] = {"line_number": number, **line, "quantity": _given(line["quantity"], 0)}
        for name, sign in (("discount", -1), ("surcharge", 1)):
            if name in made:
                part = _amount(made[name], "line %d: %s" % (number, name))
                paid = _EXACT.add(paid, sign * part)
                made[name] = _text(_round(_EXACT.divide(part, factor), _MILLIONTHS), 2)
        if paid < 0:
            raise ValueError("line %d: the discount is more than the line" % number)
        paid = _round(paid, _CENTS)
        subtotal = _round(_EXACT.divide(paid, factor), _MILLIONTHS) if is_gross else paid
        sums[rate] = _EXACT.add(sums.get(rate, Decimal(0)), paid)
        shown = _given(line["unit_price"], 2)
        made["unit_price"] = _text(_round(_EXACT.divide(price, factor), _MILLIONTHS), 2) if is_gross else shown
        made["subtotal"] = _text(subtotal, 2)
        if is_gross:
            made["gross_unit_price"] = shown
            made["gross_subtotal"] = _text(paid, 2)
        built.append(made)
    total = _sum(sums)
    if is_gross:
        base = _sum({rate: _round(_EXACT.divide(one, 1 + _RATES[rate]), _CENTS) for rate, one in sums.items()})
        tax = _EXACT.subtract(total, base)
    else:
        base = total
        tax = _sum({rate: _round(_EXACT.multiply(one, _RATES[rate]), _CENTS) for rate, one in sums.items()})
    if "legal_tip" in members:
        tax = _EXACT.add(tax, _amount(members["legal_tip"], "legal_tip"))
    totals = {
        "subtotal": _text(base, 2),
        "tax": _text(tax, 2),
        "grand_total": _text(_EXACT.add(base, tax), 2),
    }
    invoice: Dict[str, Any] = {"type": type, "encf": encf, "company": company}
    if customer is not None:
        invoice["customer"] = customer
    return cast("t.InvoiceRequest", {**invoice, **members, "lines": built, "totals": totals})


def _amount(value: Amount, name: str) -> Decimal:
    if isinstance(value, (bool, float)):
        raise TypeError("%s is a text, a Decimal or an int; a float is not exact" % name)
    text = _given(value, 0)
    if not _FORM.fullmatch(text):
        raise ValueError("%s is an amount of at most six decimals, not %r" % (name, value))
    return Decimal(text)


def _given(value: Amount, decimals: int) -> str:
    """An amount as it was given, if it was a text."""
    if isinstance(value, Decimal):
        return _text(value, decimals) if value.is_finite() else str(value)
    return value if isinstance(value, str) else _text(Decimal(value), decimals)


def _sum(amounts: Mapping[str, Decimal]) -> Decimal:
    total = Decimal(0)
    for amount in amounts.values():
        total = _EXACT.add(total, amount)
    return total


def _round(value: Decimal, unit: Decimal) -> Decimal:
    return value.quantize(unit, context=_EXACT)


def _text(value: Decimal, decimals: int) -> str:
    """Without exponent, with at least so many decimals and otherwise no zeros at the end."""
    whole, _, fraction = format(value, "f").partition(".")
    fraction = fraction.rstrip("0").ljust(decimals, "0")
    return whole + "." + fraction if fraction else whole
