/** The dialogs of the toolbar: the filter by changes, and the keyboard shortcuts. */
import { useQuery } from '@tanstack/react-query'
import { ArrowBigUp, ArrowDown, ArrowLeft, ArrowRight, ArrowUp, ChevronUp, Command, Option } from 'lucide-react'
import { Fragment, useState } from 'react'
import { answer } from '../api/answer.ts'
import { getHistory } from '../api/client.ts'
import { stateOf } from '../api/state-of.ts'
import { Button } from '../ui/button.tsx'
import { Actions, Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/form.tsx'
import { Select } from '../ui/select.tsx'
import styles from './dialogs.module.css'
import { useEditor } from './editor-context.ts'
import type { RowFilter } from './model/filter.ts'
import { BINDINGS, keysOf } from './model/keyboard.ts'

export interface FilterProps {
  filter: RowFilter
  ask: (changed: Partial<RowFilter>) => void
}

/** Anybody; no e-mail address is so. */
const ANYBODY = '*'

/** Asks who changed a text, and since when. The values are part of the address. */
export function ChangesDialog({ filter, ask, onClose }: FilterProps & { onClose: () => void }) {
  const { slug, columns, t } = useEditor()
  const language = columns.targets[0]!
  const { data: authors = [] } = useQuery({
    queryKey: ['project', slug, 'history', 'authors', language],
    queryFn: async ({ signal }) => {
      const { revisions } = await answer(getHistory({ slug, language, limit: 100 }, { signal }))
      return [...new Map(revisions.map(({ author }) => [author.email, author.name]))]
    },
  })
  const [by, setBy] = useState(filter.by)
  const [since, setSince] = useState(filter.since)
  const others = by !== '' && !authors.some(([email]) => email === by) ? [{ id: by, label: by }] : []
  const show = (changed: Partial<RowFilter>) => {
    ask(changed)
    onClose()
  }
  return (
    <Dialog title={t('changes')} isOpen onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          show({ by, since: stateOf(since) })
        }}
      >
        <Select
          label={t('byWhom')}
          choices={[
            { id: ANYBODY, label: t('anybody') },
            ...others,
            ...authors.map(([email, name]) => ({ id: email, label: name, note: email })),
          ]}
          value={by || ANYBODY}
          onChange={chosen => setBy(chosen === ANYBODY ? '' : chosen)}
        />
        <TextField label={t('since')} hint={t('sinceHint')} value={since} onChange={setSince} />
        <Actions>
          <Button onPress={() => show({ by: '', since: '' })}>{t('showAll')}</Button>
          <Button look="primary" type="submit">
            {t('showThese')}
          </Button>
        </Actions>
      </form>
    </Dialog>
  )
}

/** The keyboard shortcuts, from the table that the handler uses. */
export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const { t, isMac } = useEditor()
  return (
    <Dialog title={t('keyboard')} isOpen onClose={onClose} wide>
      <div className={styles.lists}>
        {(['field', 'grid'] as const).map(where => (
          <section key={where}>
            <h3>{t(where === 'field' ? 'keysInField' : 'keysInGrid')}</h3>
            <dl className={styles.keys}>
              {BINDINGS.filter(binding => binding.where.includes(where)).map(binding => (
                <div key={binding.command}>
                  <dt>{t(`command.${binding.command}`)}</dt>
                  <dd dir="ltr" lang="en">
                    {keysOf(binding, isMac).map(keys => (
                      <kbd key={keys}>{shown(keys, isMac)}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

/** The pictures on keys, named as the keys are in English. */
const PICTURES: Record<string, typeof ArrowUp> = { ArrowUp, ArrowDown, ArrowLeft, ArrowRight }
const ON_MAC: Record<string, typeof ArrowUp> = { Control: ChevronUp, Meta: Command, Alt: Option, Shift: ArrowBigUp }
const WORDS: Record<string, string> = { Control: 'Ctrl', Escape: 'Esc' }
const NAMES: Record<string, string> = { Meta: 'Command', Alt: 'Option' }

const shown = (keys: string, isMac: boolean) =>
  keys.split('+').map((key, at) => {
    const Picture = PICTURES[key] ?? (isMac ? ON_MAC[key] : undefined)
    const name = NAMES[key] ?? key.replace('Arrow', 'Arrow ')
    return (
      <Fragment key={key}>
        {at > 0 && (isMac ? ' ' : ' + ')}
        {Picture ? <Picture role="img" aria-label={name} /> : (WORDS[key] ?? key)}
      </Fragment>
    )
  })
