//! The state of a sync, in blocks.

use std::time::Duration;

use chrono::TimeDelta;
use ordersync_api::SyncErrorCode;

use super::ingest::Shop;
use super::root_keys::ring;
use crate::store::db::{query, query_scalar};
use crate::store::syncs::finish::{End, Leftover};
use crate::store::syncs::lease::Held;
use crate::store::syncs::state::{BLOCK, SealedState};
use crate::store::syncs::steps::{After, Next, Unwritten};

#[test]
fn a_block_is_sealed_again_only_if_it_changed() {
    let keys = ring(&[1]);
    let mut state: Vec<u8> = (0..=250).cycle().take(10 * BLOCK + 7).collect();
    let mut first = SealedState::seal(&keys, "p", &state, None).unwrap();
    assert_eq!((first.count(), first.new.len()), (10, 10));
    assert_eq!(first.open(&keys, "p").unwrap()[..], state[..]);
    // What follows the blocks changes with each step.
    *state.last_mut().unwrap() += 1;
    first.is_written();
    let second = SealedState::seal(&keys, "p", &state, Some(&first)).unwrap();
    assert!(second.new.is_empty());
    assert_eq!(second.open(&keys, "p").unwrap()[..], state[..]);
    state[3 * BLOCK] += 1;
    state.extend_from_slice(&[0; BLOCK]);
    let third = SealedState::seal(&keys, "p", &state, Some(&second)).unwrap();
    assert_eq!(third.new, [3, 10]);
    assert_eq!(third.open(&keys, "p").unwrap()[..], state[..]);
    third.open(&keys, "q").unwrap_err();
    // What is not written yet is still to be written, however often the state is sealed again.
    let mut fourth = SealedState::seal(&keys, "p", &state, Some(&third)).unwrap();
    assert_eq!(fourth.new, third.new);
    fourth.is_written();
    assert!(SealedState::seal(&keys, "p", &state, Some(&fourth)).unwrap().new.is_empty());
    let small = SealedState::seal(&keys, "p", b"{}", Some(&third)).unwrap();
    assert_eq!((small.count(), small.open(&keys, "p").unwrap().as_slice()), (0, &b"{}"[..]));
    // A missing block is noticed.
    SealedState::of_stored(Vec::new(), vec![Vec::new()], 2).unwrap_err();
}

#[tokio::test]
async fn a_claim_has_the_state_that_the_last_commit_left_and_no_block_outlives_its_part() {
    let keys = ring(&[1]);
    let mut shop = Shop::new().await;
    let mut claim = shop.begin().await;
    let blocks = async |shop: &Shop| -> i64 {
        query_scalar("SELECT COUNT(*) FROM state_blocks").fetch_one(&shop.store.pool).await.unwrap()
    };
    for (length, kept) in [(3 * BLOCK + 5, 3), (5 * BLOCK, 5), (2 * BLOCK + 1, 5)] {
        let state = vec![u8::try_from(kept).unwrap(); length];
        let sealed = SealedState::seal(&keys, &claim.id, &state, claim.state.as_ref()).unwrap();
        let next = Next {
            state: Some(&sealed),
            wait: Duration::ZERO,
            left: TimeDelta::zero(),
            worked: Duration::ZERO,
            release: true,
            by_clock: false,
        };
        let after = shop.store.commit_steps(&claim, &shop.clock(), &Unwritten::default(), next).await.unwrap();
        assert_eq!(after, After::Released);
        assert_eq!(blocks(&shop).await, kept);
        claim = shop.claimed().await;
        assert_eq!(claim.state.as_ref().unwrap().open(&keys, &claim.id).unwrap()[..], state[..]);
    }
    let code = SyncErrorCode::RetailerTimeout;
    let end = End::Failed(code, code.message());
    let ended = shop.store.finish(&claim, &shop.clock(), end, Leftover::default()).await.unwrap();
    assert_eq!(ended, Held::Yes);
    assert_eq!(blocks(&shop).await, 0);
    assert!(!query("SELECT 1 FROM retailer_sessions WHERE state_blocks > 0").exists(&shop.store.pool).await.unwrap());
}
