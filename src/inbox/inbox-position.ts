/** A place in an inbox: a row in the news of a commit. */

/** The rows of a commit from number `n` on, and everything older. */
export interface InboxPosition {
  revision: string
  n: number
}

/** As the id of an item has it. */
export const positionText = ({ revision, n }: InboxPosition): string => `${revision}-${n}`

/** Reads the id of an item; undefined for a text that is none. */
export function readPosition(text: string): InboxPosition | undefined {
  const [, revision, n] = /^([0-9a-f]{40})-(0|[1-9]\d{0,5})$/.exec(text) ?? []
  return revision === undefined ? undefined : { revision, n: Number(n) }
}
