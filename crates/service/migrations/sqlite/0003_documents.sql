-- Invoices, receipts and mails that are kept with their orders.

-- Nodes of earlier versions would leave them behind when they remove a connection or give an order another number.
UPDATE store_compatibility SET oldest_version = 3;

CREATE TABLE order_documents (
    user_id      TEXT    NOT NULL,
    id           TEXT    NOT NULL, -- random
    connection   INTEGER NOT NULL, -- its number
    order_number INTEGER NOT NULL, -- `number` of the order
    size         INTEGER NOT NULL, -- bytes
    added_at     INTEGER NOT NULL,
    about        BLOB    NOT NULL, -- sealed: name, media type and digest
    PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX order_documents_of_order ON order_documents (user_id, connection, order_number);

-- The content, in pieces of the same size: a root key is replaced piece by piece.
CREATE TABLE document_blocks (
    user_id     TEXT    NOT NULL,
    document_id TEXT    NOT NULL,
    block       INTEGER NOT NULL, -- from 0
    content     BLOB    NOT NULL, -- sealed
    PRIMARY KEY (user_id, document_id, block),
    FOREIGN KEY (user_id, document_id) REFERENCES order_documents (user_id, id) ON DELETE CASCADE
) STRICT;
