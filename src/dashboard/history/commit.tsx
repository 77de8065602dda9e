/** One commit of a history. */
import { ChevronDown, ChevronUp, Undo2 } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Revision } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { useFocusReturn } from '../ui/focus.ts'
import { CopyButton } from '../ui/snippet.tsx'
import { When } from '../ui/when.tsx'
import { ChangeList } from './change-list.tsx'
import { commitWords } from './commit-words.ts'
import { Counted } from './counted.tsx'
import { DiffPages } from './diff-pages.tsx'
import styles from './history.module.css'
import { RestoreButton } from './restore-button.tsx'
import { Undo } from './undo.tsx'
import type { HistoryFilter } from './use-history.ts'

interface Props {
  slug: string
  commit: Revision
  wanted: HistoryFilter
  /** Open from the beginning. */
  isOpened: boolean
  /** Whether it is among those to undo together. */
  isChosen: boolean
  onChoose: (isChosen: boolean) => void
}

/** A sentence with its author as a link. */
const Authored = ({ name, around: [before, after] }: { name: ReactNode; around: [string, string] }) => (
  <>
    {before}
    {name}
    {after}
  </>
)

/** Who, when and what; opened, the changes with what can be done about them. */
export function Commit({ slug, commit, wanted, isOpened, isChosen, onChoose }: Props) {
  const { t } = useTranslation('history')
  const [open, setOpen] = useState(isOpened)
  const [undoing, undo] = useState(false)
  const content = useId()
  // It leads to another list in the place of this one.
  const person = useFocusReturn<HTMLAnchorElement>()
  const { revision, author, date, changes } = commit
  const { words, sentence, around } = useCommitWords(slug)
  const what = words(commit.subject)
  const subject = sentence(commit)
  const name = (
    <a ref={person} href={`#/projects/${encodeURIComponent(slug)}/history?author=${encodeURIComponent(author.email)}`}>
      {author.name}
    </a>
  )
  const ofKey = commit.key !== undefined && commit.language !== undefined
  return (
    <li>
      <div className={styles.commit}>
        <Checkbox isSelected={isChosen} onChange={onChoose} aria-label={t('choose', { subject })} />
        <div className={styles.subject}>
          <span className={styles.title}>
            {what === undefined ? subject : <Authored name={name} around={around(what)} />}
          </span>
          <span className={styles.about}>
            {what === undefined && name}
            <When date={date} />
            <code>{revision.slice(0, 8)}</code>
            {!ofKey && <Counted counts={changes} />}
          </span>
        </div>
        <Button
          look="quiet"
          icon={open ? <ChevronUp aria-hidden /> : <ChevronDown aria-hidden />}
          aria-label={t('changesOf', { subject })}
          aria-expanded={open}
          aria-controls={content}
          onPress={() => setOpen(!open)}
        />
      </div>
      {ofKey && (
        <div className={styles.opened}>
          <ChangeList
            slug={slug}
            changes={[
              {
                language: commit.language!,
                namespace: wanted.namespace!,
                key: commit.key!,
                before: commit.before ?? null,
                after: commit.after ?? null,
              },
            ]}
          />
        </div>
      )}
      {open && (
        <div className={styles.opened} id={content}>
          <span className={styles.filters}>
            <Button small icon={<Undo2 aria-hidden />} onPress={() => undo(true)}>
              {t('undo')}
            </Button>
            <RestoreButton slug={slug} at={revision} wanted={wanted} label={t('restoreThis')} />
            <CopyButton text={revision} label={t('copyRevision')} />
          </span>
          {!ofKey && (
            <DiffPages
              slug={slug}
              from={`${revision}^`}
              to={revision}
              isCounted={changes !== null}
              {...(wanted.language !== undefined && { language: wanted.language })}
              {...(wanted.namespace !== undefined && { namespace: wanted.namespace })}
            />
          )}
        </div>
      )}
      {undoing && <Undo slug={slug} revisions={[revision]} subject={subject} onClose={() => undo(false)} />}
    </li>
  )
}

/** The parts of a commit that a sentence needs. */
interface DescribedCommit {
  subject: string
  author: { name: string }
}

/** Sentences about the commits of one project. */
interface CommitDescriber {
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
function useCommitWords(slug: string): CommitDescriber {
  const { t, i18n } = useTranslation('commits')
  const words = (subject: string) => commitWords(subject, slug, { t, reader: i18n.language })
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
