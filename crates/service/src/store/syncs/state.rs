//! The state of a sync between two steps, sealed in blocks. Most of a large one is the order list, which comes first and grows at its end
//! alone: a step writes what follows the last block, and the blocks that changed.

use std::sync::Arc;

use zeroize::Zeroizing;

use crate::connector::ConnectorState;
use crate::keys::{Keys, Place, Unsealable};
use crate::store::db::{query, query_scalar};
use crate::store::{StoreError, Write, stored};

/// The place of a part's state, or of what follows its blocks.
pub(crate) const STATE: &str = "retailer_sessions.state";
/// The place of a block.
pub(crate) const STATE_BLOCK: &str = "state_blocks.content";
/// The bytes of a block.
pub(in crate::store) const BLOCK: usize = 16 * 1024;

/// A state, sealed.
#[derive(Debug, Clone, Default)]
pub(crate) struct SealedState {
    blocks: Vec<Arc<Vec<u8>>>,
    /// Which of the blocks the store does not have.
    pub(in crate::store) new: Vec<usize>,
    /// What follows them.
    pub(in crate::store) rest: Vec<u8>,
}

impl SealedState {
    /// Seals a part's state. Blocks that are as they were `before` stay so, and are still new if they are not written yet.
    pub(crate) fn seal(keys: &Keys, part_id: &str, state: &[u8], before: Option<&Self>) -> Result<Self, StoreError> {
        let whole = state.chunks_exact(BLOCK);
        let mut sealed =
            Self { rest: keys.seal(&Place { column: STATE, row: part_id }, whole.remainder())?, ..Self::default() };
        for (index, block) in whole.enumerate() {
            let row = row_of(part_id, index);
            let place = Place { column: STATE_BLOCK, row: &row };
            let is_same = |known: &&Arc<Vec<u8>>| keys.open(&place, known).is_ok_and(|opened| opened[..] == *block);
            let known = before.and_then(|before| before.blocks.get(index)).filter(is_same);
            if known.is_none() || before.is_some_and(|before| before.new.contains(&index)) {
                sealed.new.push(index);
            }
            sealed.blocks.push(match known {
                Some(known) => Arc::clone(known),
                None => Arc::new(keys.seal(&place, block)?),
            });
        }
        Ok(sealed)
    }

    /// All blocks are in the store now.
    pub(crate) fn is_written(&mut self) {
        self.new.clear();
    }

    pub(crate) fn open(&self, keys: &Keys, part_id: &str) -> Result<ConnectorState, Unsealable> {
        let rest = keys.open(&Place { column: STATE, row: part_id }, &self.rest)?;
        let mut state = Zeroizing::new(Vec::with_capacity(self.blocks.len() * BLOCK + rest.len()));
        for (index, block) in self.blocks.iter().enumerate() {
            let row = row_of(part_id, index);
            state.extend_from_slice(&keys.open(&Place { column: STATE_BLOCK, row: &row }, block)?);
        }
        state.extend_from_slice(&rest);
        Ok(state)
    }

    /// A state as it is stored: the part's row says how many blocks there are.
    pub(in crate::store) fn of_stored(rest: Vec<u8>, blocks: Vec<Vec<u8>>, count: i64) -> Result<Self, StoreError> {
        if stored(blocks.len()) != count {
            return Err(StoreError::Corrupt("state of a sync"));
        }
        Ok(Self { blocks: blocks.into_iter().map(Arc::new).collect(), new: Vec::new(), rest })
    }

    pub(in crate::store) fn count(&self) -> i64 {
        stored(self.blocks.len())
    }

    /// Writes the blocks that the store does not have.
    pub(in crate::store) async fn write_blocks(
        &self,
        tx: &mut Write,
        user_id: &str,
        part_id: &str,
    ) -> Result<(), StoreError> {
        for index in &self.new {
            query(
                "INSERT INTO state_blocks (user_id, retailer_session_id, block, content) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (user_id, retailer_session_id, block) DO UPDATE SET content = excluded.content",
            )
            .bind_all((user_id, part_id, stored(*index), &self.blocks[*index][..]))
            .execute(&mut *tx)
            .await?;
        }
        Ok(())
    }
}

/// The row that a block is sealed for.
fn row_of(part_id: &str, index: usize) -> String {
    format!("{part_id}/{index}")
}

/// The first `count` blocks of a part; an earlier, larger state may have left more.
pub(in crate::store) async fn blocks_of(
    tx: &mut Write,
    user_id: &str,
    part_id: &str,
    count: i64,
) -> Result<Vec<Vec<u8>>, StoreError> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let blocks = "SELECT content FROM state_blocks WHERE user_id = $1 AND retailer_session_id = $2 AND block < $3 ORDER BY block";
    Ok(query_scalar(blocks).bind_all((user_id, part_id, count)).fetch_all(tx).await?)
}

pub(in crate::store) async fn delete_blocks(tx: &mut Write, user_id: &str, part_id: &str) -> Result<(), StoreError> {
    let delete = query("DELETE FROM state_blocks WHERE user_id = $1 AND retailer_session_id = $2");
    delete.bind_all((user_id, part_id)).run(tx).await
}
