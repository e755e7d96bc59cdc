//! Products and sums of decimals that are exact or not at all. (Those of the library round what has too many digits.)

use rust_decimal::Decimal;

use crate::output::amount::rounded;

/// The product, with every digit; `None` if 96 bits and 28 decimal places cannot hold it.
pub(crate) fn product(price: Decimal, quantity: Decimal) -> Option<Decimal> {
    // A quantity of 1.000 adds no places to a price.
    let exact = |price: Decimal, quantity: Decimal| {
        fit(price.mantissa().checked_mul(quantity.mantissa())?, price.scale() + quantity.scale())
    };
    let quantity = quantity.normalize();
    exact(price, quantity).or_else(|| exact(price.normalize(), quantity))
}

/// The sum, with every digit; `None` if 96 bits and 28 decimal places cannot hold it.
pub(crate) fn sum(a: Decimal, b: Decimal) -> Option<Decimal> {
    let exact = |a: Decimal, b: Decimal| {
        let scale = a.scale().max(b.scale());
        let raised = |n: Decimal| n.mantissa().checked_mul(10_i128.checked_pow(scale - n.scale())?);
        fit(raised(a)?.checked_add(raised(b)?)?, scale)
    };
    exact(a, b).or_else(|| exact(a.normalize(), b.normalize()))
}

/// The decimal without zeros at its end beyond the second place, which came from quantities.
pub(crate) fn tidy(amount: Decimal) -> Decimal {
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

/// An amount for reading, with the digits of its currency: "1,430.71"; an unknown amount is a dash.
pub(crate) fn amount(amount: Option<Decimal>, currency: &str) -> String {
    amount.map_or_else(|| "–".to_owned(), |amount| grouped(&rounded(amount, currency).to_string()))
}

/// Digits in threes before the point.
pub(super) fn grouped(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("−", digits));
    let (whole, fraction) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut text = sign.to_owned();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

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
