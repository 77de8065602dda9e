/** SQLite's driver: the one place that imports it. */
import BetterSqlite3 from 'better-sqlite3'

/** An open database. */
export type Database = BetterSqlite3.Database

/** Opens a database: `new Sqlite(file)`. */
export const Sqlite: typeof BetterSqlite3 = BetterSqlite3
