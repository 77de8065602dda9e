/** Commits to look at, and to undo. */
import { ChevronDown, ChevronUp } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Revision } from '../api/client.ts'
import { isNotFound, useManifest } from '../api/queries.ts'
import type { LiveChange } from '../live/changes.ts'
import { onChange } from '../live/live.ts'
import { NoProject } from '../project/project-frame.tsx'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { useFocusReturn } from '../ui/focus.ts'
import { Form, TextField, useSubmission, Wrong } from '../ui/form.tsx'
import { Notice } from '../ui/notice.tsx'
import { Empty, Loaded } from '../ui/page.tsx'
import { CopyButton } from '../ui/snippet.tsx'
import { When } from '../ui/when.tsx'
import { ChangeList, Counted, DiffPages, ShowMore } from './changes.tsx'
import { commitWords } from './commit-words.ts'
import styles from './history.module.css'
import { RestoreButton, UndoButton } from './revert.tsx'
import { type HistoryFilter, MOST_TOGETHER, revisionsSince, useHistory } from './use-history.ts'

interface Props {
  slug: string
  wanted: HistoryFilter
  /** The revision of the commit that is open from the beginning. */
  opened: string | undefined
}

/** Commits by day, newest first. Each opens to its changes, and several can be undone as one. */
export function Commits({ slug, wanted, opened }: Props) {
  const { t, i18n } = useTranslation('history')
  const history = useHistory(slug, wanted)
  const manifest = useManifest(slug)
  const commits = history.data?.pages.flatMap(({ revisions }) => revisions) ?? []
  const [fresh, seen] = useNewCommits(slug, wanted, new Set(commits.map(({ revision }) => revision)))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const choose = (revision: string, isChosen: boolean) =>
    setChosen(chosen => new Set([...chosen, revision].filter(one => isChosen || one !== revision)))
  // The server reports a language that the project never had.
  if (isNotFound(history.error) && isNotFound(manifest.error)) return <NoProject slug={slug} />
  const day = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'full' })
  const days = Map.groupBy(commits, ({ date }) => day.format(new Date(date)))
  return (
    <>
      {wanted.author !== undefined && <Since slug={slug} wanted={wanted} onChoose={setChosen} />}
      <Loaded read={history} lines={8}>
        {() =>
          commits.length === 0 ? (
            <Empty title={t('none')}>{t('noneWhy')}</Empty>
          ) : (
            <div className={styles.days}>
              {[...days].map(([name, commits]) => (
                <section key={name} className="stack2">
                  <h2>{name}</h2>
                  <ul className={styles.commits}>
                    {commits.map(commit => (
                      <Commit
                        key={`${commit.revision}${commit.language ?? ''}`}
                        slug={slug}
                        commit={commit}
                        wanted={wanted}
                        isOpened={commit.revision === opened}
                        isChosen={chosen.has(commit.revision)}
                        onChoose={isChosen => choose(commit.revision, isChosen)}
                      />
                    ))}
                  </ul>
                </section>
              ))}
              <ShowMore of={history} />
            </div>
          )
        }
      </Loaded>
      {(fresh > 0 || chosen.size > 0) && (
        <div className={styles.bar}>
          {fresh > 0 && (
            <Button
              small
              isPending={history.isFetching}
              onPress={() => {
                seen()
                void history.refetch()
                scrollTo({ top: 0 })
              }}
            >
              {t('showNew', { count: fresh })}
            </Button>
          )}
          {chosen.size > 0 && (
            <>
              <span>{t('chosen', { count: chosen.size })}</span>
              <UndoButton
                slug={slug}
                revisions={[...chosen]}
                subject={t('commits', { count: chosen.size })}
                title={t('undoCommits', { count: chosen.size })}
                words={t('undoChosen')}
                look="primary"
                isDisabled={chosen.size > MOST_TOGETHER}
                onDone={() => setChosen(new Set())}
              />
              <Button small look="quiet" onPress={() => setChosen(new Set())}>
                {t('chooseNone')}
              </Button>
            </>
          )}
        </div>
      )}
    </>
  )
}

/** Marks the place of the author in a sentence. No text of a commit contains it. */
const NAME = '\u0000'

interface CommitProps {
  slug: string
  commit: Revision
  wanted: HistoryFilter
  /** Open from the beginning. */
  isOpened: boolean
  /** Whether it is among those to undo together. */
  isChosen: boolean
  onChoose: (isChosen: boolean) => void
}

/** Who, when and what; opened, the changes with what can be done about them. */
function Commit({ slug, commit, wanted, isOpened, isChosen, onChoose }: CommitProps) {
  const { t } = useTranslation('history')
  const { t: inCommits, i18n } = useTranslation('commits')
  const [open, setOpen] = useState(isOpened)
  const content = useId()
  // It leads to another list in the place of this one.
  const person = useFocusReturn<HTMLAnchorElement>()
  const { revision, author, date, changes, language, key, before = null, after = null } = commit
  const what = commitWords(commit.subject, slug, { t: inCommits, reader: i18n.language })
  const sentence = (name: string) => (what === undefined ? commit.subject : inCommits('by', { name, what }))
  const subject = sentence(author.name)
  const [start, end] = sentence(NAME).split(NAME)
  const name = (
    <a ref={person} href={`#/projects/${encodeURIComponent(slug)}/history?author=${encodeURIComponent(author.email)}`}>
      {author.name}
    </a>
  )
  const ofKey = key !== undefined && language !== undefined
  return (
    <li>
      <div className={styles.commit}>
        <Checkbox isSelected={isChosen} onChange={onChoose} aria-label={t('choose', { subject })} />
        <div className="stack1">
          <span className={styles.title}>
            {start}
            {what !== undefined && name}
            {end}
          </span>
          <span className={styles.about}>
            {what === undefined && name}
            <When date={date} />
            <code>{revision.slice(0, 8)}</code>
            {!ofKey && changes && <Counted counts={changes} />}
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
        <div className={`stack4 ${styles.opened}`}>
          <ChangeList slug={slug} changes={[{ language, namespace: wanted.namespace!, key, before, after }]} />
        </div>
      )}
      {open && (
        <div className={`stack4 ${styles.opened}`} id={content}>
          <span className={styles.filters}>
            <UndoButton slug={slug} revisions={[revision]} subject={subject} />
            <RestoreButton slug={slug} at={revision} part={wanted} label={t('restoreThis')} />
            <CopyButton text={revision} label={t('copyRevision')} />
          </span>
          {!ofKey && (
            <DiffPages slug={slug} from={`${revision}^`} to={revision} part={wanted} isCounted={changes !== null} />
          )}
        </div>
      )}
    </li>
  )
}

interface SinceProps {
  slug: string
  wanted: HistoryFilter
  onChoose: (revisions: ReadonlySet<string>) => void
}

/** Chooses all that one person did since a time, at first the beginning of today. */
function Since({ slug, wanted, onChoose }: SinceProps) {
  const { t } = useTranslation('history')
  // A Swedish date is an ISO 8601 date.
  const [time, setTime] = useState(() => `${new Date().toLocaleDateString('sv')}T00:00`)
  const [note, setNote] = useState('')
  const { pending, problem, send } = useSubmission()
  const choose = () =>
    send(async () => {
      setNote('')
      const found = await revisionsSince(slug, wanted, new Date(time).getTime())
      onChoose(found)
      announce(t('chosen', { count: found.size }))
      if (found.size === 0) setNote(t('noneSince'))
      if (found.size === MOST_TOGETHER) setNote(t('mostChosen', { count: MOST_TOGETHER }))
    })
  return (
    <>
      <Form className={styles.filters} onSubmit={choose} native>
        <TextField label={t('since')} type="datetime-local" value={time} onChange={setTime} isRequired />
        <Button type="submit" isPending={pending} isDisabled={time === ''}>
          {t('chooseAll')}
        </Button>
      </Form>
      {note !== '' && <Notice>{note}</Notice>}
      <Wrong problem={problem} />
    </>
  )
}

/** Whether a commit may belong to a history. Events do not name the changed keys. */
function mayBelong(change: LiveChange, slug: string, { language, namespace, author }: HistoryFilter): boolean {
  if (author !== undefined && change.author.email !== author) return false
  const own = change.bundles.filter(({ project }) => (project ?? change.project) === slug)
  if (language === undefined && namespace === undefined) return change.project === slug || own.length > 0
  return own.some(bundle => (language ?? bundle.language) === language && (namespace ?? bundle.namespace) === namespace)
}

/**
 * Counts new commits and announces them to screen readers.
 * @param known revisions that are shown @returns their number, and what to call when they are read
 */
function useNewCommits(slug: string, wanted: HistoryFilter, known: ReadonlySet<string>): [number, () => void] {
  const { t } = useTranslation('history')
  const [heard, setHeard] = useState<readonly string[]>([])
  useEffect(
    () =>
      onChange(event => {
        if (event.event === 'change' && mayBelong(event.change, slug, wanted))
          setHeard(heard => [...heard, event.change.revision])
      }),
    [slug, wanted],
  )
  const count = new Set(heard.filter(revision => !known.has(revision))).size
  useEffect(() => {
    if (count > 0) announce(t('newCommits', { count }))
  }, [count, t])
  return [count, () => setHeard([])]
}
