/** The fields for the languages of a member, and for the level in them. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { LanguageRight } from '../api/client.ts'
import { Select } from '../ui/select.tsx'
import { TextField } from '../ui/text-field.tsx'
import { CHOSEN_LEVELS, type ChosenLevel, type ListedRight, levelFor, rightsFor, tagsIn } from './listed-right.ts'
import { useLanguageWords } from './use-language-words.ts'

/** What is typed and chosen. */
interface TypedRights {
  languages: string
  /** Undefined until the user chooses one. */
  may: ChosenLevel | undefined
}

const NONE: TypedRights = { languages: '', may: undefined }

/** The state of {@link RightsFields}. */
export interface RightsInput {
  typed: TypedRights
  change: (changes: Partial<TypedRights>) => void
  /** Clears both. */
  reset: () => void
  rights: LanguageRight[] | null
  /** Why the languages are none; '' for right ones. */
  fault: string
}

/** @param stored the rights to begin with; all languages without one */
export function useRightsInput(stored?: ListedRight): RightsInput {
  const { faultOf } = useLanguageWords()
  const isAll = stored === undefined || (stored.languages.length === 0 && stored.may === 'review')
  const [typed, setTyped] = useState<TypedRights>(
    isAll ? NONE : { languages: stored.languages.join(', '), may: stored.may },
  )
  const { languages, may } = typed
  return {
    typed,
    change: changes => setTyped({ ...typed, ...changes }),
    reset: () => setTyped(NONE),
    rights: rightsFor({ languages: tagsIn(languages), may: levelFor(languages, may) }),
    fault: faultOf(languages),
  }
}

interface Props {
  input: RightsInput
  /** The fault to show. */
  error: string | undefined
  autoFocus?: boolean
}

/** Beside each other, or one below the other: the parent decides. */
export function RightsFields({ input, error, autoFocus }: Props) {
  const { t } = useTranslation('team')
  const { typed, change } = input
  return (
    <>
      <TextField
        label={t('languages')}
        hint={t('languagesHint')}
        code
        autoComplete="off"
        autoFocus={autoFocus}
        value={typed.languages}
        onChange={languages => change({ languages })}
        error={error ?? ''}
      />
      <Select
        label={t('may.label')}
        choices={CHOSEN_LEVELS.map(id => ({ id, label: t(`may.${id}`), note: t(`may.${id}Note`) }))}
        value={levelFor(typed.languages, typed.may)}
        onChange={may => change({ may })}
      />
    </>
  )
}
