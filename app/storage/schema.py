"""The schema of `chats.sqlite3`, in one place. `migrations` says how a file gets here.

Times are seconds since 1970, UTC. Ids are 32 hex digits, unique over all stores. `PRAGMA
user_version` is the schema's version and `PRAGMA application_id` marks the file as ours.
"""

APPLICATION_ID = 0x50414345  # "PACE"
FILE_NAME = "chats.sqlite3"

CHATS = """
CREATE TABLE chats (
    number        INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,
    title         TEXT NOT NULL,
    pinned        INTEGER NOT NULL,  -- 0 or 1
    folder        TEXT NOT NULL,     -- empty: none
    unread        INTEGER NOT NULL,  -- 0 or 1: a reply that nobody has seen yet
    created_at    REAL NOT NULL,
    changed_at    REAL NOT NULL,     -- when the last message was added
    deleted_at    REAL,              -- NULL: not deleted; else gone for good when purged
    chosen        TEXT NOT NULL,     -- JSON: ids of messages shown in place of newer versions
    sampling      TEXT,              -- JSON; NULL: as the engine does it unasked
    system_prompt TEXT NOT NULL,
    unsent        TEXT NOT NULL      -- what stands in the composer
)
"""

MESSAGES = """
CREATE TABLE messages (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,  -- in the order of writing; never used again
    id         TEXT NOT NULL UNIQUE,
    chat       TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    parent     TEXT,              -- id of the message it follows; NULL: it is the first. Versions
                                  -- of a message share it. No reference: a chain of a thousand
                                  -- cascades is more than SQLite follows
    role       TEXT NOT NULL,     -- system, user, assistant
    state      TEXT NOT NULL,     -- done, stopped, failed; while it is written queued, waiting,
                                  -- generating: whoever reads that at a start takes it for stopped
    created_at REAL NOT NULL,
    deleted_at REAL,              -- NULL: not deleted; else this message and all that follows it
    indexed    INTEGER NOT NULL DEFAULT 0,  -- 1: the search index holds this very text
    failure    TEXT NOT NULL,     -- why it failed, as a sentence
    text       TEXT NOT NULL
)
"""

MESSAGES_OF_CHAT = "CREATE INDEX messages_of_chat ON messages (chat, number)"
MESSAGES_TO_INDEX = "CREATE INDEX messages_to_index ON messages (number) WHERE indexed = 0"
MESSAGES_DELETED = (
    "CREATE INDEX messages_deleted ON messages (deleted_at) WHERE deleted_at IS NOT NULL"
)

REPLIES = """
CREATE TABLE replies (  -- how a message came to be, for those that a model made
    message      INTEGER PRIMARY KEY REFERENCES messages (number) ON DELETE CASCADE,
    model        TEXT NOT NULL,  -- path of the model's file
    quantisation TEXT NOT NULL,
    sampling     TEXT,           -- JSON, with the seed; NULL: not known
    stats        TEXT,           -- JSON: figures, stop reason, timings; NULL: it did not end well
    context_used INTEGER,        -- positions of the context; NULL: not known
    context_size INTEGER,
    tokens       BLOB,           -- ids, 32 bits each, little-endian; NULL: not known
    accepted     BLOB            -- runs of bytes of the text (UTF-8): first and one after the last,
                                 -- 32 bits each, little-endian
)
"""

VERSION_1 = (CHATS, MESSAGES, MESSAGES_OF_CHAT, MESSAGES_TO_INDEX, MESSAGES_DELETED, REPLIES)

CHAT_THINKING = "ALTER TABLE chats ADD COLUMN thinking INTEGER NOT NULL DEFAULT 1"
"""0: no; 1: as the model does unasked; 2: yes. It counts where a model leaves the choice."""

CHAT_PRESET = "ALTER TABLE chats ADD COLUMN preset TEXT NOT NULL DEFAULT ''"
"""The name of what `sampling` was changed from; empty: the preset that new chats begin with."""

VERSION_2 = (CHAT_THINKING, CHAT_PRESET)

REPLY_THOUGHT = "ALTER TABLE replies ADD COLUMN thought_s REAL"
"""Seconds that the reasoning took; NULL: there was none, or not to its end."""

VERSION_3 = (REPLY_THOUGHT,)

CHAT_DRAFTING = "ALTER TABLE chats ADD COLUMN drafting INTEGER NOT NULL DEFAULT 1"
"""1: its replies are drafted where a draft is chosen; 0: they are not."""

CHAT_LAST_UNSEEN = "ALTER TABLE chats ADD COLUMN last_unseen TEXT NOT NULL DEFAULT ''"
"""Id of the message up to which the model sees none; empty: it sees all."""

VERSION_4 = (CHAT_DRAFTING, CHAT_LAST_UNSEEN)

MEASUREMENTS = """
CREATE TABLE measurements (  -- comparisons and runs of the bench
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL,  -- comparison, bench
    record     TEXT NOT NULL   -- JSON, as it is exported
)
"""

VERSION_5 = (MEASUREMENTS,)

CHAT_SHOWS_ACCEPTED = "ALTER TABLE chats ADD COLUMN shows_accepted INTEGER NOT NULL DEFAULT 0"
"""1: what drafts had proposed is marked in its replies."""

CHAT_EDITS = "ALTER TABLE chats ADD COLUMN edits TEXT NOT NULL DEFAULT ''"
"""JSON: what is being said instead of own messages, by their ids; empty: of none."""

VERSION_6 = (CHAT_SHOWS_ACCEPTED, CHAT_EDITS)

SEARCH_INDEX = """
CREATE VIRTUAL TABLE IF NOT EXISTS search_1 USING fts5 (
    terms,  -- of the message whose number is the rowid; made by `search_terms`
    tokenize = "unicode61 categories 'L* M* N* Co'",
    prefix = '1 2 3'
)
"""
"""Kept beside the versions above: it is derived, and made only where SQLite has FTS5."""
