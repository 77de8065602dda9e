/** SQLite's driver, in the build that fits the running Node. */
import { createRequire } from 'node:module'
import type BetterSqlite3 from 'better-sqlite3'

/** An open database. */
export type Database = BetterSqlite3.Database

/**
 * better-sqlite3 12 aborts the process on Node 24.19 and newer: its statements remove a cleanup hook when they are collected, which Node
 * takes for a fatal error while no JavaScript runs. Version 13 is built on Node-API 10, where that is well; but Node 20 has Node-API 9
 * and crashes on it. Both speak the same interface.
 */
const PACKAGE = Number(process.versions.napi) >= 10 ? 'better-sqlite3-napi' : 'better-sqlite3'

/** Opens a database: `new Sqlite(file)`. */
export const Sqlite: typeof BetterSqlite3 = createRequire(import.meta.url)(PACKAGE)
