/** Commits as sentences of the reader's language. */
import { useTranslation } from 'react-i18next'
import { isolated } from '../ui/isolated.tsx'
import { commitWords } from './commit-words.ts'

/** The parts of a commit that a sentence needs. */
export interface DescribedCommit {
  subject: string
  author: { name: string }
}

/** Sentences about the commits of one project. */
export interface CommitDescriber {
  /** What it did, without its author; undefined for a message of a person's own. */
  words: (subject: string) => string | undefined
  /** The author and what they did, or the message. */
  sentence: (commit: DescribedCommit) => string
  /** The sentence without the author's name: the text before it and behind it. */
  around: (words: string) => [before: string, after: string]
}

/** No text of a commit holds it. */
const NAME = '\u0000'

/** @param slug of the project that the history belongs to */
export function useCommitWords(slug: string): CommitDescriber {
  const { t, i18n } = useTranslation('commits')
  const words = (subject: string) => commitWords(subject, slug, { t, reader: i18n.language, isolated })
  const around = (what: string): [string, string] => {
    const [before = '', after = ''] = t('by', { name: NAME, what }).split(NAME)
    return [before, after]
  }
  const sentence = ({ subject, author }: DescribedCommit) => {
    const what = words(subject)
    return what === undefined ? subject : t('by', { name: author.name, what })
  }
  return { words, sentence, around }
}
