/** What another user changed in a term while it was edited. */
import { useTranslation } from 'react-i18next'
import { languageName } from '../i18n/languages.ts'
import { Button } from '../ui/button.tsx'
import { Diff } from '../ui/diff.tsx'
import { scrollIntoViewNow } from '../ui/focus.ts'
import { Notice } from '../ui/notice.tsx'
import { changedFields, fieldText, type TermFields } from './term-fields.ts'

/** The fields before the other user's edit, and after it; `now` is undefined for a deleted term. */
export interface ConflictingEdit {
  before: TermFields
  now: TermFields | undefined
}

/** A diff of each field. @param onUse replaces the own edit by the other one */
export function TermChanges({ edit: { before, now }, onUse }: { edit: ConflictingEdit; onUse: () => void }) {
  const { t, i18n } = useTranslation('glossary')
  const sentence = t(now ? 'changedMeanwhile' : 'deletedMeanwhile')
  const textOf = (fields: TermFields, field: string) => {
    const text = fieldText(fields, field)
    return field === 'keep' || field === 'caseSensitive' ? t(text === 'true' ? 'on' : 'off') : text
  }
  return (
    <Notice
      kind="warn"
      action={
        now && (
          <Button small onPress={onUse}>
            {t('useTheirs')}
          </Button>
        )
      }
    >
      <p ref={scrollIntoViewNow}>{sentence}</p>
      {now && (
        <ul>
          {changedFields(before, now).map(field => {
            const [language = '', list] = field.split('.') as [string, 'use' | 'avoid' | undefined]
            const name =
              list === undefined
                ? t(`field.${field as 'term' | 'note' | 'keep' | 'caseSensitive'}`)
                : t('listOf', { list: t(`field.${list}`), language: languageName(language, i18n.language) })
            return (
              <li key={field}>
                {name}:{' '}
                <Diff
                  before={textOf(before, field)}
                  after={textOf(now, field)}
                  language={list === undefined ? i18n.language : language}
                />
              </li>
            )
          })}
        </ul>
      )}
    </Notice>
  )
}
