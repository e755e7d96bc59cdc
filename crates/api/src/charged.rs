//! The amount that was charged for a line item, and sums of decimals that are exact or not at all. (Those of the library round
//! results that have too many digits.)
//!
//! The line total is the amount if it is known, else the price times the quantity. Retailers write money back with a
//! negative quantity, a negative price or both, so a negative price or quantity makes the amount negative. A positive line
//! total beside either contradicts them: such a line is in no sum.

use rust_decimal::Decimal;

use crate::order::ShipmentStatus;

/// The amount that was charged for a line item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Charged, or paid back if it is negative.
    Known(Decimal),
    /// The retailer shows neither a line total nor both price and quantity.
    Unknown,
    /// Charged in an unknown currency.
    WithoutCurrency(Decimal),
    /// Charged or paid back: the signs contradict each other.
    UnclearSign(Decimal),
}

impl Amount {
    /// The amount, if it can be summed.
    pub const fn known(self) -> Option<Decimal> {
        match self {
            Self::Known(amount) => Some(amount),
            _ => None,
        }
    }
}

/// `None` if it cannot be computed exactly.
pub fn charged(total: Option<Decimal>, price: Option<Decimal>, quantity: Option<Decimal>) -> Option<Amount> {
    let is_negative = |number: Option<Decimal>| number.is_some_and(|number| number < Decimal::ZERO);
    let says_back = is_negative(price) || is_negative(quantity);
    Some(match (total, price, quantity) {
        (Some(total), ..) if says_back && total > Decimal::ZERO => Amount::UnclearSign(total),
        (Some(total), ..) => Amount::Known(total),
        (None, Some(price), Some(quantity)) => {
            let size = product(price.abs(), quantity.abs())?;
            Amount::Known(if says_back { -size } else { size })
        }
        // A quantity of zero costs nothing.
        (None, None, Some(quantity)) if quantity.is_zero() => Amount::Known(Decimal::ZERO),
        _ => Amount::Unknown,
    })
}

/// Whether a line was cancelled, returned, refunded or not paid, so that its amount is in no sum of what was spent.
pub fn is_undone(status: Option<ShipmentStatus>, amount: Amount) -> bool {
    // A negative line that was returned or refunded is the money back itself, not a purchase that was undone.
    let was_paid = !matches!(status, Some(ShipmentStatus::Cancelled | ShipmentStatus::Unpaid));
    let is_money_back = was_paid && amount.known().is_some_and(|amount| amount < Decimal::ZERO);
    status.is_some_and(ShipmentStatus::is_undone) && !is_money_back
}

/// The product, with every digit; `None` if 96 bits and 28 decimal places cannot hold it.
pub fn product(price: Decimal, quantity: Decimal) -> Option<Decimal> {
    // A quantity of 1.000 adds no places to a price.
    let exact = |price: Decimal, quantity: Decimal| {
        fit(price.mantissa().checked_mul(quantity.mantissa())?, price.scale() + quantity.scale())
    };
    let quantity = quantity.normalize();
    exact(price, quantity).or_else(|| exact(price.normalize(), quantity))
}

/// The sum, with every digit; `None` if 96 bits and 28 decimal places cannot hold it.
pub fn sum(a: Decimal, b: Decimal) -> Option<Decimal> {
    let exact = |a: Decimal, b: Decimal| {
        let scale = a.scale().max(b.scale());
        let raised = |n: Decimal| n.mantissa().checked_mul(10_i128.checked_pow(scale - n.scale())?);
        fit(raised(a)?.checked_add(raised(b)?)?, scale)
    };
    exact(a, b).or_else(|| exact(a.normalize(), b.normalize()))
}

/// The decimal without zeros at its end beyond the second place, which came from quantities.
pub fn tidy(amount: Decimal) -> Decimal {
    let mut tidy = amount.normalize();
    let scale = amount.scale().min(2);
    if tidy.scale() < scale {
        tidy.rescale(scale);
    }
    // What has no room for its zeros goes without.
    if tidy == amount { tidy } else { amount }
}

/// The decimal, without zeros at its end where it fits only so.
fn fit(mut mantissa: i128, mut scale: u32) -> Option<Decimal> {
    loop {
        if let Ok(decimal) = Decimal::try_from_i128_with_scale(mantissa, scale) {
            return Some(decimal);
        }
        if scale == 0 || mantissa % 10 != 0 {
            return None;
        }
        mantissa /= 10;
        scale -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(total: &str, price: &str, quantity: &str) -> Amount {
        let number = |text: &str| (!text.is_empty()).then(|| Decimal::from_str_exact(text).expect("a decimal"));
        charged(number(total), number(price), number(quantity)).expect("an amount")
    }

    #[test]
    fn the_line_total_is_what_was_charged_and_money_back_is_negative_however_it_is_written() {
        let known = |text: &str| Amount::Known(Decimal::from_str_exact(text).expect("a decimal"));
        for (total, price, quantity, amount) in [
            ("12.88", "9.49", "1.357", "12.88"),
            ("10.00", "", "3", "10.00"),
            ("10.00", "", "", "10.00"),
            ("0.00", "7.00", "0", "0.00"),
            ("", "9.49", "1.357", "12.87793"),
            ("", "-3.50", "-1", "-3.50"),
            ("", "3.50", "-1", "-3.50"),
            ("", "-3.50", "1", "-3.50"),
            ("-3.50", "3.50", "1", "-3.50"),
            ("-3.50", "-3.50", "-1", "-3.50"),
            ("", "", "0", "0"),
            ("", "7.00", "0", "0.00"),
        ] {
            assert_eq!(read(total, price, quantity), known(amount), "{total} {price} {quantity}");
        }
        assert_eq!([read("", "3.50", ""), read("", "", "2")], [Amount::Unknown, Amount::Unknown]);
        for (price, quantity) in [("3.50", "-1"), ("-3.50", "1"), ("-3.50", "-1"), ("", "-1")] {
            assert!(matches!(read("3.50", price, quantity), Amount::UnclearSign(_)), "{price} {quantity}");
        }
    }

    fn number(text: &str) -> Decimal {
        Decimal::from_str_exact(text).expect("a decimal")
    }

    #[test]
    fn products_and_sums_keep_every_digit() {
        for (price, quantity, expected) in [
            ("0.1", "3", "0.3"),
            ("12.50", "2", "25.00"),
            ("12.50", "2.000", "25.00"),
            ("3.99", "0.455", "1.81545"),
            ("-4.20", "1", "-4.20"),
            ("0.00000000000001", "0.00000000000001", "0.0000000000000000000000000001"),
            ("0.50000000000000000000", "0.20000000000000000000", "0.1"),
            ("79228162514264337593543950335", "1.0", "79228162514264337593543950335"),
        ] {
            let product = product(number(price), number(quantity)).map(|product| tidy(product).to_string());
            assert_eq!(product.as_deref().map(number), Some(number(expected)), "{price} x {quantity}");
        }
        assert_eq!(product(number("12.50"), number("2.000")).map(|n| n.to_string()).as_deref(), Some("25.00"));
        for (a, b, expected) in [
            ("0.1", "0.2", "0.3"),
            ("1430.71", "0.005", "1430.715"),
            ("9007199254740993", "0.01", "9007199254740993.01"),
            ("1.00", "-1", "0"),
            ("79228162514264337593543950334", "1.000", "79228162514264337593543950335"),
        ] {
            assert_eq!(sum(number(a), number(b)), Some(number(expected)), "{a} + {b}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_and_never_rounded() {
        let largest = number("79228162514264337593543950335");
        assert_eq!(sum(largest, number("0.1")), None);
        assert_eq!(sum(largest, number("1")), None);
        assert_eq!(product(largest, number("2")), None);
        assert_eq!(product(number("0.000000000000001"), number("0.00000000000001")), None);
        assert_eq!(product(largest, largest), None);
        // What the library would have made of it.
        assert!(largest.checked_add(number("0.1")).is_some());
    }

    #[test]
    fn zeros_of_quantities_go_and_those_of_money_stay() {
        for (amount, shown) in [
            ("25.00", "25.00"),
            ("25.0000", "25.00"),
            ("3.990", "3.99"),
            ("1.8154", "1.8154"),
            ("2980", "2980"),
            ("1.5", "1.5"),
        ] {
            assert_eq!(tidy(number(amount)).to_string(), shown);
        }
    }
}
