/** The first text of a project in one language, as it is stored. */
import { useQuery } from '@tanstack/react-query'
import { linesOf, partsOf } from '../../bundle/message.ts'
import { answer } from '../api/answer.ts'
import { getKey, type Message } from '../api/client.ts'
import { isNotFound } from '../api/queries.ts'

interface FirstText {
  slug: string
  /** BCP 47 */
  language: string
  namespace: string
  /** The key, or the name of a plural form; '' while there is none. */
  name: string
}

/** A query of the text; '' before it is written. */
export function useFirstText({ slug, language, namespace, name }: FirstText) {
  return useQuery({
    queryKey: ['project', slug, 'first-text', language, namespace, name],
    queryFn: async () => {
      if (name === '') return ''
      try {
        const { key, message } = await answer(getKey({ slug, language, $namespace: namespace, key: name }))
        return textAt(name.slice(key.length), message)
      } catch (error) {
        if (isNotFound(error)) return ''
        throw error
      }
    },
  })
}

/** The text, or the one form of a plural that was written. @param ending of the form's name; '' for the text */
const textAt = (ending: string, message: Message): string =>
  linesOf(partsOf(message)).find(([written]) => written === ending)?.[1] ?? ''
