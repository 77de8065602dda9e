/** Replaces in several texts by one commit. */
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { subjectText } from '../../../bundle/commit-subject.ts'
import { problemOf } from '../../api/problem-of.ts'
import { languageName } from '../../i18n/languages.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Dialog, SubmitActions } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useSubmission } from '../../ui/use-submission.ts'
import { useEditor } from '../editor-context.ts'
import { useChanging } from '../keys/use-changing.ts'
import type { EditorRow } from '../model/rows.ts'
import { apply, PreviewOutdated } from './apply.ts'
import { candidatesIn } from './changes.ts'
import { Preview } from './preview.tsx'
import styles from './replace.module.css'
import type { ReplaceQuery } from './replacer.ts'
import { useChanges } from './use-changes.ts'

/** `Invalid regular expression: /(/gu: Unterminated group` ends in the reason, in the browser's words. */
const reasonIn = (message: string) => message.split(': ').at(-1)!

const SWITCHES = ['matchCase', 'wholeWords', 'isRegExp'] as const

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
  const [query, setQuery] = useState<ReplaceQuery>({
    find: '',
    replace: '',
    isRegExp: false,
    matchCase: false,
    wholeWords: false,
  })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(columns.targets))
  const candidates = useMemo(() => candidatesIn(rows, columns.targets, chosen), [rows, columns.targets, chosen])
  const found = useChanges(query, candidates, columns)
  // Changes that the user toggled. A change with a fault is unchecked at first.
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set())
  const changes = found.is === 'done' ? found.changes : []
  const selected = changes.filter(({ id, checks, refused }) => !refused && (checks.length === 0) !== turned.has(id))
  const selectedSet = new Set(selected)
  const edit = (changed: Partial<ReplaceQuery>) => {
    setQuery(query => ({ ...query, ...changed }))
    setTurned(new Set())
  }
  const replace = async () => {
    if (selected.length === 0) return
    const { find, replace: by } = query
    const message = subjectText({ slug, kind: 'replace', find, by, count: selected.length })
    const isDone = await send(() =>
      change(
        () => apply(slug, selected, message),
        () => t('replaced', { count: selected.length }),
      ),
    )
    if (isDone) onClose()
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
                  setChosen(chosen => new Set(on ? [...chosen, language] : [...chosen].filter(one => one !== language)))
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
            isChosen={change => selectedSet.has(change)}
            onSelect={(changes, isChecked) =>
              setTurned(turned => {
                const now = new Set(turned)
                for (const { id, checks } of changes) {
                  if (isChecked === (checks.length === 0)) now.delete(id)
                  else now.add(id)
                }
                return now
              })
            }
          />
        )}
        <SubmitActions problem={problem} isPending={pending} isDisabled={selected.length === 0} onCancel={onClose}>
          {t('replaceNow', { count: selected.length })}
        </SubmitActions>
      </Form>
    </Dialog>
  )
}
