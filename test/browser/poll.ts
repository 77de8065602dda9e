/**
 * Assertions about a page: an action returns before React has rendered its result, so each is asked until it holds.
 * An assertion that something stays as it is needs a condition that comes after it, and no poll.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Test } from 'tap'
import { match } from 'tcompare'
import { eventually } from '../eventually.ts'

/** Milliseconds. A page that needs more is as good as stuck. */
const LONGEST = 60_000

type Read<T> = () => T | Promise<T>
type Message = [] | [string]

/**
 * tap's assertions over a value that is read again until it fits.
 * @example await poll(t).equal(() => field.innerText(), 'Kasse')
 */
export function poll(t: Test) {
  const until = async <T>(read: Read<T>, fits: (value: T) => boolean): Promise<T> => {
    let value: T
    await eventually(async () => fits((value = await read())), LONGEST)
    return value!
  }
  return {
    equal: async <T>(read: Read<T>, expected: NoInfer<T>, ...message: Message) =>
      t.equal(await until(read, value => Object.is(value, expected)), expected, ...message),
    not: async <T>(read: Read<T>, other: NoInfer<T>, ...message: Message) =>
      t.not(await until(read, value => !Object.is(value, other)), other, ...message),
    strictSame: async <T>(read: Read<T>, expected: NoInfer<T>, ...message: Message) =>
      t.strictSame(await until(read, value => isDeepStrictEqual(value, expected)), expected, ...message),
    match: async <T>(read: Read<T>, pattern: unknown, ...message: Message) =>
      t.match(await until(read, value => match(value, pattern).match), pattern as T, ...message),
    notMatch: async <T>(read: Read<T>, pattern: unknown, ...message: Message) =>
      t.notMatch(await until(read, value => !match(value, pattern).match), pattern as T, ...message),
    ok: async (read: Read<unknown>, ...message: Message) => t.ok(await until(read, Boolean), ...message),
    notOk: async (read: Read<unknown>, ...message: Message) => t.notOk(await until(read, value => !value), ...message),
  }
}
