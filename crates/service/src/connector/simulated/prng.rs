//! A small generator of pseudo-random numbers (SplitMix64), the same on every machine and in every version.
//!
//! It makes up purchase histories; nothing secret may depend on it.

/// SplitMix64: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
#[derive(Debug, Clone)]
pub(super) struct Prng(u64);

impl Prng {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A generator of its own for the part `index` of what `seed` stands for.
    pub(super) fn of_part(seed: u64, index: u32) -> Self {
        let mut parts = Self(seed ^ u64::from(index).wrapping_mul(0xd1b5_4a32_d192_ed03));
        Self(parts.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `bound - 1`; 0 where `bound` is 0.
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        // The upper half of a product of 32 bits each is below the bound.
        u32::try_from(((self.next() >> 32) * u64::from(bound)) >> 32).unwrap_or(0)
    }

    /// Whether something happens that happens `percent` times in a hundred.
    pub(super) fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`; `None` where there are none.
    pub(super) fn pick<T: Copy>(&mut self, choices: &[T]) -> Option<T> {
        let index = self.below(u32::try_from(choices.len()).unwrap_or(u32::MAX));
        choices.get(index as usize).copied()
    }
}
