//! Numbers of orders, lines, articles and parcels.

/// Writes `serial` into the `#` places of `template`, scattered so that neighbours do not look like neighbours. Different
/// serials give different numbers as long as they are below the power of ten that has so many digits as there are `#`.
pub(super) fn scatter(template: &str, serial: u32, seed: u64) -> String {
    // Odd and no multiple of five, so that multiplying by it modulo a power of ten is one to one.
    const FACTOR: u128 = 618_033_988_749_894_843;
    let mut places: Vec<char> = template.chars().collect();
    let count = places.iter().filter(|place| **place == '#').count();
    // No template has more than nineteen places, so that the digits fit into 64 bits.
    let modulus = 10_u128.pow(u32::try_from(count).unwrap_or(0).min(19));
    let mut digits = u64::try_from((u128::from(serial) * FACTOR + u128::from(seed)) % modulus).unwrap_or(0);
    for place in places.iter_mut().rev().filter(|place| **place == '#') {
        *place = char::from_digit(u32::try_from(digits % 10).unwrap_or(0), 10).unwrap_or('0');
        digits /= 10;
    }
    places.into_iter().collect()
}
