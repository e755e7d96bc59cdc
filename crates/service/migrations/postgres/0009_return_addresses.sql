-- The way back from the widget to the client's own pages, and which clients a signed-in browser's user agreed to.

-- Addresses that a link token may name as its way back.
ALTER TABLE clients ADD COLUMN return_urls TEXT COLLATE "C" NOT NULL DEFAULT '[]';
-- One of them.
ALTER TABLE link_tokens ADD COLUMN return_url TEXT COLLATE "C";
-- The clients that the user allowed access, or bound an identifier of, in this session.
ALTER TABLE browser_sessions ADD COLUMN clients TEXT COLLATE "C" NOT NULL DEFAULT '[]';
