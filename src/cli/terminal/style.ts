/** Colours by `NO_COLOR`, `FORCE_COLOR` and the kind of the stream. */
import { styleText } from 'node:util'
import { asOwn } from './printable.ts'

/** `style('red', 'text')`: the names are those of `util.styleText`. */
export type Style = (format: Parameters<typeof styleText>[0], text: string) => string

/** @param stream decides on colours */
export const makeStyle =
  (stream: NodeJS.WriteStream): Style =>
  (format, text) =>
    asOwn(styleText(format, text, { stream }))
