/** The digest that binds a mark to a version of a text and of its source. */
import { hash } from 'node:crypto'
import { type Message, messageOf, partsOf } from './message.ts'

/** Hexadecimal digits of a digest. */
const DIGITS = 16

/**
 * The first 16 hexadecimal digits of SHA-256 over `[source, message]` as JSON without white space: a text is a string,
 * other messages have the members `text`, `cardinal` and `ordinal`, forms in CLDR's order.
 * @param source null for a text of the source language, and for a key that the source lacks
 */
export const textDigest = (source: Message | null, message: Message): string =>
  hash('sha256', JSON.stringify([source && canonicalMessage(source), canonicalMessage(message)])).slice(0, DIGITS)

const canonicalMessage = (message: Message): Message =>
  typeof message === 'string' ? message : messageOf(partsOf(message))
