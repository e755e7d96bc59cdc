-- Invoices, receipts and mails that are kept with their orders.

-- Nodes of earlier versions would leave them behind when they remove a connection or give an order another number.
SELECT admit_from(3);

CREATE TABLE order_documents (
    user_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL, -- random
    connection BIGINT NOT NULL, -- its number
    order_number BIGINT NOT NULL, -- `number` of the order
    size BIGINT NOT NULL, -- bytes
    added_at BIGINT NOT NULL,
    about BYTEA NOT NULL, -- sealed: name, media type and digest
    PRIMARY KEY (user_id, id)
);
CREATE INDEX order_documents_of_order ON order_documents (user_id, connection, order_number);

-- The content, in pieces of the same size: a root key is replaced piece by piece.
CREATE TABLE document_blocks (
    user_id TEXT COLLATE "C" NOT NULL,
    document_id TEXT COLLATE "C" NOT NULL,
    block BIGINT NOT NULL, -- from 0
    content BYTEA NOT NULL, -- sealed
    PRIMARY KEY (user_id, document_id, block),
    FOREIGN KEY (user_id, document_id) REFERENCES order_documents (user_id, id) ON DELETE CASCADE
);
