/** What SQLite said under better-auth: it makes errors of its own of some of SQLite's, from which nobody could tell that the disk is full. */
import type { Failure } from '../bundle/errors.ts'
import { type Database, databaseFailure } from './database.ts'

const RUNNING = new Set<string | symbol>(['run', 'get', 'all', 'iterate'])

/** See the top of the file. */
export class NotedFailures {
  /** How many there were. */
  count = 0
  /** The newest of them. */
  last: Failure | undefined

  /** The same database, whose statements are noted when the disk fails them. */
  watch(database: Database): Database {
    return new Proxy(database, {
      get: (target, name) => {
        if (name === 'prepare') return (sql: string) => this.#watched(target.prepare(sql))
        return bound(target, name)
      },
    })
  }

  #watched<T extends object>(statement: T): T {
    return new Proxy(statement, {
      get: (target, name) => {
        const value = bound(target, name)
        return RUNNING.has(name) ? (...given: unknown[]) => this.#noted(() => (value as Run)(...given)) : value
      },
    })
  }

  #noted<T>(run: () => T): T {
    try {
      return run()
    } catch (error) {
      const failure = databaseFailure(error)
      if (failure) {
        this.count++
        this.last = failure
      }
      throw error
    }
  }
}

type Run = (...given: unknown[]) => unknown

/** A property as its owner has it: what is native takes no proxy for it. */
function bound(target: object, name: string | symbol): unknown {
  const value = Reflect.get(target, name, target)
  return typeof value === 'function' ? value.bind(target) : value
}
