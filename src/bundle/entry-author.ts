/** The author of an entry beside a bundle, such as a comment or a mark. Git forgets nothing: no e-mail address. */
import { isObject } from './body.ts'
import { lineFault } from './names.ts'

/** A user or an API token, with its name at that time. */
export interface EntryAuthor {
  id: string
  name: string
}

/** Maximum characters of each. */
export const MAX_AUTHOR = 100

/** What is wrong with an author of an entry. @param alternative words for another form that is accepted */
export function authorFault(by: unknown, alternative = ''): string | undefined {
  if (!isObject(by) || Object.keys(by).length !== 2) return `"by" must ${alternative}have "id" and "name" alone`
  return authorLineFault(by.id, '"by.id"') ?? authorLineFault(by.name, '"by.name"')
}

/** What is wrong with the id or the name of an author. @param named the member, for a sentence */
export function authorLineFault(value: unknown, named: string): string | undefined {
  const fault = typeof value === 'string' ? lineFault(value, MAX_AUTHOR) : 'must be a string'
  return fault && `${named} ${fault}`
}
