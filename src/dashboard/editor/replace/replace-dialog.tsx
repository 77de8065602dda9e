/** Replaces in several texts by one commit. */
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { subjectText } from '../../../bundle/commit-subject.ts'
import { problemOf } from '../../api/answer.ts'
import { useManifest } from '../../api/queries.ts'
import { languageName } from '../../i18n/languages.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Dialog, SubmitActions } from '../../ui/dialog.tsx'
import { Diff } from '../../ui/diff.tsx'
import { Form, TextField, useSubmission } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useEditor } from '../editor-context.ts'
import { sentenceOf } from '../field/fault-sentence.ts'
import { useChanging } from '../keys/key-tasks.ts'
import type { Columns, EditorRow } from '../model/rows.ts'
import { apply, PreviewOutdated } from './apply.ts'
import { candidatesIn, changesOf, type ReplaceCandidate, type TextReplacement } from './changes.ts'
import styles from './replace.module.css'
import type { ReplaceQuery } from './replacer.ts'
import type { ReplaceReply, ReplaceRequest } from './worker.ts'

/** `Invalid regular expression: /(/gu: Unterminated group` ends in the reason, in the browser's words. */
const reasonIn = (message: string) => message.split(': ').at(-1)!

const SWITCHES = ['matchCase', 'wholeWords', 'isRegExp'] as const
const NOTHING: ReplaceQuery = { find: '', replace: '', isRegExp: false, matchCase: false, wholeWords: false }

interface Props {
  /** The rows that match the filter. */
  rows: readonly EditorRow[]
  /** How many there are. */
  all: number
  onClose: () => void
}

/** Shows every change with a checkbox; the checked ones become one commit. */
export default function ReplaceDialog({ rows, all, onClose }: Props) {
  const { t, i18n } = useTranslation('keys')
  const { slug, columns } = useEditor()
  const change = useChanging()
  const { pending, problem, send } = useSubmission({
    sentence: error => (error instanceof PreviewOutdated ? t('outdated', { key: error.message }) : problemOf(error, t)),
  })
  const [query, setQuery] = useState(NOTHING)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(columns.targets))
  const candidates = useMemo(() => candidatesIn(rows, columns.targets, chosen), [rows, columns.targets, chosen])
  const found = useChanges(query, candidates, columns)
  // Changes that the user toggled. A change with a fault is unchecked at first.
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set())
  const changes = found.is === 'done' ? found.changes : []
  const selected = changes.filter(({ id, checks, refused }) => !refused && (checks.length === 0) !== turned.has(id))
  const edit = (changed: Partial<ReplaceQuery>) => {
    setQuery({ ...query, ...changed })
    setTurned(new Set())
  }
  const replace = async () => {
    if (selected.length === 0) return
    const count = selected.length
    const message = subjectText({ slug, kind: 'replace', find: query.find, by: query.replace, count })
    const write = () => apply(slug, selected, message)
    if (await send(() => change(write, () => t('replaced', { count })))) onClose()
  }
  return (
    <Dialog title={t('replaceIn')} isOpen onClose={onClose} wide>
      <Form onSubmit={() => void replace()}>
        <p className={styles.where}>
          {rows.length === all ? t('inAll', { count: all }) : t('inShown', { count: rows.length })}
        </p>
        <div className={styles.query}>
          <TextField
            label={t('find')}
            value={query.find}
            onChange={find => edit({ find })}
            code={query.isRegExp}
            autoFocus
            autoComplete="off"
          />
          <TextField
            label={t('replaceBy')}
            value={query.replace}
            onChange={replace => edit({ replace })}
            code={query.isRegExp}
            autoComplete="off"
          />
        </div>
        <div className={styles.switches}>
          {SWITCHES.map(name => (
            <Checkbox key={name} isSelected={query[name]} onChange={on => edit({ [name]: on })}>
              {t(name)}
            </Checkbox>
          ))}
        </div>
        {columns.targets.length > 1 && (
          <fieldset className={styles.switches}>
            <legend>{t('common:languages')}</legend>
            {columns.targets.map(language => (
              <Checkbox
                key={language}
                isSelected={chosen.has(language)}
                onChange={on =>
                  setChosen(new Set(on ? [...chosen, language] : [...chosen].filter(one => one !== language)))
                }
              >
                {languageName(language, i18n.language)} ({language})
              </Checkbox>
            ))}
          </fieldset>
        )}
        <div aria-live="polite" className={styles.said}>
          {(found.is === 'slow' || found.is === 'notStarted') && <Notice kind="bad">{t(found.is)}</Notice>}
          {found.is === 'wrong' && <Notice kind="bad">{t('wrongPattern', { why: reasonIn(found.why) })}</Notice>}
          {found.is === 'done' &&
            (changes.length === 0
              ? t('nothingFound')
              : t('foundIn', { count: changes.length, taken: selected.length }))}
        </div>
        {changes.length > 0 && (
          <Preview
            changes={changes}
            selected={new Set(selected)}
            onSelect={(changes, isSelected) => {
              const ids = new Set(changes.map(({ id }) => id))
              const now = changes.filter(({ checks }) => isSelected !== (checks.length === 0)).map(({ id }) => id)
              setTurned(new Set([...[...turned].filter(id => !ids.has(id)), ...now]))
            }}
          />
        )}
        <SubmitActions problem={problem} isPending={pending} isDisabled={selected.length === 0} onCancel={onClose}>
          {t('replaceNow', { count: selected.length })}
        </SubmitActions>
      </Form>
    </Dialog>
  )
}

/** The number of changes that each click adds. */
const PAGE = 100

interface PreviewProps {
  changes: readonly TextReplacement[]
  selected: ReadonlySet<TextReplacement>
  onSelect: (changes: readonly TextReplacement[], isSelected: boolean) => void
}

/** The changes, each with a checkbox. Those that are not rendered yet are part of the number. */
function Preview({ changes, selected, onSelect }: PreviewProps) {
  const { t } = useTranslation('keys')
  const { slug, t: tEditor, columns } = useEditor()
  const hasNamespaces = (useManifest(slug).data?.namespaces.length ?? 0) > 1
  const [most, setMost] = useState(PAGE)
  const possible = changes.filter(({ refused }) => !refused)
  return (
    <div className={`stack2 ${styles.preview}`}>
      <Checkbox
        isSelected={selected.size > 0 && selected.size === possible.length}
        isIndeterminate={selected.size > 0 && selected.size < possible.length}
        isDisabled={possible.length === 0}
        onChange={on => onSelect(possible, on)}
      >
        {t('all')}
      </Checkbox>
      <ul className={styles.changes}>
        {changes.slice(0, most).map(change => (
          <li key={change.id} className="stack1">
            <Checkbox
              isSelected={selected.has(change)}
              isDisabled={change.refused}
              onChange={on => onSelect([change], on)}
            >
              <code>{change.key + change.ending}</code>
              {hasNamespaces && <span className="quiet"> {change.namespace}</span>}
              {columns.targets.length > 1 && <span className="quiet"> {change.language}</span>}
            </Checkbox>
            <Diff before={change.text} after={change.after} language={change.language} />
            {change.after === '' && <Warning sentence={t('wouldBeEmpty')} />}
            {change.checks.map(check => (
              <Warning key={JSON.stringify(check)} sentence={sentenceOf(check, tEditor)} />
            ))}
          </li>
        ))}
      </ul>
      {changes.length > most && (
        <Button small onPress={() => setMost(most + PAGE)}>
          {t('showMore', { count: Math.min(PAGE, changes.length - most) })}
        </Button>
      )}
    </div>
  )
}

const Warning = ({ sentence }: { sentence: string }) => (
  <p className={styles.warning} data-sign="problems">
    {sentence}
  </p>
)

/** Ms of rest after a key press before the search starts. */
const REST_MS = 200
/** Maximum ms of the replacement from its start. */
const MOST_MS = 2000

type ReplaceProgress =
  | { is: 'nothing' | 'asking' | 'slow' | 'notStarted' }
  | { is: 'wrong'; why: string }
  | { is: 'done'; changes: readonly TextReplacement[] }

/** The changes while the user types. @param candidates the same array as long as they are the same */
function useChanges(
  { find, replace, isRegExp, matchCase, wholeWords }: ReplaceQuery,
  candidates: readonly ReplaceCandidate[],
  columns: Columns,
): ReplaceProgress {
  const [found, setFound] = useState<ReplaceProgress>({ is: 'nothing' })
  useEffect(() => {
    setFound({ is: find === '' ? 'nothing' : 'asking' })
    if (find === '') return
    let worker: Worker | undefined
    const start = () => {
      const subjects = candidates.map(({ text, language }) => ({ text, language }))
      worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
      worker.onerror = () => end({ is: 'notStarted' })
      worker.onmessage = ({ data }: MessageEvent<ReplaceReply>) => {
        if (data.is === 'begun') timer = setTimeout(end, MOST_MS, { is: 'slow' })
        else end(data.is === 'done' ? { is: 'done', changes: changesOf(candidates, data.texts, columns) } : data)
      }
      const query = { find, replace, isRegExp, matchCase, wholeWords }
      worker.postMessage({ query, subjects } satisfies ReplaceRequest)
    }
    let timer = setTimeout(start, REST_MS)
    const stop = () => {
      clearTimeout(timer)
      worker?.terminate()
    }
    const end = (found: ReplaceProgress) => {
      stop()
      setFound(found)
    }
    return stop
  }, [find, replace, isRegExp, matchCase, wholeWords, candidates, columns])
  return found
}
