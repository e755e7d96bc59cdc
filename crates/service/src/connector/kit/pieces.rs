//! How far the pieces of a line got: a line is shipped, or sent back, as soon as all of its pieces are.

use ordersync_api::{Open, ShipmentStatus};
use rust_decimal::Decimal;

/// Of the pieces of a line, how many were shipped, delivered and so on; 0 of what the shop does not show.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(in crate::connector) struct Pieces {
    pub(in crate::connector) shipped: Decimal,
    pub(in crate::connector) delivered: Decimal,
    pub(in crate::connector) cancelled: Decimal,
    pub(in crate::connector) returned: Decimal,
    pub(in crate::connector) refunded: Decimal,
    /// Struck from what was ordered. The shop does not say whether they came back, so the line has the status of its order.
    pub(in crate::connector) struck: Decimal,
}

impl Pieces {
    /// Whether some of them were sent or paid back.
    pub(super) fn are_undone(&self) -> bool {
        [self.returned, self.refunded, self.struck].iter().any(|pieces| !pieces.is_zero())
    }

    /// The status that all pieces have reached that were not cancelled; `None`: they have not reached one together.
    pub(super) fn status(&self, ordered: Decimal) -> Option<ShipmentStatus> {
        if ordered <= Decimal::ZERO {
            return None;
        }
        if self.cancelled >= ordered {
            return Some(ShipmentStatus::Cancelled);
        }
        let kept = ordered - self.cancelled;
        [
            (self.refunded, ShipmentStatus::Refunded),
            (self.returned, ShipmentStatus::Returned),
            (self.delivered, ShipmentStatus::Delivered),
            (self.shipped, ShipmentStatus::Shipped),
        ]
        .into_iter()
        .find_map(|(pieces, status)| (pieces >= kept).then_some(status))
    }
}

/// The status of a line: that of its order, unless its own pieces are further.
pub(super) fn status_of_line(
    order: Option<&Open<ShipmentStatus>>,
    own: Option<ShipmentStatus>,
) -> Option<Open<ShipmentStatus>> {
    use ShipmentStatus::{Delivered, Pending, Processing, Shipped, Unpaid};
    let is_further = |own: ShipmentStatus| match order {
        None => true,
        Some(Open::Known(order)) if own.is_undone() => !order.is_undone(),
        Some(Open::Known(Pending | Unpaid | Processing)) => true,
        Some(Open::Known(Shipped)) => own == Delivered,
        Some(Open::Known(_) | Open::Other(_)) => own.is_undone(),
    };
    own.filter(|own| is_further(*own)).map(Open::Known).or_else(|| order.cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(change: impl Fn(&mut Pieces)) -> Option<ShipmentStatus> {
        let mut pieces = Pieces::default();
        change(&mut pieces);
        pieces.status(Decimal::from(3))
    }

    #[test]
    fn a_line_is_where_all_of_its_pieces_are() {
        let (two, three) = (Decimal::from(2), Decimal::from(3));
        assert_eq!(pieces(|_| {}), None);
        assert_eq!(pieces(|pieces| pieces.shipped = two), None);
        assert_eq!(pieces(|pieces| pieces.shipped = three), Some(ShipmentStatus::Shipped));
        let rest = |pieces: &mut Pieces| (pieces.shipped, pieces.cancelled) = (two, Decimal::ONE);
        assert_eq!(pieces(rest), Some(ShipmentStatus::Shipped));
        assert_eq!(pieces(|pieces| pieces.cancelled = three), Some(ShipmentStatus::Cancelled));
        let back = |pieces: &mut Pieces| (pieces.shipped, pieces.delivered, pieces.returned) = (three, three, three);
        assert_eq!(pieces(back), Some(ShipmentStatus::Returned));
        assert_eq!(Pieces { shipped: three, ..Pieces::default() }.status(Decimal::ZERO), None);
        assert_eq!(pieces(|pieces| pieces.struck = three), None);
    }

    #[test]
    fn a_line_may_be_further_than_its_order_and_never_behind() {
        let of = |order: ShipmentStatus, own| status_of_line(Some(&Open::Known(order)), Some(own));
        let known = |status| Some(Open::Known(status));
        assert_eq!(of(ShipmentStatus::Processing, ShipmentStatus::Shipped), known(ShipmentStatus::Shipped));
        assert_eq!(of(ShipmentStatus::Shipped, ShipmentStatus::Delivered), known(ShipmentStatus::Delivered));
        assert_eq!(of(ShipmentStatus::Completed, ShipmentStatus::Shipped), known(ShipmentStatus::Completed));
        assert_eq!(of(ShipmentStatus::Completed, ShipmentStatus::Refunded), known(ShipmentStatus::Refunded));
        assert_eq!(of(ShipmentStatus::Refunded, ShipmentStatus::Cancelled), known(ShipmentStatus::Refunded));
        let other = Open::Other("at the depot".to_owned());
        assert_eq!(status_of_line(Some(&other), Some(ShipmentStatus::Shipped)), Some(other));
        assert_eq!(status_of_line(None, Some(ShipmentStatus::Shipped)), known(ShipmentStatus::Shipped));
    }
}
