//! The trace that a request belongs to: the header `traceparent` (W3C Trace Context, level 1, §3.2).

use std::fmt;
use std::str::FromStr;

use crate::hex;

/// The header's name.
pub const TRACEPARENT: &str = "traceparent";
/// Of version 00; later versions may append to it.
const LENGTH: usize = 55;
const SAMPLED: u8 = 1;

/// A position in a trace: what happens next is below the span that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceContext {
    /// Not all zero.
    pub trace_id: [u8; 16],
    /// Not all zero.
    pub span_id: [u8; 8],
    /// Whether the sender records its part of the trace.
    pub sampled: bool,
}

/// The text is no `traceparent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadTraceContext;

impl TraceContext {
    /// The trace's id as it is written: 32 hexadecimal digits.
    pub fn trace(&self) -> String {
        format!("{:032x}", u128::from_be_bytes(self.trace_id))
    }
}

impl FromStr for TraceContext {
    type Err = BadTraceContext;

    fn from_str(text: &str) -> Result<Self, BadTraceContext> {
        let version = octets::<1>(text.get(..2))?[0];
        let ends_well = match version {
            0 => text.len() == LENGTH,
            0xff => false,
            _ => text.len() == LENGTH || text.as_bytes().get(LENGTH) == Some(&b'-'),
        };
        let dashes = [2, 35, 52].iter().all(|at| text.as_bytes().get(*at) == Some(&b'-'));
        let trace_id = octets::<16>(text.get(3..35))?;
        let span_id = octets::<8>(text.get(36..52))?;
        let [flags] = octets::<1>(text.get(53..55))?;
        if !ends_well || !dashes || trace_id == [0; 16] || span_id == [0; 8] {
            return Err(BadTraceContext);
        }
        Ok(Self { trace_id, span_id, sampled: flags & SAMPLED != 0 })
    }
}

impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = u64::from_be_bytes(self.span_id);
        write!(f, "00-{}-{span:016x}-{:02x}", self.trace(), u8::from(self.sampled))
    }
}

/// Octets in lower-case hexadecimal digits, the only ones that the header may have.
fn octets<const N: usize>(text: Option<&str>) -> Result<[u8; N], BadTraceContext> {
    text.and_then(hex::decode).and_then(|octets| octets.try_into().ok()).ok_or(BadTraceContext)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the recommendation, §3.2.4.
    const EXAMPLE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn changed(at: usize, with: &str) -> String {
        format!("{}{with}{}", &EXAMPLE[..at], &EXAMPLE[at + with.len()..])
    }

    #[test]
    fn a_context_is_written_as_it_was_read() {
        let context: TraceContext = EXAMPLE.parse().unwrap();
        assert_eq!(context.trace(), "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(context.span_id, [0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7]);
        assert!(context.sampled);
        assert_eq!(context.to_string(), EXAMPLE);
    }

    #[test]
    fn of_the_flags_only_the_one_for_sampled_is_known() {
        for (flags, sampled) in [("00", false), ("01", true), ("02", false), ("03", true), ("fe", false), ("ff", true)]
        {
            let context: TraceContext = changed(53, flags).parse().unwrap();
            assert_eq!(context.sampled, sampled, "{flags}");
            assert!(context.to_string().ends_with(if sampled { "-01" } else { "-00" }), "{flags}");
        }
    }

    #[test]
    fn a_later_version_may_have_more_and_is_answered_in_this_one() {
        for later in
            [changed(0, "01"), format!("{}-what-comes-later", changed(0, "cc")), format!("{}-", changed(0, "fe"))]
        {
            assert_eq!(later.parse::<TraceContext>().unwrap().to_string(), EXAMPLE, "{later}");
        }
        for bad in [format!("{}x", changed(0, "01")), changed(0, "ff"), format!("{}-x", changed(0, "ff"))] {
            assert_eq!(bad.parse::<TraceContext>(), Err(BadTraceContext), "{bad}");
        }
    }

    #[test]
    fn a_malformed_context_is_refused() {
        assert!((0..EXAMPLE.len()).all(|end| EXAMPLE[..end].parse::<TraceContext>().is_err()));
        for at in 0..EXAMPLE.len() {
            for with in ["G", "A", " ", "_", "+"] {
                assert_eq!(changed(at, with).parse::<TraceContext>(), Err(BadTraceContext), "{at} {with}");
            }
        }
        let zero_trace = changed(3, &"0".repeat(32));
        let zero_span = changed(36, &"0".repeat(16));
        let two = format!("{EXAMPLE},{EXAMPLE}");
        for bad in [&zero_trace, &zero_span, &two, &format!("{EXAMPLE}-00"), &format!(" {EXAMPLE}"), "é", "0é-"] {
            assert_eq!(bad.parse::<TraceContext>(), Err(BadTraceContext), "{bad}");
        }
        assert!(changed(10, "é").parse::<TraceContext>().is_err());
    }
}
