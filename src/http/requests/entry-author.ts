/** The caller as the author of an entry beside a bundle. */
import type { Caller } from '../../auth/access.ts'
import { type EntryAuthor, MAX_AUTHOR } from '../../bundle/entry-author.ts'
import { cleanLine } from '../../bundle/names.ts'

/** An older name may hold what a line refuses now. */
export const entryAuthor = ({ id, name }: Caller): EntryAuthor => ({ id, name: cleanLine(name, MAX_AUTHOR) ?? id })
